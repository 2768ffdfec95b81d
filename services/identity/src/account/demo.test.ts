import { countPeople, demoCreated, sweepDemos } from '@operon/contracts/identity/events'
import { update } from '@operon/kit/testing/rows'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test } from 'vitest'
import { type IdentityTest, startIdentity } from '../testing/platform.ts'

const own = await startIdentity({ DEMO_ACCOUNTS: 'true', LIMIT_DEMOS_PER_HOUR: '6', LIMIT_DEMOS_OPEN: '4' })
const open = await startIdentity({ DEMO_ACCOUNTS: 'on', AUTH_AUTOCONFIRM: 'false', PUBLIC_URL: 'https://operon.example' })
afterAll(() => Promise.all([own.close(), open.close()]))

async function demoAt(platform: IdentityTest, portal: 'seller' | 'buyer' = 'seller') {
  const client = platform.client()
  const { data, error } = await client.functions.invoke('demo-sign-in', { body: { portal } })
  if (error) throw error
  await client.auth.setSession(data)
  const call = (method: string, path: string, body?: unknown) =>
    fetch(platform.base + path, {
      method,
      headers: { apikey: 'anon', authorization: `Bearer ${data.access_token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const claims = JSON.parse(Buffer.from(data.access_token.split('.')[1], 'base64url').toString())
  return { client, id: data.user.id as string, session: data, claims, call }
}
const rowOf = ({ services }: IdentityTest, id: string) =>
  services.identity!.rt.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const codeOf = async (answer: Response) => {
  const body = (await answer.json()) as { code?: string | number; error_code?: string }
  return { status: answer.status, code: body.error_code ?? body.code }
}

test('each visitor gets a demo of their own, without an address or a password, which says when it ends and counts as nobody', async () => {
  const people = async () => (await own.services.identity!.rt.ask(countPeople, {})).people
  const before = await people()
  const [ann, bob] = [await demoAt(own), await demoAt(own, 'buyer')]
  expect(ann.id).not.toBe(bob.id)
  const row = await rowOf(own, ann.id)
  expect(row).toMatchObject({ email: null, phone: null, password_hash: null, email_proven: false })
  expect(ann.claims.app_metadata.demo).toEqual({ ends_at: row.demo_ends_at.toISOString(), reads_only: false })
  expect(row.demo_ends_at.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect((await ann.client.from('user_roles').select('role').single()).data).toEqual({ role: 'seller' })
  const told = await own.services
    .identity!.rt.db.selectFrom('outbox')
    .selectAll()
    .where('name', '=', demoCreated.name)
    .where('user_id', '=', ann.id)
    .execute()
  expect(told).toMatchObject([{ payload: { portal: 'seller', ends_at: row.demo_ends_at.toISOString() } }])
  expect(await people()).toBe(before)
})

test('a demo takes no password, address, factor, provider or export, where it may write as well', async () => {
  const { call } = await demoAt(own)
  const refused = [
    await call('PUT', '/auth/v1/user', { password: 'Tr1cky-horse-battery' }),
    await call('PUT', '/auth/v1/user', { email: 'mine@example.com' }),
    await call('POST', '/auth/v1/factors', { factor_type: 'totp' }),
    await call('GET', '/auth/v1/user/identities/authorize?provider=google'),
    await call('POST', '/functions/v1/table-sync', { tableName: 'sign up', data: {} }),
    await call('POST', '/functions/v1/account-recovery-codes', {}),
    await call('POST', '/functions/v1/account-export', {}),
  ]
  for (const answer of refused) expect(await codeOf(answer), answer.url).toMatchObject({ status: 403, code: 'demo_never' })
})

test('the demo that ends first makes room, an address opens only so many, and a day later the account is erased', async () => {
  const { rt } = own.services.identity!
  const left = () => rt.db.selectFrom('users').select('id').where('demo_ends_at', 'is not', null).orderBy('demo_ends_at').execute()
  const first = (await left())[0]!.id
  const [third, fourth] = [await demoAt(own), await demoAt(own)]
  const now = (await left()).map(({ id }: { id: string }) => id)
  expect(now).toHaveLength(4)
  expect(now).not.toContain(first)
  expect((await rowOf(own, first)).deleted_at).not.toBeNull()
  expect((await demoAt(own)).id).toBeDefined()
  const refusal = await fetch(`${own.base}/functions/v1/demo-sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ portal: 'seller' }),
  })
  expect(refusal.status).toBe(429)

  await update(rt.db, 'users', { id: fourth.id }, { demo_ends_at: new Date(Date.now() - 1000) })
  await inTransaction(rt.db, (trx) => enqueue(trx, sweepDemos, {}))
  await expect.poll(async () => (await rowOf(own, fourth.id)).deleted_at, { timeout: 10_000 }).not.toBeNull()
  expect((await rowOf(own, third.id)).deleted_at).toBeNull()
  const told = await rt.db
    .selectFrom('outbox')
    .select('id')
    .where('name', '=', 'identity.user_deleted')
    .where('user_id', '=', fourth.id)
    .execute()
  expect(told).toHaveLength(1)
})

test('where real people come a demo only reads: every change is refused with a way to an account, and signing out works', async () => {
  const { claims, call, id } = await demoAt(open)
  expect(claims.app_metadata.demo.reads_only).toBe(true)
  expect((await call('GET', '/auth/v1/user')).status).toBe(200)
  expect((await call('POST', '/functions/v1/account-sessions', {})).status).toBe(200)
  const before = await rowOf(open, id)
  for (const [method, path, body] of [
    ['PUT', '/auth/v1/user', { data: { name: 'Else' } }],
    ['POST', '/functions/v1/account-session-revoke', { session_id: id }],
    ['POST', '/functions/v1/account-delete', {}],
    ['POST', '/rest/v1/user_roles', { user_id: id, role: 'buyer' }],
    ['GET', '/auth/v1/reauthenticate', undefined],
    ['POST', '/functions/v1/demo-sign-in', { portal: 'seller' }],
  ] as const) {
    const answer = await call(method, path, body)
    const text = await answer.clone().text()
    expect(answer.status, path).toBe(403)
    expect(text, path).toContain('This is a demo. Create an account to keep what you make.')
  }
  expect(await rowOf(open, id)).toEqual(before)
  expect((await call('POST', '/auth/v1/logout')).status).toBe(204)
})

test('without the setting there is no demo', async () => {
  const none = await startIdentity({ DEMO_ACCOUNTS: 'false' })
  try {
    const { error } = await none.client().functions.invoke('demo-sign-in', { body: { portal: 'seller' } })
    expect(error?.context.status).toBe(404)
    expect(await none.services.identity!.rt.db.selectFrom('users').select('id').execute()).toEqual([])
  } finally {
    await none.close()
  }
})
