import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openState } from './state.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'state-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const fail = (error: unknown) => {
  throw error
}
const linesNow = () => readFileSync(join(dir, 'state.jsonl'), 'utf8').split('\n').filter(Boolean).length
type Thing = { id: string; at: number }

test('the file stays bounded while it is written to, and a second start finds the last state and never an id again', () => {
  const state = openState(dir, 'seed', fail)
  const things = state.table<Thing>('things')
  let most = 0
  for (let at = 0; at < 20_000; at++) {
    things.put({ id: `thing-${at % 50}`, at })
    if (at % 500 === 0) most = Math.max(most, linesNow())
    if (at % 100 === 99) state.together(() => things.put({ id: `gone-${at}`, at }) && things.delete(`gone-${at}`))
  }
  const id = state.id('thing')
  things.put({ id, at: -1 })
  state.close()
  expect(most).toBeLessThan(2_500)

  const again = openState(dir, 'seed', fail)
  expect(again.table<Thing>('things').size()).toBe(51)
  expect(again.table<Thing>('things').get('thing-7')).toEqual({ id: 'thing-7', at: 19_957 })
  expect(again.id('thing')).not.toBe(id)
  again.close()
})

test.skipIf(!existsSync('/dev/full'))('a disk that is full while the file is written anew is told and costs nothing', () => {
  symlinkSync('/dev/full', join(dir, 'state.jsonl.new'))
  const told: unknown[] = []
  const state = openState(dir, 'seed', (error) => told.push(error))
  const things = state.table<Thing>('things')
  for (let at = 0; told.length === 0 && at < 10_000; at++) things.put({ id: 'one', at })
  expect(told).toMatchObject([{ code: 'ENOSPC' }])
  expect(linesNow()).toBeGreaterThan(1_000)
  for (let at = 0; at < 1_500; at++) things.put({ id: 'two', at })
  expect(linesNow()).toBeLessThan(1_500)
  state.close()
  const again = openState(dir, 'seed', fail)
  expect(again.table<Thing>('things').get('two')).toEqual({ id: 'two', at: 1_499 })
  again.close()
})
