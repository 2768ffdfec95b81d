import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstIdOf, newId } from './ids.ts'
import { clean } from './outbox.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase({ name: 'kit-retention', migrations: {} })
})
afterAll(() => database.drop())

const DAY = 86_400_000
const now = Date.now()
const reservation = (ageMs: number, state: string) => ({
  id: firstIdOf(now - ageMs),
  user_id: newId(),
  unit: 'prompts',
  period_start: new Date('2026-01-01'),
  amount: 1,
  state,
  feature: 'chat',
  expires_at: new Date(),
})
const left = async () =>
  (await database.db.selectFrom('usage_reservations').select(['id', 'state']).orderBy('id').execute()).map(({ state }) => state)

test('the first id of a time stands below every id made from then on, and above those before', () => {
  const at = Date.now() + 10 * DAY
  expect(newId(at - 1) < firstIdOf(at)).toBe(true)
  expect(newId(at) >= firstIdOf(at)).toBe(true)
})

test('reservations that ended long ago go, by many batches; open and young ones stay', async () => {
  await database.db.deleteFrom('usage_reservations').execute()
  const old = Array.from({ length: 2300 }, (_, n) => reservation(50 * DAY + n, 'settled'))
  const rows = [reservation(DAY, 'settled'), reservation(60 * DAY, 'reserved'), ...old]
  for (let at = 0; at < rows.length; at += 500)
    await database.db
      .insertInto('usage_reservations')
      .values(rows.slice(at, at + 500))
      .execute()
  await clean(database.db as never)
  expect(await left()).toEqual(['reserved', 'settled'])
})
