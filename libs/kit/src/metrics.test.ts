import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { leads } from './outbox.ts'
import { testDatabase } from './testing/database.ts'
import { update } from './testing/rows.ts'

test('of two instances one tells what both see, so that their sum is right, and the other takes over when it falls silent', async () => {
  const database = await testDatabase({ name: 'kit-metrics', migrations: {} })
  try {
    const { db } = database
    const [one, other] = [createMetrics(), createMetrics()]
    const look = async () => {
      one.leading.set('crm', await leads(db, 'one'))
      other.leading.set('crm', await leads(db, 'other'))
      for (const metrics of [one, other]) metrics.lag.set({ service: 'crm', what: 'outbox' }, 7)
      const values = await Promise.all([one, other].map((metrics) => metrics.lag.get()))
      return values.flatMap((each) => each.values.map(({ value }) => value))
    }
    expect(await look()).toEqual([7])
    expect(one.leading.get('crm')).toBe(true)
    expect(await look()).toEqual([7])
    await update(db, 'inbox', { handler: 'measure' }, { next_at: new Date(0) })
    expect(await leads(db, 'other')).toBe(true)
    expect(await look()).toEqual([7])
    expect(other.leading.get('crm')).toBe(true)
  } finally {
    await database.drop()
  }
})
