import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { releases } from './corpus/corpus.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

test('each release has its notes and a record of what it sends, the newest first, and this version is the newest', () => {
  const noted = [...read('CHANGELOG.md').matchAll(/^## (\S+) \(\d{4}-\d\d-\d\d\)$/gm)].map((match) => match[1]!)
  expect(noted[0]).toBe(JSON.parse(read('package.json')).version)
  expect(noted).toEqual(noted.toSorted((one, other) => compare(other, one)))
  expect([...releases()].sort(compare)).toEqual(noted.toReversed())
})

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number))
  return a!.map((part, i) => part - b![i]!).find((difference) => difference !== 0) ?? 0
}
