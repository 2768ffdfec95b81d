import fc from 'fast-check'
import { expect, test } from 'vitest'
import { histories, live } from './selling.model.ts'

// `LEDGER_HISTORIES=100000` is the long form.
const HISTORIES = Number(process.env.LEDGER_HISTORIES ?? 4000)

test(`in ${HISTORIES} random lives of sellers every account is as the provider's log has it [spec-136]`, { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(histories, (steps) => {
      expect(live(steps).wrong).toEqual([])
    }),
    { numRuns: HISTORIES },
  )
})
