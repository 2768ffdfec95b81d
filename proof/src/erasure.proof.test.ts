import { loadDefinitions } from '@operon/deploy/services'
import { startTestPlatform, type TestPlatform } from '@operon/kit/testing/service'
import { type Kysely, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { BOUNDED } from './growth/bounded.ts'
import { fillTables } from './growth/fill.ts'

// Somebody who leaves may have rows without number: a statement that changes all of them at once ends at its time limit, each time it is tried.
const AT_ONCE = 1_000
const ROWS = 3_600
const OWN = 3_000
/** Sessions end in one statement or not at all; `many.proof.test` ends 100,000. */
const IN_ONE = ['identity: update sessions']

let platform: TestPlatform
afterAll(() => platform?.close())

test('an account is erased a piece at a time, in each table that may grow without end', { timeout: 900_000 }, async () => {
  platform = await startTestPlatform(await loadDefinitions(), { AUTH_AUTOCONFIRM: 'true' })
  const [leaver, owner] = [await signUp('leaver@example.com'), await signUp('owner@example.com')]
  const services = Object.values(platform.services)
  await fillTables(services, { rows: ROWS, own: OWN, userId: leaver.id, ownerId: owner.id, ownerEvery: 2 })
  for (const { rt } of services) await noteLargeChanges(rt.db)

  const answer = await fetch(`${platform.url('identity')}/functions/v1/account-delete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${leaver.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBe(200)
  const identity: Kysely<any> = platform.services.identity!.rt.db
  const waitsFor = async () => {
    const left = await identity.selectFrom('erasures').select(['service', 'erased_at']).where('user_id', '=', leaver.id).execute()
    return left.filter(({ erased_at }) => !erased_at).map(({ service }) => service)
  }
  await expect.poll(waitsFor, { timeout: 300_000, interval: 200 }).toEqual([])
  const large = await Promise.all(
    services.map(async ({ rt }) => {
      const { rows } = await sql<{ what: string }>`select distinct what from large_changes`.execute(rt.db)
      return rows.map(({ what }) => `${rt.name}: ${what}`)
    }),
  )
  expect(large.flat()).toEqual(IN_ONE)
})

async function noteLargeChanges(db: Kysely<any>): Promise<void> {
  await sql`create table large_changes (what text)`.execute(db)
  await sql`
    create function note_large_change() returns trigger language plpgsql as $$
    begin
      if (select count(*) from before) > tg_argv[0]::int then insert into large_changes values (lower(tg_op) || ' ' || tg_table_name); end if;
      return null;
    end $$`.execute(db)
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> 'large_changes'`.execute(db)
  for (const { name } of tables)
    for (const change of ['delete', 'update'])
      await sql`
        create trigger ${sql.ref(`note_large_${change}`)} after ${sql.raw(change)} on ${sql.table(name)} referencing old table as before
        for each statement execute function note_large_change(${sql.lit(Math.max(AT_ONCE, BOUNDED[name] ?? 0))})`.execute(db)
}

async function signUp(email: string): Promise<{ id: string; token: string }> {
  const body = JSON.stringify({ email, password: 'Tr1cky-horse-battery', data: { name: 'Ann', accept_terms: true } })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${platform.url('identity')}/auth/v1/signup`, { method: 'POST', headers, body })
  const { access_token: token, user } = (await answer.json()) as { access_token: string; user: { id: string } }
  return { id: user.id, token }
}
