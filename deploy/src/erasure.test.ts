import { randomUUID } from 'node:crypto'
import { handOver } from '@operon/ai-gateway/keys/older'
import type { Erased } from '@operon/contracts/erasure'
import { newId } from '@operon/kit/ids'
import { hashOfKey } from '@operon/kit/keys'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { loadDefinitions } from './services.ts'

const platform = await startTestPlatform(await loadDefinitions(), { AUTH_AUTOCONFIRM: 'true' })
afterAll(() => platform.close())

const PASSWORD = 'Tr1cky-horse-battery'
const SERVICE_KEY = 'test-service-key-0123456789'
/** A name that nobody else has, and in no other try of this test. */
const newName = (first: string) => `${first}${randomUUID().slice(0, 8)}`
const dbOf = (service: string) => platform.services[service]!.rt.db as any

async function call(path: string, body: object, bearer?: string): Promise<any> {
  const response = await fetch(platform.url('identity') + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
const erasures = async (input: object = {}) => (await call('/functions/v1/account-erasures', input, SERVICE_KEY)).body

// Waiting messages and finished jobs go by themselves within days; everything else must be clean at once.
const PASSING = /^(outbox|inbox|bullmq.*|job.*)$/

/** Where in a service's own tables a word still stands. */
async function tablesWith(service: string, word: string): Promise<string[]> {
  const db = dbOf(service)
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const found: string[] = []
  for (const { name } of rows.filter((table) => !PASSING.test(table.name))) {
    const hit = await sql`select 1 from ${sql.table(name)} as t where t::text ilike ${`%${word}%`} limit 1`.execute(db)
    if (hit.rows.length) found.push(`${service}.${name}`)
  }
  return found
}

const allTablesWith = async (word: string) =>
  (await Promise.all(Object.keys(platform.services).map((service) => tablesWith(service, word)))).flat()

/** Everything that the services other than identity tell a person about themselves. */
const exported = async (token: string) => (await call('/functions/v1/account-export', {}, token)).body.services

test('an export names every table that knows the person, and is refused whole while a service is down', { timeout: 60_000 }, async () => {
  const email = `${newName('ada')}@example.com`
  const { access_token: token, user } = (
    await call('/auth/v1/signup', { email, password: PASSWORD, data: { name: 'Ada Export', accept_terms: true } })
  ).body
  await call('/functions/v1/table-sync', { tableName: 'sign up', data: {} }, token)
  await dbOf('ai-gateway')
    .insertInto('ai_keys')
    .values({ id: newId(), user_id: user.id, name: 'mine', prefix: 'op_1', hash: `the-hash-${user.id}`, scopes: ['chat'] })
    .execute()
  await expect
    .poll(() => tablesWith('crm', user.id), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['crm.people', 'crm.sign_up_records']))
  await expect
    .poll(() => tablesWith('analytics', user.id), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['analytics.notifications']))
  await expect.poll(() => tablesWith('billing', user.id), { timeout: 20_000 }).toContain('billing.accounts')
  const known = (await allTablesWith(user.id)).filter((name) => !name.startsWith('identity.') && !name.startsWith('sandbox.'))
  const services = await exported(token)
  const told = Object.entries(services).flatMap(([service, parts]) =>
    Object.entries(parts as Record<string, unknown[]>).flatMap(([name, rows]) => (rows.length ? [`${service}.${name}`] : [])),
  )
  expect(told).toEqual(expect.arrayContaining(known))
  expect(services['ai-gateway'].ai_keys).toMatchObject([{ name: 'mine' }])
  expect(JSON.stringify(services)).not.toContain('the-hash')

  const { rt } = platform.services.crm!
  await dbOf('crm').schema.alterTable('people').renameTo('people_away').execute()
  const refused = await call('/functions/v1/account-export', {}, token).finally(() =>
    dbOf('crm').schema.alterTable('people_away').renameTo('people').execute(),
  )
  expect(refused).toMatchObject({ status: 503, body: { code: 'export_unavailable', details: { service: rt.name } } })
  expect(refused.body.detail).toMatch(/Nothing was exported; try again in a few minutes/)
  expect((await exported(token)).crm.people).toHaveLength(1)
})

test('a deleted account is erased by every service, which says what went and what the law keeps', { timeout: 60_000 }, async () => {
  const name = newName('Erasmus')
  const email = `${name.toLowerCase()}@example.com`
  const signedUp = await call('/auth/v1/signup', { email, password: PASSWORD, data: { name, accept_terms: true } })
  const { access_token: token, user } = signedUp.body
  const signUp = { tableName: 'sign up', data: { name, accept_terms: true } }
  expect((await call('/functions/v1/table-sync', signUp, token)).status).toBe(200)
  await expect
    .poll(() => tablesWith('crm', email), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(['crm.people', 'crm.sign_up_records']))
  await expect.poll(() => tablesWith('billing', email), { timeout: 20_000 }).toContain('billing.accounts')
  await expect.poll(() => tablesWith('analytics', user.id), { timeout: 20_000 }).toContain('analytics.notifications')
  await dbOf('ai-gateway')
    .insertInto('ai_prompts')
    .values({ id: newId(), user_id: user.id, title: 'mine', body: `ask ${email}` })
    .execute()
  await dbOf('integrations')
    .insertInto('user_integrations')
    .values({ id: newId(), user_id: user.id, service_name: 'slack', integration_status: 'connected' })
    .execute()
  await dbOf('marketplace')
    .insertInto('items')
    .values({ id: newId(), user_id: user.id, title: email, category: 'c', price_cents: 1, item_type: 't' })
    .execute()

  expect(await call('/functions/v1/account-delete', {}, token)).toMatchObject({ status: 200, body: { deleted: true } })

  await expect.poll(async () => (await erasures({ user_id: user.id, only: 'open' })).erasures, { timeout: 40_000 }).toEqual([])
  const told = await erasures({ user_id: user.id })
  const reports: Record<string, Erased> = Object.fromEntries(told.erasures.map((each: any) => [each.service, each.report]))
  expect(reports).toMatchObject({
    crm: { deleted: { people: 1, sign_up_records: 1 } },
    'ai-gateway': { deleted: { ai_prompts: 1 } },
    integrations: { deleted: { user_integrations: 1 } },
    marketplace: { deleted: { items: 1 } },
    analytics: { deleted: { notifications: 3 } },
    billing: { anonymised: { accounts: 1 }, kept: { ledger_entries: expect.stringContaining('Accounting law') } },
  })
  expect(told).toMatchObject({ open: 0, overdue: 0 })
  expect([await allTablesWith(email), await allTablesWith(name)]).toEqual([[], []])
})

test('who may see what is still to be erased: staff and service keys, nobody else', async () => {
  const { body } = await call('/auth/v1/signup', { email: `${newName('curious')}@example.com`, password: PASSWORD })
  expect((await call('/functions/v1/account-erasures', {}, body.access_token)).status).toBe(403)
  expect((await call('/functions/v1/account-erasures', {})).status).toBe(401)
})

test('a key from before identity kept keys works at once, is taken over with its owner’s name for it, and ends by identity', {
  timeout: 60_000,
}, async () => {
  const { access_token: token, user } = (
    await call('/auth/v1/signup', {
      email: `${newName('olga')}@example.com`,
      password: PASSWORD,
      data: { name: 'Olga', accept_terms: true },
    })
  ).body
  const key = `opk_${randomUUID()}`
  const id = newId()
  const older = { id, user_id: user.id, name: 'Older', prefix: key.slice(0, 12), hash: hashOfKey(key), scopes: ['chat', 'models'] }
  await dbOf('ai-gateway').insertInto('ai_keys').values(older).execute()
  const models = async () =>
    (await fetch(`${platform.url('ai-gateway')}/ai/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await models()).toBe(200)
  await handOver(platform.services['ai-gateway']!.rt as never)
  expect(await dbOf('identity').selectFrom('ai_keys').selectAll().where('id', '=', id).execute()).toMatchObject([
    { ...older, revoked_at: null },
  ])
  expect(await models()).toBe(200)

  expect((await call('/functions/v1/ai-key-revoke', { key_id: id }, token)).body).toEqual({ revoked: true })
  expect(await models()).toBe(401)
  // An instance of the version before revokes its own copy; that is told later.
  const second = { ...older, id: newId(), hash: hashOfKey(`${key}2`) }
  await dbOf('ai-gateway').insertInto('ai_keys').values(second).execute()
  await handOver(platform.services['ai-gateway']!.rt as never)
  await dbOf('ai-gateway').updateTable('ai_keys').set({ revoked_at: new Date() }).where('id', '=', second.id).execute()
  await handOver(platform.services['ai-gateway']!.rt as never)
  expect(await dbOf('identity').selectFrom('ai_keys').select('revoked_at').where('id', '=', second.id).execute()).toEqual([
    { revoked_at: expect.any(Date) },
  ])
})
