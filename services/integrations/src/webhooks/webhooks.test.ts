import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paymentSucceeded } from '@operon/contracts/billing/payment-events'
import { campaignSent, leadCreated } from '@operon/contracts/crm/events'
import { userDeleted } from '@operon/contracts/identity/events'
import { webhookPaused } from '@operon/contracts/integrations/events'
import { exportUser } from '@operon/contracts/personal-data'
import { durableEvents } from '@operon/contracts/registry'
import { firstIdOf, newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { RETRY_AFTER_MS } from './deliveries.ts'
import { forgetDeliveries } from './sweep.ts'

const platform = await startTestService(integrationsService)
const db: any = platform.services.integrations!.rt.db
afterAll(() => platform.close())

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

type Heard = { headers: Record<string, string>; body: string }
/** A receiver on this machine, and what it was sent. */
async function receiver(
  answer: (response: ServerResponse, request: IncomingMessage, n: number) => void = (response) => response.end('ok'),
) {
  const heard: Heard[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    heard.push({ headers: request.headers as Record<string, string>, body })
    answer(response, request, heard.length)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

const call = (user: TestUser | null, name: string, body: object = {}) => platform.call(name, user, body)
async function add(user: TestUser, url: string, events = ['billing.payment_succeeded']) {
  const { status, body } = await call(user, 'webhook-endpoint-create', { url, name: 'mine', events })
  expect(status).toBe(200)
  return { endpoint_id: body.endpoint.id as string, secret: body.secret as string }
}
const log = async (user: TestUser, endpoint_id: string, more: object = {}) =>
  (await call(user, 'list-webhook-deliveries', { endpoint_id, ...more })).body.deliveries
const paid = (amount_cents = 4900) => ({ payment: 'pi_1', amount_cents, currency: 'usd' })
const setPlan = (user: TestUser, tier: string) =>
  insert(db, 'entitlements', {
    user_id: user.id,
    tier,
    status: 'active',
    limits: '{}',
    period_start: new Date(),
    period_end: null,
    version: 1,
  })
/** Makes waiting deliveries due now, as if their delay had passed. */
const passTime = async (user: TestUser) => {
  await sql`update lane_items set available_at = now() where tenant = ${user.id}`.execute(db)
  await sql`update tenant_lanes set next_at = now() where tenant = ${user.id}`.execute(db)
}

test('an event reaches the endpoints of its own account, signed so that the published library accepts it', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const [at, other, foreign] = [await receiver(), await receiver(), await receiver()]
  const { endpoint_id, secret } = await add(ann, at.url)
  await add(bob, foreign.url)
  await setPlan(ann, 'basic')
  await add(ann, other.url, ['crm.lead_created'])
  const id = await platform.emit(paymentSucceeded, ann.id, paid())
  await expect.poll(() => at.heard.length).toBe(1)
  const { headers, body } = at.heard[0]!
  expect(new Webhook(secret).verify(body, headers)).toEqual({
    type: 'billing.payment_succeeded.v1',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: paid(),
  })
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow()
  expect(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, headers)).toThrow()
  await expect
    .poll(() => log(ann, endpoint_id))
    .toMatchObject([
      {
        message_id: `msg_${id.replaceAll('-', '')}`,
        state: 'delivered',
        attempts: 1,
        status: 200,
        answer: 'ok',
        error: null,
        request_id: headers['x-request-id'],
        duration_ms: expect.any(Number),
      },
    ])
  // The same event again is the same delivery.
  await platform.emit(paymentSucceeded, ann.id, paid(), id)
  await platform.emit(paymentSucceeded, ann.id, paid(100))
  await expect.poll(() => at.heard.length).toBe(2)
  expect(JSON.parse(at.heard[1]!.body).data.amount_cents).toBe(100)
  expect([other.heard, foreign.heard]).toEqual([[], []])
})

test('a plan that has ended sends to no more endpoints than it includes; what they missed is sent once there is room again', async () => {
  const ann = platform.user()
  const [first, second] = [await receiver(), await receiver()]
  await setPlan(ann, 'basic')
  await add(ann, first.url)
  const { endpoint_id } = await add(ann, second.url)
  await update(db, 'entitlements', { user_id: ann.id }, { tier: 'none' })
  await platform.emit(paymentSucceeded, ann.id, paid())
  await expect.poll(() => first.heard.length).toBe(1)
  expect(await log(ann, endpoint_id)).toMatchObject([{ state: 'failed', error: 'The plan includes fewer webhooks', attempts: 0 }])
  const failed_since = new Date(Date.now() - 60_000).toISOString()
  const again = () => call(ann, 'webhook-replay', { endpoint_id, failed_since })
  expect((await again()).body.code).toBe('webhook_limit')
  expect((await call(ann, 'webhook-ping', { endpoint_id })).body.code).toBe('webhook_limit')
  await update(db, 'entitlements', { user_id: ann.id }, { tier: 'basic' })
  expect((await again()).body).toEqual({ replayed: 1 })
  await expect.poll(() => second.heard.length).toBe(1)
})

test('what is about people stays behind', async () => {
  const ann = platform.user()
  const at = await receiver()
  await add(ann, at.url, ['crm.campaign_sent'])
  const campaign_id = newId()
  await platform.emit(campaignSent, ann.id, { campaign_id, name: 'For Maria Santos', sent: 3 })
  await expect.poll(() => at.heard.map(({ body }) => JSON.parse(body).data)).toEqual([{ campaign_id, sent: 3 }])
})

test('every event with a trigger can be chosen, and none other', async () => {
  const ann = platform.user()
  const { body } = await call(ann, 'list-webhook-endpoints')
  const triggers = durableEvents().flatMap(({ name, trigger }) => (trigger ? [name] : []))
  expect(body.events.map(({ name }: { name: string }) => name)).toEqual(triggers)
  expect(triggers).toEqual(expect.arrayContaining(['billing.payment_refunded', 'crm.appointment_booked', 'ai-gateway.comparison_finished']))
  const refused = await call(ann, 'webhook-endpoint-create', { url: 'https://a.example', name: 'x', events: ['identity.user_deleted'] })
  expect(refused).toMatchObject({ status: 400, body: { code: 'webhook_event' } })
})

test('a delivery that fails is tried again under the same id until it gets through; the log keeps the last answer', async () => {
  const ann = platform.user()
  const at = await receiver((response, _request, n) => (n < 3 ? response.writeHead(500).end('x'.repeat(2000)) : response.end('thanks')))
  const { endpoint_id, secret } = await add(ann, at.url, ['crm.lead_created'])
  await platform.emit(leadCreated, ann.id, { lead_id: newId() })
  await expect.poll(() => log(ann, endpoint_id)).toMatchObject([{ state: 'waiting', attempts: 1, status: 500, answer: 'x'.repeat(500) }])
  const [{ next_at }] = await log(ann, endpoint_id)
  expect(Math.abs(Date.parse(next_at) - Date.now() - RETRY_AFTER_MS[0]!)).toBeLessThan(5_000)
  await passTime(ann)
  await expect.poll(() => log(ann, endpoint_id)).toMatchObject([{ state: 'waiting', attempts: 2 }])
  await passTime(ann)
  await expect.poll(() => log(ann, endpoint_id)).toMatchObject([{ state: 'delivered', attempts: 3, status: 200, answer: 'thanks' }])
  expect(new Set(at.heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  for (const { body, headers } of at.heard) new Webhook(secret).verify(body, headers)
  expect((await call(ann, 'list-webhook-endpoints')).body.endpoints).toMatchObject([{ failing_since: null }])
})

test('tries end within a day, and what failed is replayed: one by its id, or all since a time', async () => {
  expect(RETRY_AFTER_MS.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(86_400_000)
  const ann = platform.user()
  let up = false
  const at = await receiver((response) => response.writeHead(up ? 204 : 503).end())
  const { endpoint_id } = await add(ann, at.url, ['crm.lead_created'])
  for (let n = 0; n < 3; n++) await platform.emit(leadCreated, ann.id, { lead_id: newId() })
  for (let tries = 1; tries <= RETRY_AFTER_MS.length + 1; tries++) {
    await expect.poll(() => at.heard.length, { timeout: 10_000 }).toBe(3 * tries)
    await expect.poll(async () => (await log(ann, endpoint_id)).every(({ attempts }: any) => attempts === tries)).toBe(true)
    await passTime(ann)
  }
  const failed = await log(ann, endpoint_id, { state: 'failed' })
  expect(failed).toHaveLength(3)
  expect(failed[0]).toMatchObject({ status: 503, error: 'It answered 503', next_at: null })
  const count = (who: TestUser, chosen: object) => call(who, 'count-webhook-replay', { endpoint_id, ...chosen })
  expect((await count(ann, { delivery_id: failed[0].id })).body).toEqual({ name: 'mine', url: at.url, deliveries: 1 })
  expect((await count(ann, { failed_since: '2020-01-01T00:00:00.000Z' })).body.deliveries).toBe(3)
  expect([(await count(ann, {})).status, (await count(platform.user(), { delivery_id: failed[0].id })).status]).toEqual([400, 404])
  up = true
  expect((await call(ann, 'webhook-replay', { endpoint_id, delivery_id: failed[0].id })).body).toEqual({ replayed: 1 })
  await expect.poll(async () => (await log(ann, endpoint_id, { state: 'delivered' })).length).toBe(1)
  const failed_since = new Date(Date.now() - 3_600_000).toISOString()
  expect((await call(ann, 'webhook-replay', { endpoint_id, failed_since })).body).toEqual({ replayed: 2 })
  await expect.poll(async () => (await log(ann, endpoint_id, { state: 'delivered' })).length).toBe(3)
  expect((await call(ann, 'webhook-replay', { endpoint_id, failed_since })).body).toEqual({ replayed: 0 })
  expect((await call(ann, 'webhook-replay', { endpoint_id })).status).toBe(400)
  expect((await call(platform.user(), 'webhook-replay', { endpoint_id, failed_since })).status).toBe(404)
})

test('an endpoint that has failed for three days is paused once, its owner is told, and what comes meanwhile waits for a replay', async () => {
  const ann = platform.user()
  let up = false
  const at = await receiver((response) => response.writeHead(up ? 200 : 500).end())
  const { endpoint_id } = await add(ann, at.url, ['crm.lead_created'])
  await platform.emit(leadCreated, ann.id, { lead_id: newId() })
  await expect.poll(() => log(ann, endpoint_id)).toMatchObject([{ attempts: 1 }])
  const told = () =>
    db.selectFrom('outbox').select('payload').where('name', '=', webhookPaused.name).where('user_id', '=', ann.id).execute()
  expect(await told()).toEqual([])
  await sql`update webhook_endpoints set failing_since = now() - interval '73 hours' where id = ${endpoint_id}`.execute(db)
  await passTime(ann)
  await expect.poll(told).toMatchObject([{ payload: { endpoint_id, name: 'mine' } }])
  expect((await call(ann, 'list-webhook-endpoints')).body.endpoints).toMatchObject([{ state: 'failing' }])
  expect((await call(ann, 'webhook-ping', { endpoint_id })).body).toMatchObject({ code: 'webhook_paused' })
  await platform.emit(leadCreated, ann.id, { lead_id: newId() })
  await passTime(ann)
  await expect.poll(async () => (await log(ann, endpoint_id, { state: 'failed' })).length).toBe(2)
  expect(at.heard).toHaveLength(2)
  up = true
  await call(ann, 'webhook-endpoint-update', { endpoint_id, paused: false })
  const failed_since = new Date(Date.now() - 3_600_000).toISOString()
  expect((await call(ann, 'webhook-replay', { endpoint_id, failed_since })).body).toEqual({ replayed: 2 })
  await expect.poll(async () => (await log(ann, endpoint_id, { state: 'delivered' })).length).toBe(2)
})

test('a redirect is not followed, an answer without end is cut, and a paused endpoint is left alone', async () => {
  const ann = platform.user()
  const inside = await receiver()
  const at = await receiver((response, _request, n) => {
    if (n === 1) return void response.writeHead(302, { location: inside.url }).end()
    response.writeHead(200)
    const writing = setInterval(() => response.write('y'.repeat(10_000)), 1)
    response.on('close', () => clearInterval(writing))
  })
  const { endpoint_id } = await add(ann, at.url, ['crm.lead_created'])
  const ping = async () => (await call(ann, 'webhook-ping', { endpoint_id })).body.delivery_id
  const first = await ping()
  await expect.poll(() => log(ann, endpoint_id)).toMatchObject([{ id: first, attempts: 1, error: expect.stringContaining('redirect') }])
  const second = await ping()
  await expect.poll(async () => (await log(ann, endpoint_id))[0]).toMatchObject({ id: second, state: 'delivered', answer: 'y'.repeat(500) })
  expect(JSON.parse(at.heard[1]!.body)).toMatchObject({ type: 'webhook.ping.v1', data: { endpoint_id } })
  expect(inside.heard).toEqual([])
  await call(ann, 'webhook-endpoint-update', { endpoint_id, paused: true })
  await passTime(ann)
  await expect.poll(() => log(ann, endpoint_id, { state: 'failed' })).toMatchObject([{ id: first, error: 'The webhook was paused' }])
  expect(at.heard).toHaveLength(2)
})

test('a secret is answered once, sealed at rest, and rotated with a day in which both sign', async () => {
  const ann = platform.user()
  const at = await receiver()
  const { endpoint_id, secret } = await add(ann, at.url)
  const rotated = await call(ann, 'webhook-secret-rotate', { endpoint_id })
  expect(rotated.body.secret).not.toBe(secret)
  await call(ann, 'webhook-ping', { endpoint_id })
  await expect.poll(() => at.heard.length).toBe(1)
  const { body, headers } = at.heard[0]!
  for (const each of [secret, rotated.body.secret]) new Webhook(each).verify(body, headers)
  await sql`update webhook_endpoints set old_secret_until = now() where id = ${endpoint_id}`.execute(db)
  await call(ann, 'webhook-ping', { endpoint_id })
  await expect.poll(() => at.heard.length).toBe(2)
  new Webhook(rotated.body.secret).verify(at.heard[1]!.body, at.heard[1]!.headers)
  expect(() => new Webhook(secret).verify(at.heard[1]!.body, at.heard[1]!.headers)).toThrow()
  const listed = JSON.stringify((await call(ann, 'list-webhook-endpoints')).body)
  expect(listed).not.toContain('whsec_')
  const [row] = await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', endpoint_id).execute()
  expect(JSON.stringify(row)).not.toContain(rotated.body.secret.slice(6, 20))
  expect((await call(platform.user(), 'webhook-secret-rotate', { endpoint_id })).status).toBe(404)
})

test('a plan has so many endpoints, however many are added at once, and a session without a fresh proof adds none', async () => {
  const ann = platform.user()
  await setPlan(ann, 'basic')
  const create = () => call(ann, 'webhook-endpoint-create', { url: 'https://hooks.example.com', name: 'x', events: ['crm.lead_created'] })
  const answers = await Promise.all(Array.from({ length: 8 }, create))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(answers.filter(({ body }) => body.code === 'webhook_limit')).toHaveLength(5)
  const stale = platform.user({ amr: [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - 3600 }] })
  const refused = await call(stale, 'webhook-endpoint-create', { url: 'https://a.example', name: 'x', events: ['crm.lead_created'] })
  expect(refused).toMatchObject({ status: 403, body: { code: 'aal2_required' } })
})

test.each(['http://example.com/hook', 'https://user:secret@example.com/hook', 'ftp://example.com/hook'])(
  '%s is refused as an address',
  async (url) => {
    const body = { url, name: 'x', events: ['crm.lead_created'] }
    expect(await call(platform.user(), 'webhook-endpoint-create', body)).toMatchObject({ status: 400 })
  },
)

test('where people come, nothing of ours is called: not by an address, a name or a row that says so', async () => {
  const guarded = await startTestService(integrationsService, { WEBHOOK_LOOPBACK: 'false' })
  closing.push(() => void guarded.close())
  const at = await receiver()
  const ann = guarded.user()
  const rt = guarded.services.integrations!.rt
  const post = async (name: string, body: object) =>
    (
      await fetch(`${guarded.url()}/functions/v1/${name}`, {
        method: 'POST',
        headers: { ...ann.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json() as any
  const refused = await post('webhook-endpoint-create', { url: at.url, name: 'x', events: ['crm.lead_created'] })
  expect(refused).toMatchObject({ code: 'webhook_address' })
  const made = await post('webhook-endpoint-create', { url: at.url.replace('http:', 'https:'), name: 'x', events: ['crm.lead_created'] })
  const endpoint_id = made.endpoint.id
  for (const url of [at.url, at.url.replace('127.0.0.1', 'localhost'), at.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')]) {
    await update(rt.db, 'webhook_endpoints', { id: endpoint_id }, { url })
    const { delivery_id } = await post('webhook-ping', { endpoint_id })
    await expect
      .poll(async () => (await post('list-webhook-deliveries', { endpoint_id })).deliveries.find(({ id }: any) => id === delivery_id))
      .toMatchObject({ attempts: 1, status: null, error: 'The address is not public' })
  }
  expect(at.heard).toEqual([])
})

test('a change is put back to what it was, by its owner alone, and one endpoint is shown', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  const { endpoint_id } = await add(ann, 'https://example.com/hook')
  const changed = await call(ann, 'webhook-endpoint-update', { endpoint_id, name: 'other', events: ['crm.lead_created'], paused: true })
  const { before } = changed.body
  expect(before).toEqual({ name: 'mine', events: ['billing.payment_succeeded'], paused: false })
  expect((await call(bob, 'webhook-endpoint-restore', { endpoint_id, before })).status).toBe(404)
  expect((await call(bob, 'show-webhook-endpoint', { endpoint_id })).status).toBe(404)
  const shown = { name: 'other', url: 'https://example.com/hook', state: 'paused', waiting: 0 }
  expect((await call(ann, 'show-webhook-endpoint', { endpoint_id })).body).toEqual(shown)
  expect((await call(ann, 'webhook-endpoint-restore', { endpoint_id, before })).body.endpoint).toMatchObject({
    name: 'mine',
    events: ['billing.payment_succeeded'],
    state: 'active',
  })
})

test('the log is kept for 30 days', async () => {
  const ann = platform.user()
  const at = await receiver()
  const { endpoint_id } = await add(ann, at.url)
  const old = (days: number) => ({
    id: firstIdOf(Date.now() - days * 86_400_000).replace(/0{12}$/, newId().slice(-12)),
    user_id: ann.id,
    endpoint_id,
    message_id: `old-${days}`,
    type: 'x',
    body: '{}',
    state: 'delivered',
  })
  await insert(db, 'webhook_deliveries', [old(29), old(31), old(45)])
  expect(await forgetDeliveries(db, 1)).toBe(2)
  expect(await log(ann, endpoint_id)).toMatchObject([{ message_id: 'old-29' }])
})

test('a person is given their endpoints and log without the secrets, and all of it goes with them', async () => {
  const ann = platform.user()
  const at = await receiver((response) => response.writeHead(500).end())
  const { endpoint_id } = await add(ann, at.url)
  await call(ann, 'webhook-ping', { endpoint_id })
  await expect.poll(() => log(ann, endpoint_id)).toMatchObject([{ attempts: 1 }])
  const rt = platform.services.integrations!.rt
  const part = async (n: number) => rt.ask(exportUser('integrations'), { user_id: ann.id, from: { part: n, after: null } })
  expect(await part(1)).toMatchObject({ name: 'webhook_endpoints', rows: [{ id: endpoint_id, url: at.url }] })
  expect((await part(1)).rows[0]).not.toHaveProperty('sealed_secret')
  expect(await part(2)).toMatchObject({ name: 'webhook_deliveries', rows: [{ endpoint_id }] })
  await platform.emit(userDeleted, ann.id, { version: 2 })
  for (const table of ['webhook_endpoints', 'webhook_deliveries'])
    await expect.poll(() => db.selectFrom(table).select('id').where('user_id', '=', ann.id).execute()).toEqual([])
  expect(await db.selectFrom('lane_items').select('id').where('tenant', '=', ann.id).execute()).toEqual([])
})
