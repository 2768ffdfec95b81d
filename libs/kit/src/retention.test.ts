import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { firstIdOf, newId } from './ids.ts'
import { clean } from './outbox.ts'
import { daysAgo, forgetByPlan } from './retention.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'
import { insert } from './testing/rows.ts'

const database: TestDatabase = await testDatabase({ name: 'kit-retention', migrations: {} })
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
  for (let at = 0; at < rows.length; at += 500) await insert(database.db, 'usage_reservations', rows.slice(at, at + 500))
  await clean(database.db as never)
  expect(await left()).toEqual(['reserved', 'settled'])
})

test('each plan keeps its own past, a plan that ended lately still all of it, and many pieces and people come to an end', async () => {
  const { db } = database as { db: any }
  await sql`create table said (id uuid primary key, user_id uuid not null, at timestamptz not null)`.execute(db)
  await sql`create index on said (user_id, at)`.execute(db)
  const people = { nobody: newId(), basic: newId(), pro: newId(), enterprise: newId(), lapsed: newId(), left: newId() }
  const plan = (user_id: string, tier: string, endedDaysAgo: number) => ({
    ...{ user_id, tier, status: 'active', limits: '{}', version: 1 },
    period_start: new Date(now - (endedDaysAgo + 30) * DAY),
    period_end: new Date(now - endedDaysAgo * DAY),
  })
  await db
    .insertInto('entitlements')
    .values([
      plan(people.basic, 'basic', -9),
      plan(people.pro, 'pro', -9),
      plan(people.enterprise, 'enterprise', -9),
      plan(people.lapsed, 'none', 80),
      plan(people.left, 'none', 100),
    ])
    .execute()
  for (const id of Object.values(people))
    await sql`insert into said select gen_random_uuid(), ${id}, now() - days * interval '1 day' from unnest(array[1, 729, 731, 1824, 1826, 3649, 3651]) days`.execute(
      db,
    )
  const gone = await forgetByPlan(db, { table: 'said', column: 'at', ago: daysAgo }, { people: 2, piece: 3 })
  const kept = Object.fromEntries(
    await Promise.all(
      Object.entries(people).map(async ([name, id]) => [
        name,
        (await db.selectFrom('said').select('id').where('user_id', '=', id).execute()).length,
      ]),
    ),
  )
  expect(kept).toEqual({ nobody: 2, basic: 2, pro: 4, enterprise: 6, lapsed: 6, left: 2 })
  expect(gone).toBe(5 + 5 + 3 + 1 + 1 + 5)
})
