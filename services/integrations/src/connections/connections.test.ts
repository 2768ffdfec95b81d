import { createHash } from 'node:crypto'
import { userDeleted } from '@operon/contracts/identity/events'
import { connectionChanged } from '@operon/contracts/integrations/events'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestService, type TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'

const platform = await startTestService(integrationsService)
const db: any = platform.services.integrations!.rt.db
afterAll(() => platform.close())

const connect = (user: TestUser, service_name: string) =>
  insert(db, 'user_integrations', { id: newId(), user_id: user.id, service_name, integration_status: 'connected' })

async function call(user: TestUser, query: string, method = 'GET', body?: unknown) {
  const headers = { ...user.headers, ...(body ? { 'content-type': 'application/json' } : {}), prefer: 'return=representation' }
  const response = await fetch(`${platform.url()}/rest/v1/user_integrations?${query}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as any }
}

test('an owner reads and ends connections, which is told once [spec-138] [spec-119]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await Promise.all([connect(ann, 'notion'), connect(ann, 'slack'), connect(bob, 'notion')])
  expect((await call(ann, 'select=service_name&integration_status=eq.connected&order=service_name')).body).toEqual([
    { service_name: 'notion' },
    { service_name: 'slack' },
  ])
  const end = () =>
    call(ann, `user_id=eq.${ann.id}&service_name=eq.notion&select=integration_status`, 'PATCH', { integration_status: 'disconnected' })
  const answers = await Promise.all([end(), end(), end()])
  for (const answer of answers) expect(answer).toEqual({ status: 200, body: [{ integration_status: 'disconnected' }] })
  const outbox = db.selectFrom('outbox').select('payload').where('name', '=', connectionChanged.name)
  expect(await outbox.where('user_id', 'in', [ann.id, bob.id]).execute()).toEqual([
    { payload: { version: 2, service_name: 'notion', status: 'disconnected' } },
  ])
  expect((await call(bob, 'select=integration_status')).body).toEqual([{ integration_status: 'connected' }])
})

test('nobody connects, moves or takes over a row by writing [spec-54]', async () => {
  const [ann, bob] = [platform.user(), platform.user()]
  await connect(bob, 'gmail')
  expect(await call(ann, `user_id=eq.${bob.id}`, 'PATCH', { integration_status: 'disconnected' })).toEqual({ status: 200, body: [] })
  expect(await call(bob, 'service_name=eq.gmail', 'PATCH', { integration_status: 'connected' })).toMatchObject({
    status: 400,
    body: { code: '22P02' },
  })
  expect(await call(bob, 'service_name=eq.gmail', 'PATCH', { user_id: ann.id })).toMatchObject({ status: 400, body: { code: 'PGRST204' } })
  expect(await call(bob, '', 'POST', { service_name: 'slack' })).toMatchObject({ status: 403, body: { code: '42501' } })
  expect((await call(bob, 'select=integration_status')).body).toEqual([{ integration_status: 'connected' }])
})

test('the rows of a deleted person go', async () => {
  const ann = platform.user()
  await connect(ann, 'slack')
  await platform.emit(userDeleted, ann.id, { version: 2 })
  await expect.poll(async () => (await call(ann, '')).body).toEqual([])
})

test('a hundred connections are the most, and those that ended do not count', async () => {
  const ann = platform.user()
  const many = (state: string, count: number) =>
    db
      .insertInto('connections')
      .values(
        Array.from({ length: count }, () => ({ id: newId(), user_id: ann.id, app: 'slack', account_id: newId(), account: 'Acme', state })),
      )
      .execute()
  const begin = async () => {
    const headers = { ...ann.headers, 'content-type': 'application/json' }
    const answer = await fetch(`${platform.url()}/functions/v1/connect-app`, { method: 'POST', headers, body: '{"app":"slack"}' })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  await many('disconnected', 100)
  await many('connected', 99)
  expect(await begin()).toEqual([200, undefined])
  await many('broken', 1)
  expect(await begin()).toEqual([409, 'connection_limit'])
})

test('an app whose vendor the operator has not registered with, where no stand-in plays it, says so and begins nothing', async () => {
  const bare = await startTestService(integrationsService, { PUBLIC_URL: 'https://operon.example' })
  try {
    const ann = bare.user()
    const ask = async (name: string, body: object) => {
      const headers = { ...ann.headers, 'content-type': 'application/json' }
      const response = await fetch(`${bare.url()}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as any }
    }
    const refused = { status: 503, body: { code: 'app_not_set_up', message: 'OAuth not yet implemented for Slack' } }
    expect(await ask('connect-app', { app: 'slack' })).toMatchObject(refused)
    const own = bare.services.integrations!.rt.db as any
    expect(await own.selectFrom('oauth_attempts').select('app').execute()).toEqual([])
    // Begun with the stand-in, which is closed by now.
    const state = 'a-state-that-was-given-out-before'
    const attempt = { user_id: ann.id, app: 'slack', sandbox: true, expires_at: new Date(Date.now() + 60_000) }
    await insert(own, 'oauth_attempts', { ...attempt, state_hash: createHash('sha256').update(state).digest('base64url') })
    expect(await ask('finish-connection', { state, code: 'a-code' })).toMatchObject(refused)
  } finally {
    await bare.close()
  }
})
