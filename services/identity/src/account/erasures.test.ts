import { randomUUID } from 'node:crypto'
import * as identity from '@operon/contracts/identity/events'
import { insert, update } from '@operon/kit/testing/rows'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { SERVICE_KEY, signedUp, startIdentity } from '../testing/platform.ts'

const platform = await startIdentity({ AUTH_ERASING_SERVICES: 'billing,marketplace,crm' })
afterAll(() => platform.close())

const ago = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)

test('who is expected and does not answer is asked again each day, and shown as overdue after thirty', async () => {
  const { rt } = platform.services.identity!
  await rt.db.deleteFrom('erasures').execute()
  const { user } = await signedUp(platform)
  expect((await platform.admin().auth.admin.deleteUser(user.id)).error).toBeNull()
  const asked = (id = user.id) =>
    rt.db.selectFrom('outbox').select('id').where('name', '=', 'identity.user_deleted').where('user_id', '=', id).execute()
  /** Over once a witness who is due was asked: everybody whom this sweep asks was asked in the same transaction. */
  const sweep = async () => {
    const witness = randomUUID()
    const due = { user_id: witness, service: 'crm', due_at: ago(-29), last_asked_at: ago(2) }
    await insert(rt.db, 'erasures', due)
    await inTransaction(rt.db, (trx) => enqueue(trx, identity.sweep, {}))
    await expect.poll(() => asked(witness), { timeout: 10_000 }).toHaveLength(1)
  }
  const overdue = async () => (await rt.metrics.lag.get()).values.find(({ labels }) => labels.what === 'erasures overdue')?.value
  const open = await rt.db.selectFrom('erasures').select(['service', 'due_at']).where('user_id', '=', user.id).execute()
  expect(open.map(({ service }: { service: string }) => service).toSorted()).toEqual(['billing', 'crm', 'marketplace'])
  expect(open.every(({ due_at }: { due_at: Date }) => due_at > ago(-29))).toBe(true)

  await update(rt.db, 'erasures', { user_id: user.id }, { due_at: ago(1), last_asked_at: ago(2) })
  await sweep()
  expect(await asked()).toHaveLength(2)
  await expect.poll(overdue, { timeout: 10_000 }).toBe(3)
  // Asked within the day: not again.
  await rt.db.updateTable('erasures').set({ erased_at: new Date() }).where('user_id', '=', user.id).where('service', '=', 'crm').execute()
  await sweep()
  expect(await asked()).toHaveLength(2)
  await expect.poll(overdue, { timeout: 10_000 }).toBe(2)
  // All have answered: nobody is asked again, however long ago it was.
  await update(rt.db, 'erasures', { user_id: user.id }, { erased_at: new Date(), last_asked_at: ago(2) })
  await sweep()
  expect(await asked()).toHaveLength(2)
  await expect.poll(overdue, { timeout: 10_000 }).toBe(0)
})

test('the list of deleted accounts goes on where a page ends, each once, and refuses a cursor that it did not give', async () => {
  const { rt } = platform.services.identity!
  await rt.db.deleteFrom('erasures').execute()
  // All of them asked in one moment: the time alone would not tell where to go on.
  await sql`insert into erasures (user_id, service, due_at) select gen_random_uuid(), 'crm', now() from generate_series(1, 501)`.execute(
    rt.db,
  )
  const list = async (body: object) => {
    const headers = { authorization: `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' }
    const answer = await fetch(`${platform.url()}/functions/v1/account-erasures`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, ...((await answer.json()) as { erasures: { user_id: string }[]; cursor: string | null }) }
  }
  const first = await list({})
  const second = await list({ cursor: first.cursor })
  expect([first.erasures.length, second.erasures.length, second.cursor]).toEqual([500, 1, null])
  expect(new Set([...first.erasures, ...second.erasures].map(({ user_id }) => user_id)).size).toBe(501)
  expect((await list({ cursor: 'WyJhIl0' })).status).toBe(400)
})

test('an account that is deleted twice at the same moment ends once', async () => {
  const { user } = await signedUp(platform)
  const { rt } = platform.services.identity!
  const ended = await Promise.all(Array.from({ length: 5 }, () => platform.admin().auth.admin.deleteUser(user.id)))
  expect(ended.filter(({ error }) => error === null)).toHaveLength(1)
  const told = rt.db.selectFrom('outbox').select('id').where('name', '=', 'identity.user_deleted').where('user_id', '=', user.id)
  expect(await told.execute()).toHaveLength(1)
})

test('the log of a deleted account forgets where it was used from, however long it is', async () => {
  const { rt } = platform.services.identity!
  const { user } = await signedUp(platform)
  await sql`
    insert into audit_log (id, user_id, action, actor, ip, user_agent, detail)
    select uuidv7(), ${user.id}, 'login', 'user', '203.0.113.7', 'Firefox', '{"from": "there"}' from generate_series(1, 2500)`.execute(
    rt.db,
  )
  expect((await platform.admin().auth.admin.deleteUser(user.id)).error).toBeNull()
  const log = async () => {
    const { rows } = await sql<{ lines: number; telling: number }>`
      select count(*)::int as lines, (count(*) filter (where ip <> '' or user_agent <> '' or detail <> '{}'))::int as telling
      from audit_log where user_id = ${user.id} and action = 'login'`.execute(rt.db)
    return rows[0]
  }
  await expect.poll(log, { timeout: 30_000 }).toEqual({ lines: expect.toSatisfy((lines: number) => lines >= 2500), telling: 0 })
})
