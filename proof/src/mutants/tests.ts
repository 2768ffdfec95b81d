import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileOf, importsOf } from '@operon/deploy/boundaries'

/** Outside of its own package a guard has so many tests at most: the kit's files are loaded by nearly all. */
const MOST_ELSEWHERE = 12

/** The files that load each file, from the root of a tree. */
export function loadersOf(tree: string, files: string[]): Map<string, string[]> {
  const loaders = new Map<string, string[]>()
  for (const from of files)
    for (const { specifier, typeOnly } of importsOf(from, readFileSync(join(tree, from), 'utf8'))) {
      const to = typeOnly ? null : fileOf(from, specifier)
      if (to) loaders.set(to, [...(loaders.get(to) ?? []), from])
    }
  return loaders
}

/** The tests that load a file, in the order in which they are likely to see it: its own folder, its package, then other packages, the nearest first. */
export function testsFor(file: string, loaders: Map<string, string[]>): string[] {
  const away = new Map([[file, 0]])
  for (const [at, steps] of away) for (const from of loaders.get(at) ?? []) if (!away.has(from)) away.set(from, steps + 1)
  const tests = [...away.keys()]
    .filter((path) => path.endsWith('.test.ts') && !/\.faults\.|\.proof\./.test(path))
    .sort((one, other) => away.get(one)! - away.get(other)! || (one < other ? -1 : 1))
  const beside = tests.filter((path) => dirname(path) === dirname(file))
  const own = tests.filter((path) => !beside.includes(path) && homeOf(path) === homeOf(file))
  const elsewhere = tests.filter((path) => homeOf(path) !== homeOf(file))
  return [...beside, ...own, ...elsewhere.slice(0, MOST_ELSEWHERE)]
}

/** `libs/kit`, `services/billing`, `gateway`. */
export const homeOf = (file: string) =>
  file
    .split('/')
    .slice(0, /^(?:libs|services)\//.test(file) ? 2 : 1)
    .join('/')
