import { expect, test } from 'vitest'
import { inTurn } from './turn.ts'

const faults = ['a', 'b', 'c', 'd', 'e', 'f', 'g']

test('the turns together take everything, each of it once', () => {
  const turns = ['1/3', '2/3', '3/3'].map((turn) => inTurn(faults, turn))
  expect(turns.flat().sort()).toEqual(faults)
  expect(turns[1]).toEqual(['b', 'e'])
})

test('without a turn everything runs', () => {
  expect(inTurn(faults, '')).toEqual(faults)
})

test('a turn that there is not is refused, instead of nothing being run', () => {
  for (const turn of ['4/3', '0/3', '1', 'x/y', '1.5/3']) expect(() => inTurn(faults, turn), turn).toThrow('OPERON_TURN')
})
