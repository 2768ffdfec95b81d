import { expect, test } from 'vitest'
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
