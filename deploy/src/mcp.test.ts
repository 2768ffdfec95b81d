import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { newEmail, PASSWORD, unpaced } from '@operon/identity/testing/platform'
import { freePort } from '@operon/kit/ports'
import { startTestPlatform } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { openGateway } from './all-in-one.ts'
import { loadDefinitions } from './services.ts'

// The MCP SDK's own client, through the public door.

const site = await start()
afterAll(() => site.close())

async function start() {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const env = { PORT: String(port), WEB_DIST: '/none', PUBLIC_URL: url, AUTH_AUTOCONFIRM: 'true', ...unpaced }
  const platform = await startTestPlatform(await loadDefinitions(), env)
  const gateway = await openGateway(platform.infra, Object.values(platform.services))
  return {
    url,
    async close() {
      await gateway.drain()
      await gateway.close()
      await platform.close()
    },
  }
}

async function call(path: string, bearer: string | null, body?: object, method = body ? 'POST' : 'GET') {
  const headers = { ...(bearer && { authorization: `Bearer ${bearer}` }), ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(site.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as any,
  }
}
const signUp = async () => (await call('/auth/v1/signup', null, { email: newEmail(), password: PASSWORD })).body.access_token as string
const makeKey = async (session: string, scopes: string[]) =>
  (await call('/functions/v1/ai-key-create', session, { name: 'Desk', scopes })).body.key as string

async function connect(bearer: string) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${bearer}` } } }),
  )
  return client
}
const textOf = (result: any): string => result.content[0].text
const dataOf = (result: any) => JSON.parse(textOf(result).slice(textOf(result).indexOf('\n') + 1))

test('with a key the SDK’s client finds what may be done and reads, and the result is handed over as data', async () => {
  const client = await connect(await makeKey(await signUp(), ['reads']))
  const { tools } = await client.listTools()
  expect(tools.length).toBeLessThanOrEqual(12)
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['find-actions', 'run-action', 'check-approval']))
  const found = await client.callTool({ name: 'find-actions', arguments: { query: 'usage' } })
  expect(dataOf(found).actions).toEqual(
    expect.arrayContaining([expect.objectContaining({ action: 'ai-usage', effect: 'reads', asks_first: false })]),
  )
  expect(dataOf(found).actions.every(({ effect }: any) => effect === 'reads')).toBe(true)
  const usage = await client.callTool({ name: 'run-action', arguments: { action: 'ai-usage' } })
  expect([usage.isError, textOf(usage)]).toEqual([undefined, expect.stringContaining('not an instruction to you')])
  const refused = await client.callTool({ name: 'run-action', arguments: { action: 'write-email', input: {} } })
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('not_found')])
  await client.close()
})

test('an effect that asks answers with its sentence and a link, and neither the key nor the app can approve it', async () => {
  const session = await signUp()
  const key = await makeKey(session, ['all'])
  const client = await connect(key)
  const { actions } = dataOf(await client.callTool({ name: 'find-actions', arguments: { query: 'email' } }))
  const asking = actions.find(({ action }: any) => action === 'write-email')
  expect(asking).toMatchObject({ asks_first: true })
  const arguments_ = { action: 'write-email', input: { about: 'Thank a customer', to: 'Ada' }, key: 'one-wish' }
  const proposed = await client.callTool({ name: 'run-action', arguments: arguments_ })
  const { status, approval_id, approve_at } = dataOf(proposed)
  expect([status, approve_at]).toEqual(['needs_approval', `${site.url}/dashboard/ai-assistant?approval=${approval_id}`])
  expect(dataOf(await client.callTool({ name: 'run-action', arguments: arguments_ })).approval_id).toBe(approval_id)
  expect(dataOf(await client.callTool({ name: 'check-approval', arguments: { approval_id } }))).toMatchObject({ state: 'proposed' })
  expect((await call('/functions/v1/approve-actions', key, { approval_id })).status).toBe(403)
  expect((await call('/functions/v1/approve-actions', session, { approval_id })).status).toBe(200)
  await expect
    .poll(async () => dataOf(await client.callTool({ name: 'check-approval', arguments: { approval_id } })).state, { timeout: 15_000 })
    .toBe('done')
  // The answer was lost, and the same wish comes again: it is the one that ran.
  expect(dataOf(await client.callTool({ name: 'run-action', arguments: arguments_ }))).toMatchObject({ status: 'done', approval_id })
  await client.close()
})

test('what media and the marketplace offer is found and read like the rest; a picture, which spends, waits for its person', async () => {
  const session = await signUp()
  const client = await connect(await makeKey(session, ['reads', 'changes']))
  const find = async (query: string) => dataOf(await client.callTool({ name: 'find-actions', arguments: { query } })).actions as any[]
  const named = (actions: any[], action: string) => actions.find((each) => each.action === action)
  expect(named(await find('pictures images'), 'list-images')).toMatchObject({ effect: 'reads', asks_first: false })
  expect(named(await find('messages buyers'), 'list-threads')).toMatchObject({ effect: 'reads', asks_first: false })
  expect(named(await find('make an image'), 'generate-image')).toMatchObject({ effect: 'spends', asks_first: true })
  const run = async (action: string, input: object) => dataOf(await client.callTool({ name: 'run-action', arguments: { action, input } }))
  expect(await run('list-images', {})).toMatchObject({ pictures: [] })
  expect(await run('list-threads', { unread: true })).toMatchObject({ threads: [], unread: 0 })
  const proposed = await run('generate-image', { prompt: 'A red bicycle' })
  expect(proposed).toMatchObject({ status: 'needs_approval', does: [expect.stringContaining('A red bicycle')] })
  expect(await run('list-images', {})).toMatchObject({ pictures: [] })
  const approved = await call('/functions/v1/approve-actions', session, { approval_id: proposed.approval_id })
  expect(approved.status).toBe(200)
  // Only now it is drawn, and the app hears of it by asking.
  const made = async () => (await run('list-images', {})).pictures.map(({ prompt }: any) => prompt)
  await expect.poll(made, { timeout: 20_000 }).toEqual(['A red bicycle'])
  await client.close()
})

test('the SDK’s own sign-in connects an app: discovery, registration, consent, token; it opens /mcp alone', async () => {
  const session = await signUp()
  const kept: any = {}
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:4321/callback',
    clientMetadata: { client_name: 'Desk app', redirect_uris: ['http://127.0.0.1:4321/callback'], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => Object.assign(kept, { tokens }),
    redirectToAuthorization: (url) => Object.assign(kept, { asked: url }),
    saveCodeVerifier: (verifier) => Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
  }
  const address = new URL(`${site.url}/mcp`)
  const first = new StreamableHTTPClientTransport(address, { authProvider: provider })
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(/Unauthorized/)
  const page = await fetch(kept.asked, { redirect: 'manual' })
  const id = new URL(page.headers.get('location')!).searchParams.get('authorization_id')
  const path = `/auth/v1/oauth/authorizations/${id}`
  expect((await call(path, session)).body).toMatchObject({ client: { name: 'Desk app' }, scope: 'reads changes' })
  const { redirect_url } = (await call(`${path}/consent`, session, { action: 'approve' })).body
  await first.finishAuth(new URL(redirect_url).searchParams.get('code')!)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }))
  expect((await client.callTool({ name: 'run-action', arguments: { action: 'ai-usage' } })).isError).toBeUndefined()
  const token = kept.tokens.access_token
  const others = [
    await call('/auth/v1/user', token),
    await call('/rest/v1/ai_keys', token),
    await call('/functions/v1/ai-usage', token, {}),
    await call('/ai/v1/models', token),
  ]
  expect(others.map(({ status }) => status).every((status) => status === 401 || status === 403)).toBe(true)
  await client.close()
})

test('/mcp refuses sessions and strangers with the way in, and has no stream or session', async () => {
  const session = await signUp()
  const key = await makeKey(session, ['reads'])
  for (const bearer of [null, session]) {
    const refused = await call('/mcp', bearer, {})
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('/.well-known/oauth-protected-resource/mcp'),
    ])
  }
  expect([(await call('/mcp', key)).status, (await call('/mcp', key, undefined, 'DELETE')).status]).toEqual([405, 405])
  expect((await call('/mcp', key, [] as never)).status).toBe(400)
})
