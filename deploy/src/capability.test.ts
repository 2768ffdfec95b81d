import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { aiGatewayService } from '@operon/ai-gateway/service'
import { analyticsService } from '@operon/analytics/service'
import type { CallArgs, CallReply } from '@operon/contracts/calls'
import { countContacts } from '@operon/contracts/crm/api'
import { paletteOf } from '@operon/contracts/palette'
import { capabilitiesOf } from '@operon/contracts/registry'
import { crmService } from '@operon/crm/service'
import { identityService } from '@operon/identity/service'
import { actorOf } from '@operon/kit/context'
import { newId } from '@operon/kit/ids'
import { freePort } from '@operon/kit/ports'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { openGateway } from './all-in-one.ts'

// The capability that the README adds, by every way that leads to it. Nothing but its contract, its function and its route line names it.

const port = await freePort()
const url = `http://localhost:${port}`
const env = { PORT: String(port), PUBLIC_URL: url, WEB_DIST: '/none', AUTH_AUTOCONFIRM: 'true', SANDBOX_MODEL_PACE_MS: '0' }
const platform = await startTestPlatform([identityService, crmService, analyticsService, aiGatewayService, sandboxService], env)
const gateway = await openGateway(platform.infra, Object.values(platform.services))
afterAll(async () => {
  await gateway.drain()
  await gateway.close()
  await platform.close()
})

async function signUp() {
  const response = await fetch(`${url}/auth/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: 'anon' },
    body: JSON.stringify({ email: `${newId()}@example.com`, password: 'Tr1cky-horse-battery' }),
  })
  const { access_token, user } = (await response.json()) as { access_token: string; user: { id: string } }
  return { id: user.id, token: access_token }
}
const addContacts = (userId: string, emails: (string | null)[]) =>
  (platform.services.crm!.rt.db as any)
    .insertInto('leads')
    .values(
      emails.map((email, n) => ({
        id: newId(),
        user_id: userId,
        name: `Lead ${n}`,
        email,
        created_at: new Date(Date.UTC(2026, 0, n + 1)),
      })),
    )
    .execute()

/** As the web app calls it: by its name, typed by the contract. */
const call = async (
  token: string | null,
  args: CallArgs<'count-contacts'> = {},
): Promise<{ status: number; body: CallReply<'count-contacts'> }> => {
  const response = await fetch(`${url}${countContacts.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: 'anon', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(args),
  })
  return { status: response.status, body: (await response.json()) as CallReply<'count-contacts'> }
}
const text = async (path: string) => (await fetch(url + path)).text()

test('one contract, every caller: the screen, the assistant in each of its places, a key, an MCP client, the palette and the reference', async () => {
  const ann = await signUp()
  await addContacts(ann.id, ['a@example.com', null])
  const figures = { contacts: 2, with_email: 1, newest_at: '2026-01-02T00:00:00.000Z' }
  const post = async (name: string, bearer: string, body: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` }
    return (await (await fetch(`${url}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as any
  }
  expect((await call(ann.token)).body).toEqual(figures)

  const asked = { message: 'Count my contacts, please', conversation_id: 'new' }
  const answers = [
    await post('ai-orchestrator', ann.token, asked),
    ...(await Promise.all(['chat', 'assistant', 'lab'].map((feature) => post('ai-chat', ann.token, { ...asked, feature, tools: true })))),
  ]
  for (const { evidence, approval } of answers)
    expect([evidence, approval]).toEqual([[expect.objectContaining({ action: 'count-contacts', rows: [figures] })], null])

  const { key } = await post('ai-key-create', ann.token, { name: 'a program', scopes: ['do:count-contacts'] })
  expect((await call(key)).body).toEqual(figures)
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('count-contacts')
  const result: any = await client.callTool({ name: 'count-contacts', arguments: {} })
  expect(JSON.parse(result.content[0].text.split('\n').slice(1).join('\n'))).toEqual(figures)
  await client.close()

  expect(paletteOf().map(({ type }) => type)).toContain('do.count-contacts')
  expect(await text('/docs')).toContain(`curl ${url}/functions/v1/count-contacts`)
})

test('a screen and a program get the figures of their own account, and nobody else does', async () => {
  const [ann, bob] = [await signUp(), await signUp()]
  await addContacts(ann.id, ['a@example.com', null, 'c@example.com'])
  await addContacts(bob.id, [null])
  expect(await call(ann.token)).toEqual({ status: 200, body: { contacts: 3, with_email: 2, newest_at: '2026-01-03T00:00:00.000Z' } })
  expect(await call(bob.token)).toMatchObject({ status: 200, body: { contacts: 1, with_email: 0 } })
  expect(await call((await signUp()).token)).toEqual({ status: 200, body: { contacts: 0, with_email: 0, newest_at: null } })
  expect((await call(null)).status).toBe(401)
})

test('a program calls it with a key that was made for it, and with no other', async () => {
  const ann = await signUp()
  await addContacts(ann.id, ['a@example.com', null])
  const newKey = async (scopes: string[]) => {
    const response = await fetch(`${url}/functions/v1/ai-key-create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${ann.token}` },
      body: JSON.stringify({ name: 'a program', scopes }),
    })
    return ((await response.json()) as { key: string }).key
  }
  for (const scope of ['do:count-contacts', 'reads', 'all'])
    expect(await call(await newKey([scope])), scope).toMatchObject({ status: 200, body: { contacts: 2, with_email: 1 } })
  for (const scope of ['chat', 'do:list-payments', 'changes'])
    expect(await call(await newKey([scope])), scope).toMatchObject({ status: 403, body: { code: 'key_scope' } })
})

test('another service runs it for a person, under that person’s rights and their grant', async () => {
  const [userId, grantId] = [newId(), newId()]
  await addContacts(userId, ['a@example.com'])
  const asking = platform.services.analytics!.rt
  const grant = { id: grantId, userId, actions: ['count-contacts'], until: null }
  expect(await asking.call(countContacts, {}, { actor: actorOf(grant), grant })).toMatchObject({ contacts: 1, with_email: 1 })
  const other = { ...grant, actions: ['list-payments'] }
  await expect(asking.call(countContacts, {}, { actor: actorOf(other), grant: other })).rejects.toMatchObject({ code: 'forbidden' })
})

test('assistants find it with its schemas, its reason and its evidence', () => {
  const [found, ...more] = capabilitiesOf().filter(({ name }) => name === 'count-contacts')
  expect(more).toEqual([])
  expect(found).toMatchObject({ service: 'crm', title: 'Count contacts', effect: 'reads', input: { type: 'object' } })
  expect(found!.when).toContain('how many contacts')
  expect(Object.keys(found!.contract.action.evidence!.columns)).toEqual(Object.keys(countContacts.reply.shape))
})

test('the workflow builder offers it as a step, with what the next step can use', () => {
  expect(paletteOf().find(({ type }) => type === 'do.count-contacts')).toMatchObject({
    title: 'Count contacts',
    outputs: [
      { path: 'contacts', type: 'integer' },
      { path: 'with_email', type: 'integer' },
      { path: 'newest_at', type: 'string' },
    ],
  })
})

test('the reference describes it: page, curl and OpenAPI document', async () => {
  const docs = await text('/docs')
  expect(docs).toContain('<article id="count-contacts"')
  expect(docs).toContain(`curl ${url}/functions/v1/count-contacts`)
  const { paths } = JSON.parse(await text('/openapi.json'))
  expect(paths[countContacts.path].post).toMatchObject({ tags: ['crm'], summary: countContacts.summary, 'x-access': 'user' })
})
