import { type TestDatabase, testDatabase } from '@operon/kit/testing/database'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { IntegrationsDb } from '../schema.ts'
import { integrationsService } from '../service.ts'
import { putOffBroken } from './due.ts'

const database: TestDatabase<IntegrationsDb> = await testDatabase(integrationsService)
const { db } = database
afterAll(() => database.drop())

// A vendor went away from 25,000 accounts, and two of a hundred were not concerned.
const MANY = 25_000
beforeAll(async () => {
  await sql`alter table app_watches set (autovacuum_enabled = off)`.execute(db)
  await sql`
    insert into connections (id, app, user_id, account_id, account, scopes, sandbox, state)
    select uuidv7(), 'slack', uuidv7(), n::text, 'Acme', '{}', true, case when n % 50 = 0 then 'connected' else 'broken' end
    from generate_series(1, ${MANY}::int) n`.execute(db)
  await sql`
    insert into app_watches (id, user_id, connection_id, trigger, seen_until, next_at)
    select uuidv7(), user_id, id, 'new-message', now(), now() - account_id::int * interval '1 second' from connections`.execute(db)
  await sql`analyze`.execute(db)
})

test('what waits for broken connections is put off in one turn, and no piece of it passes what the ones before it left behind', async () => {
  const before = await blocks()
  await putOffBroken(db, 'app_watches')
  const read = (await blocks()) - before
  const { rows } = await sql<{ state: string; due: boolean; count: number }>`
    select c.state, w.next_at <= now() as due, count(*)::int as count
    from app_watches w join connections c on c.id = w.connection_id group by 1, 2 order by 1`.execute(db)
  expect(rows).toEqual([
    { state: 'broken', due: false, count: MANY * 0.98 },
    { state: 'connected', due: true, count: MANY * 0.02 },
  ])
  // 22 a row; a look from the start for each piece came to 47.
  expect(read).toBeLessThan(32 * MANY)
})

/** Blocks of both tables and their indexes that were looked at. */
async function blocks(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ n: string }>`
    select sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit) as n from pg_statio_user_tables where relname in ('app_watches', 'connections')`.execute(
    db,
  )
  return Number(rows[0]!.n)
}
