import { globSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** The server tests that take long and whose subject changes seldom. */
export function slowProofs(): string[] {
  const files = '{libs,services,gateway,deploy,proof,web}/**/*.proof.test.ts'
  return globSync(files, { cwd: root, exclude: (name) => name === 'node_modules' }).sort()
}

/**
 * Slow proofs, faults and attacks run in turns: `OPERON_TURN=2/3` takes every third, beginning with the second. CI sets it from the commit; without it all run.
 */
export function inTurn<T>(all: T[], turn = process.env.OPERON_TURN): T[] {
  const [part, parts] = partsOf(turn)
  return all.filter((_, index) => index % parts === part - 1)
}

function partsOf(turn: string | undefined): [part: number, parts: number] {
  if (!turn) return [1, 1]
  const [part, parts] = turn.split('/').map(Number)
  if (!part || !parts || part > parts || !Number.isInteger(part) || !Number.isInteger(parts))
    throw new Error(`OPERON_TURN is a part of how many, such as 2/3, and was ${turn}`)
  return [part, parts]
}
