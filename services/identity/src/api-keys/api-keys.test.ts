import { dashboardStats, notificationsRead } from '@operon/contracts/analytics/api'
import { notifications } from '@operon/contracts/analytics/tables'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import type { ServiceDefinition } from '@operon/kit/service'
import { update } from '@operon/kit/testing/rows'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { resetAccess } from '../sessions/reset-access.ts'
import { signedUp, startIdentity } from '../testing/platform.ts'

const stat = { total: 1, current: 1, previous: 0, change_pct: 0 }
/** Another service, with a capability that reads, one that changes, and a table. */
const elsewhere: ServiceDefinition = {
  name: 'analytics',
  config: z.object({}) as never,
  migrations: {},
  setup({ app }) {
    serve(app, dashboardStats, async () => ({ leads: stat, appointments: stat, campaigns: stat, emails_sent: stat, period_days: 30 }))
    serve(app, notificationsRead, async (ctx) => ({ read: signedIn(ctx).key ? 1 : 0, unread: 0 }))
    serveTable(app, notifications, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })
  },
}

const platform = await startIdentity({}, [elsewhere])
afterAll(() => platform.close())

type Person = Awaited<ReturnType<typeof signedUp>>
async function send(url: string, bearer: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${bearer}`, ...(body && { 'content-type': 'application/json' }), ...headers },
  })
  return { status: response.status, body: (await response.json()) as any }
}
const identity = (name: string, person: Person, body: object) =>
  send(`${platform.base}/functions/v1/${name}`, person.session.access_token, body)
const make = async (person: Person, more: object = {}) =>
  (await identity('ai-key-create', person, { name: 'Shop', ...more })).body as { id: string; key: string; prefix: string }
const elsewhereUrl = (path: string) => `${platform.url('analytics')}${path}`
const stats = (key: string) => send(elsewhereUrl('/functions/v1/dashboard-stats'), key, {})
const read = (key: string) => send(elsewhereUrl('/functions/v1/notifications-read'), key, {}, { 'idempotency-key': newId() })

test('a scoped key calls capabilities of other services: reads, changes or one by name, and no other', async () => {
  const person = await signedUp(platform)
  const given = async (...scopes: string[]) => {
    const { key } = await make(person, { scopes })
    return [(await stats(key)).status, (await read(key)).status]
  }
  expect(await given('reads')).toEqual([200, 403])
  expect(await given('changes')).toEqual([403, 200])
  expect(await given('all')).toEqual([200, 200])
  expect(await given('do:dashboard-stats')).toEqual([200, 403])
  expect(await given('chat', 'models')).toEqual([403, 403])
})

test('what is no capability refuses a key of every scope, here and in other services', async () => {
  const person = await signedUp(platform)
  const { id, key } = await make(person, { scopes: ['chat', 'models', 'reads', 'changes', 'all'] })
  const refused = [
    await send(`${platform.base}/auth/v1/user`, key),
    await send(`${platform.base}/rest/v1/ai_keys`, key),
    await send(`${platform.base}/functions/v1/ai-key-create`, key, { name: 'More' }),
    await send(`${platform.base}/functions/v1/ai-key-revoke`, key, { key_id: id }),
    await send(`${platform.base}/functions/v1/account-sessions`, key, {}),
    await send(elsewhereUrl('/rest/v1/notifications'), key),
  ]
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
})

test('a key is shown once, listed without its secret, and refused everywhere the moment it is revoked', async () => {
  const person = await signedUp(platform)
  const { id, key, prefix } = await make(person, { scopes: ['reads'] })
  expect((await stats(key)).status).toBe(200)
  const { body: listed } = await send(`${platform.base}/rest/v1/ai_keys`, person.session.access_token)
  expect(listed).toMatchObject([{ id, prefix, scopes: ['reads'], last_used_at: expect.any(String), revoked_at: null }])
  expect(JSON.stringify(listed)).not.toContain(key)
  const stranger = await signedUp(platform)
  expect((await identity('ai-key-revoke', stranger, { key_id: id })).status).toBe(404)
  expect((await identity('ai-key-revoke', person, { key_id: id })).body).toEqual({ revoked: true })
  expect((await stats(key)).status).toBe(401)
})

test('a key ends with its time, and none is made for a time that is over or a capability that does not exist', async () => {
  const person = await signedUp(platform)
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  expect(await identity('ai-key-create', person, { name: 'Late', expires_at: at(-1000) })).toMatchObject({
    status: 400,
    body: { code: 'invalid' },
  })
  expect(await identity('ai-key-create', person, { name: 'Odd', scopes: ['do:nothing-like-it'] })).toMatchObject({ status: 400 })
  const { id, key } = await make(person, { scopes: ['reads'], expires_at: at(60_000) })
  expect((await stats(key)).status).toBe(200)
  await update(db(), 'ai_keys', { id }, { expires_at: new Date() })
  platform.services.analytics!.rt.verifier.keys.forget(id)
  expect((await stats(key)).status).toBe(401)
})

test('an account without an email gets no key', async () => {
  const { data } = await platform.client().auth.signInAnonymously()
  const made = await send(`${platform.base}/functions/v1/ai-key-create`, data.session!.access_token, { name: 'Shop' })
  expect(made).toMatchObject({ status: 403, body: { code: 'anonymous_no_models' } })
})

test('a key that is revoked while it is looked up is not remembered from that look', async () => {
  const person = await signedUp(platform)
  const { id, key } = await make(person, { scopes: ['reads'] })
  const { keys } = platform.services.analytics!.rt.verifier
  const looking = keys.actorOf(key)
  keys.forget(id)
  expect(await looking).toMatchObject({ id: person.user.id })
  await update(db(), 'ai_keys', { id }, { revoked_at: new Date() })
  await expect(keys.actorOf(key)).rejects.toMatchObject({ code: 'not_authenticated' })
})

test('keys end when the owner takes the account back, and with the account; those of others stay', async () => {
  const [person, other] = [await signedUp(platform), await signedUp(platform)]
  const [mine, theirs] = [await make(person, { scopes: ['reads'] }), await make(other, { scopes: ['reads'] })]
  expect((await stats(mine.key)).status).toBe(200)
  const { rt } = platform.services.identity!
  const ctx = Object.assign(rt.ctx(), { deps: { rt } }) as never
  await inTransaction(rt.db, (trx) => resetAccess(trx as never, ctx, person.user.id, 'password_reset'))
  expect([(await stats(mine.key)).status, (await stats(theirs.key)).status]).toEqual([401, 200])
  const later = await make(person, { scopes: ['reads'] })
  expect((await stats(later.key)).status).toBe(200)
  await identity('account-delete', person, {})
  expect((await stats(later.key)).status).toBe(401)
  expect(await db().selectFrom('ai_keys').select('id').where('user_id', '=', person.user.id).execute()).toEqual([])
})

const db = () => platform.services.identity!.rt.db as any
