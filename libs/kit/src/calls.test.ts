import { dashboardStats, listActivity, notificationsRead } from '@operon/contracts/analytics/api'
import type { ServiceName } from '@operon/contracts/services'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type Actor, actorOf, type Ctx, type Grant, signedIn } from './context.ts'
import { DomainError } from './errors.ts'
import { serve } from './http.ts'
import { newId } from './ids.ts'
import { openBus } from './open.ts'
import { signRequest } from './requests.ts'
import type { Runtime, ServiceDefinition } from './service.ts'
import { startTestPlatform } from './testing/service.ts'

const stat = { total: 1, current: 1, previous: 0, change_pct: 0 }
const figures = { leads: stat, appointments: stat, campaigns: stat, emails_sent: stat, period_days: 30 }
const definition = (name: ServiceName, setup: ServiceDefinition['setup']): ServiceDefinition => ({
  name,
  config: z.object({}) as never,
  migrations: {},
  setup,
})

let seen: Ctx<any>[] = []
let marked = 0
let answer: () => Promise<unknown> = async () => figures

const platform = await startTestPlatform(
  [
    definition('analytics', ({ app }) => {
      serve(app, dashboardStats, async (ctx) => {
        seen.push(ctx)
        return (await answer()) as typeof figures
      })
      serve(app, notificationsRead, async (ctx, input) => {
        signedIn(ctx)
        marked += 1
        return { read: input?.ids?.length ?? 0, unread: marked }
      })
      serve(app, listActivity, async () => ({ activity: [], cursor: null }))
    }),
    definition('crm', () => {}),
  ],
  { RATE_READ: '20/600s' },
)
const asker: Runtime = platform.services.crm!.rt
afterAll(() => platform.close())
beforeEach(() => {
  seen = []
  marked = 0
  answer = async () => figures
})

const person = (more: object = {}): Actor => ({ ...actorOf({ id: newId(), userId: newId(), actions: [], until: null }), ...more })
const refused = (work: Promise<unknown>): Promise<DomainError> =>
  work.then(
    () => expect.unreachable(),
    (error) => error,
  )

test('a capability is run over the bus as over HTTP: the same function, for the same person, under one request id', async () => {
  const user = platform.user()
  const actor = person({ id: user.id })
  expect(await asker.call(dashboardStats, {}, { actor, requestId: 'request-7' })).toEqual(figures)
  expect(seen[0]).toMatchObject({ actor: { kind: 'user', id: user.id }, requestId: 'request-7' })
  const response = await fetch(`${platform.url('analytics')}/functions/v1/dashboard-stats`, { method: 'POST', headers: user.headers })
  expect([response.status, await response.json()]).toEqual([200, figures])
  expect(seen[1]).toMatchObject({ actor: { kind: 'user', id: user.id } })
})

test.each<[string, Actor, object]>([
  ['nobody', { kind: 'anonymous' }, { code: 'not_authenticated', status: 401 }],
  ['a password alone where there is a second factor', person({ mfa: true }), { code: 'insufficient_aal', status: 403 }],
  [
    'a key that was made for something else',
    person({ key: { id: newId(), scopes: ['chat'], monthlyPrompts: null } }),
    { code: 'key_scope', status: 403 },
  ],
])('%s is refused as over HTTP, and the function does not run', async (_who, actor, refusal) => {
  expect(await refused(asker.call(dashboardStats, {}, { actor }))).toMatchObject(refusal)
  expect(seen).toEqual([])
})

test('a session or an account that was taken back is refused', async () => {
  const [signedOut, suspended] = [person(), person()] as { id: string; sessionId: string }[] & Actor[]
  const { verifier } = platform.services.analytics!.rt
  verifier.revoke(signedOut!.sessionId)
  verifier.revoke(suspended!.id)
  for (const actor of [signedOut!, suspended!] as Actor[])
    expect(await refused(asker.call(dashboardStats, {}, { actor }))).toMatchObject({ code: 'not_authenticated' })
  expect(seen).toEqual([])
})

test('what the schema refuses comes back field by field, and what it does not name never leaves', async () => {
  const ids = ['not-an-id'] as string[]
  expect(await refused(asker.call(notificationsRead, { ids }, { actor: person(), idempotencyKey: newId() }))).toMatchObject({
    code: 'invalid',
    status: 400,
    details: { fields: [{ field: 'ids.0' }] },
  })
  answer = async () => ({ ...figures, secret: 'of the service' })
  expect(await asker.call(dashboardStats, {}, { actor: person() })).toEqual(figures)
  answer = async () => ({ ...figures, leads: 'many' })
  expect(await refused(asker.call(dashboardStats, {}, { actor: person() }))).toMatchObject({ code: 'internal', status: 500 })
})

test('a refusal arrives whole; a bug says nothing of itself', async () => {
  answer = async () => {
    throw new DomainError('limit_images', { details: { left: 0 }, headers: { 'retry-after': '9' } })
  }
  const refusal = await refused(asker.call(dashboardStats, {}, { actor: person() }))
  expect(refusal).toBeInstanceOf(DomainError)
  expect(refusal).toMatchObject({ code: 'limit_images', status: 402, details: { left: 0 }, headers: { 'retry-after': '9' } })
  answer = async () => {
    throw new Error('secret internals')
  }
  const bug = await refused(asker.call(dashboardStats, {}, { actor: person() }))
  expect(bug).toMatchObject({ code: 'internal', status: 500 })
  expect(JSON.stringify([bug.message, bug.details])).not.toContain('secret')
})

test('a person is counted, whoever asks for them', async () => {
  const [busy, other] = [person(), person()]
  const read = (actor: Actor) => asker.call(listActivity, {}, { actor })
  for (let n = 0; n < 20; n++) await read(busy)
  const tooMany = await refused(read(busy))
  expect(tooMany).toMatchObject({ code: 'rate_limited', status: 429 })
  expect(Number(tooMany.headers['retry-after'])).toBeGreaterThan(0)
  expect(await read(other)).toEqual({ activity: [], cursor: null })
})

test('one key is one effect, over the bus and over HTTP together', async () => {
  const user = platform.user()
  const idempotencyKey = newId()
  const ids = [newId()]
  const call = () => asker.call(notificationsRead, { ids }, { actor: person({ id: user.id }), idempotencyKey })
  expect(await call()).toEqual({ read: 1, unread: 1 })
  expect(await call()).toEqual({ read: 1, unread: 1 })
  const response = await fetch(`${platform.url('analytics')}/functions/v1/notifications-read`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ ids }),
  })
  expect(await response.json()).toEqual({ read: 1, unread: 1 })
  expect(marked).toBe(1)
  expect(
    await refused(asker.call(notificationsRead, { ids: [newId()] }, { actor: person({ id: user.id }), idempotencyKey })),
  ).toMatchObject({
    code: 'idempotency_mismatch',
  })
  await expect(asker.call(notificationsRead, {}, { actor: person() })).rejects.toThrow('needs an idempotency key')
})

test('a grant allows what it names, for its person, until it ends or is taken back', async () => {
  const userId = newId()
  const grant: Grant = { id: newId(), userId, actions: ['dashboard-stats'], until: new Date(Date.now() + 60_000).toISOString() }
  const by = (given: Grant, actor = actorOf(given)) => asker.call(dashboardStats, {}, { actor, grant: given })
  expect(await by(grant)).toEqual(figures)
  expect(seen[0]).toMatchObject({ grant: { id: grant.id }, actor: { id: userId } })
  for (const bad of [
    by({ ...grant, actions: ['list-activity'] }),
    by({ ...grant, until: new Date(Date.now() - 60_000).toISOString() }),
    by(grant, person() as ReturnType<typeof actorOf>),
  ])
    expect(await refused(bad)).toMatchObject({ code: 'forbidden' })
  platform.services.analytics!.rt.verifier.revoke(grant.id)
  expect(await refused(by(grant))).toMatchObject({ code: 'not_authenticated' })
  expect(seen).toHaveLength(1)
})

/** A call that skips the asker's own checks. */
async function sent(name: string, input: unknown, key?: string) {
  const bus = await openBus(platform.infra, { service: 'stranger', db: asker.db as never, log: platform.infra.log })
  const asked = { name, input, ...(key && { key }), request_id: 'x', deadline_ms: 2_000 }
  return bus
    .request('analytics.call', signRequest(platform.infra.vault, 'analytics.call', asked, person()), 2_000)
    .finally(() => bus.close())
}

test('an input beyond 512 kB is refused before it is sent, and again where it arrives', async () => {
  const ids = Array.from({ length: 14_000 }, () => newId())
  const big = { ...notificationsRead, body: z.object({ ids: z.array(z.uuid()) }) }
  const tooLarge = { code: 'too_large', status: 413 }
  expect(await refused(asker.call(big, { ids }, { actor: person(), idempotencyKey: newId() }))).toMatchObject(tooLarge)
  expect(await refused(sent('notifications-read', { ids }, newId()))).toMatchObject(tooLarge)
})

test('what changes something is refused without a key where it arrives, and what is no capability is not there', async () => {
  expect(await refused(sent('notifications-read', {}))).toMatchObject({ code: 'invalid' })
  expect(await refused(sent('staff-refund', {}, newId()))).toMatchObject({ code: 'not_found' })
  expect(marked).toBe(0)
})

test('what answers too late is told as unavailable, and the function hears that nobody waits', async () => {
  answer = () => new Promise(() => {})
  expect(await refused(asker.call(dashboardStats, {}, { actor: person(), deadlineMs: 200 }))).toMatchObject({
    code: 'unavailable',
    status: 503,
  })
  await expect.poll(() => seen[0]!.signal.aborted).toBe(true)
})

test('nobody speaks for a person without the fleet’s key', async () => {
  const bus = await openBus(platform.infra, { service: 'stranger', db: asker.db as never, log: platform.infra.log })
  const input = { name: 'dashboard-stats', input: {}, request_id: 'x', deadline_ms: 1000 }
  const forged = { input, actor: person(), at: Date.now(), signature: 'AAAA' }
  expect(await refused(bus.request('analytics.call', forged, 1000))).toMatchObject({ code: 'not_authenticated' })
  await bus.close()
  expect(seen).toEqual([])
})
