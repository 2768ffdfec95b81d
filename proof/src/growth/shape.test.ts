import { expect, test } from 'vitest'
import { isFull, shapeOfRow } from './report.ts'
import { shapeOf, worst } from './shape.ts'

const sizes = [1_000, 30_000, 300_000]
const over = (f: (n: number) => number) => shapeOf(sizes, sizes.map(f), 1)

test('a figure is flat, log or linear by how it grows and not by how large it is', () => {
  expect(over(() => 40)).toBe('flat')
  expect(over((n) => 2 + Math.log2(n) / 40)).toBe('flat')
  expect(over((n) => 3 * Math.log2(n))).toBe('log')
  expect(over((n) => 2 + n / 10_000)).toBe('linear')
  expect(over((n) => 2 + n / 100)).toBe('linear')
  expect(over((n) => (n * n) / 1e9)).toBe('linear')
  // Bounded tables grow up to their bound.
  expect(over((n) => Math.min(n / 100, 100))).toBe('log')
  expect(worst('flat', 'linear', 'log')).toBe('linear')
})

/** The measures at each size: blocks, and the rows and look-ups they were for. */
const seen = (...samples: [blocks: number, rows: number, lookUps: number][]) => ({
  at: samples.map(([blocks, rows, lookUps]) => ({ ms: [1], control: [1], blocks, looked: { rows, lookUps }, bytes: 1_000 })),
})
const three = [1_000, 10_000, 100_000]
test('a page that looks up as many rows in deeper indexes is flat, and one that reads more blocks is not', () => {
  expect(shapeOfRow(seen([620, 400, 200], [660, 400, 200], [1_250, 400, 200]), three, false)).toBe('flat')
  // Entries of an index that are passed over are no rows, and are blocks.
  expect(shapeOfRow(seen([620, 400, 200], [800, 400, 200], [3_400, 400, 200]), three, false)).toBe('linear')
})

test('a page that grew until it was full is told from one that goes on to grow', () => {
  const upTo = (most: number) =>
    seen(...[1_000, 10_000, 100_000, 150_000].map((n) => Array(3).fill(Math.min(n, most) / 2) as [number, number, number]))
  expect([30_000, 100_000].map((most) => isFull(upTo(most), three, 150_000))).toEqual([true, true])
  expect(isFull(upTo(150_000), three, 150_000)).toBe(false)
  expect(isFull(upTo(115_000), three, 150_000)).toBe(false)
})
