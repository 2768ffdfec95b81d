import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { analyticsadmin } from '@googleapis/analyticsadmin'
import { analyticsdata } from '@googleapis/analyticsdata'
import { Client as HubSpot } from '@hubspot/api-client'
import { Connection } from '@jsforce/jsforce-node'
import { Environment, Client as PayPal, TransactionSearchController } from '@paypal/paypal-server-sdk'
import * as asana from 'asana'
import { ActivityEventType, EmailParams, MailerSend, Sender } from 'mailersend'
import { Retell } from 'retell-sdk'
import { createTrelloClient } from 'trello.js'
import { TwitterApi } from 'twitter-api-v2'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { numberOf, vendorWires } from './grants.ts'

// Each vendor's own SDK, as it comes, with its calls led to the stand-in: what it sends has to be known there, and what comes back it has to read.

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-vendors-'))
const publicUrl = 'http://localhost:9702'
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl, seed: 'vendors' })
const { address, hostname, port } = (({ href, hostname, port }) => ({ address: href.replace(/\/$/, ''), hostname, port }))(
  new URL(sandbox.addresses.apps),
)
const email = 'ada@example.com'
/** Method, host and path of what was sent, and how it was answered. */
const calls: string[] = []

beforeAll(() => {
  const real = globalThis.fetch
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (url.protocol !== 'https:') return real(input, init)
    const body = request.method === 'GET' ? undefined : await request.arrayBuffer()
    const answer = await real(`${address}/${url.host}${url.pathname}${url.search}`, {
      method: request.method,
      headers: request.headers,
      ...(body?.byteLength && { body }),
    })
    calls.push(`${request.method} ${url.host}${url.pathname} ${answer.status}`)
    return answer
  })
  vi.spyOn(https, 'request').mockImplementation(((...given: any[]) => {
    const done = given.find((each) => typeof each === 'function')
    const [first, second] = given
    const url = typeof first === 'string' || first instanceof URL ? new URL(first) : null
    const options = url ? (typeof second === 'object' ? second : {}) : first
    const host = url?.host ?? options.hostname ?? options.host
    const path = url ? url.pathname + url.search : (options.path ?? options.pathname)
    const { method = 'GET', headers } = options
    const request = http.request({ hostname, port, method, headers, path: `/${host}${path}` }, done)
    request.on('response', ({ statusCode }) => void calls.push(`${method} ${host}${path.split('?')[0]} ${statusCode}`))
    return request
  }) as typeof https.request)
})
afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

/** As a person approves and a server exchanges. */
async function tokenOf(vendor: string): Promise<string> {
  const wire = vendorWires[vendor]!
  const redirect_uri = `${publicUrl}/connect/app`
  const approved = await fetch(`${sandbox.addresses.stripe}/sandbox/apps/${wire.authorize}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ client_id: 'operon', redirect_uri, response_type: 'code', decision: 'approve', email, ...challenge }),
  })
  const code = new URL(approved.headers.get('location')!).searchParams.get('code')!
  const given = await fetch(`${address}/${wire.token}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('operon:secret')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: 'verifier' }),
  })
  return ((await given.json()) as { access_token: string }).access_token
}
const challenge = { code_challenge: 'iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ', code_challenge_method: 'S256' }

/** The calls that were made, by the app; each must have been taken. */
async function sent(use: () => Promise<void>): Promise<string[]> {
  calls.length = 0
  await use()
  return calls.map((call) => call.replace(/ (200|201|202)$/, ''))
}

test('Trello', async () => {
  const { members, boards, lists, cards } = createTrelloClient({ apiKey: 'k', apiToken: 'sandbox_1' })
  expect(
    await sent(async () => {
      expect((await members.getMember({ id: 'me', fields: ['username', 'fullName'] })).fullName).toBe('Ada Seller')
      const [board] = await members.getMemberBoards({ id: 'me', filter: 'open', fields: ['name', 'url'] })
      const [list] = await boards.getBoardLists({ id: board!.id, fields: ['name'] })
      const made = await cards.createCard({ idList: list!.id, name: 'Call Lena', desc: 'Today' })
      const found = await lists.getListCards({ id: list!.id })
      expect(found.map(({ id, name, shortUrl }) => [id === made.id, name, shortUrl !== undefined])).toContainEqual([
        true,
        'Call Lena',
        true,
      ])
    }),
  ).toEqual([
    'GET api.trello.com/1/members/me',
    'GET api.trello.com/1/members/me/boards',
    'GET api.trello.com/1/boards/b1/lists',
    'POST api.trello.com/1/cards',
    'GET api.trello.com/1/lists/l1/cards',
  ])
})

test('MailerSend', async () => {
  const { email: mail } = new MailerSend({ apiKey: 'mlsn.sandbox_1' })
  const account = numberOf('1@example.com')
  expect(
    await sent(async () => {
      const { body } = await mail.domain.list({ limit: 10 })
      expect(body.data[0].id).toBe(`dom-${account}`)
      const params = new EmailParams({ to: [{ email: 'maya@example.com' }], subject: 'Hello', text: 'Hi', tags: ['t1'] })
      await mail.send(params.setFrom(new Sender(`me@${account}.example.com`)))
      const since = { date_from: 0, date_to: Math.floor(Date.now() / 1000), limit: 25, page: 1 }
      const told = await mail.activity.domain(`dom-${account}`, { ...since, event: [ActivityEventType.SENT] })
      expect(told.body.data).toMatchObject([{ type: 'sent', email: { tags: ['t1'], recipient: { email: 'maya@example.com' } } }])
    }),
  ).toEqual(['GET api.mailersend.com/v1/domains', 'POST api.mailersend.com/v1/email', `GET api.mailersend.com/v1/activity/dom-${account}`])
})

test('Retell', async () => {
  const retell = new Retell({ apiKey: 'sandbox_1' })
  expect(
    await sent(async () => {
      expect((await retell.agent.list({ limit: 5 })).items[0]!.agent_name).toBe('Reception')
      expect((await retell.call.list({ limit: 5, sort_order: 'descending' })).items[0]!.call_status).toBe('ended')
    }),
  ).toEqual(['POST api.retellai.com/v2/list-agents', 'POST api.retellai.com/v3/list-calls'])
})

test('PayPal', async () => {
  const client = new PayPal({
    clientCredentialsAuthCredentials: { oAuthClientId: 'id', oAuthClientSecret: 'sandbox_1' },
    environment: Environment.Production,
  })
  expect(
    await sent(async () => {
      const asked = { startDate: '2026-11-01T00:00:00Z', endDate: '2026-11-30T00:00:00Z', fields: 'transaction_info', pageSize: 100 }
      const { result } = await new TransactionSearchController(client).searchTransactions(asked)
      expect(result.transactionDetails?.[0]?.transactionInfo).toMatchObject({ transactionAmount: { value: '49.00', currencyCode: 'USD' } })
      expect([result.page, result.totalPages]).toEqual([1, 1])
    }),
  ).toEqual(['POST api-m.paypal.com/v1/oauth2/token', 'GET api-m.paypal.com/v1/reporting/transactions'])
})

test('X', async () => {
  const { v2 } = new TwitterApi(await tokenOf('twitter'))
  const me = numberOf(email)
  expect(
    await sent(async () => {
      expect((await v2.me()).data.id).toBe(me)
      const { data } = await v2.tweet('Open again')
      const posts = await v2.userTimeline(me, { max_results: 5, 'tweet.fields': ['created_at'] })
      expect(posts.tweets.map(({ id }) => id)).toContain(data.id)
      const since = { start_time: '2026-11-01T00:00:00Z', max_results: 5 }
      expect((await v2.userMentionTimeline(me, since)).tweets).toEqual([])
    }),
  ).toEqual([
    'GET api.x.com/2/users/me',
    'POST api.x.com/2/tweets',
    `GET api.x.com/2/users/${me}/tweets`,
    `GET api.x.com/2/users/${me}/mentions`,
  ])
})

test('Asana', async () => {
  asana.ApiClient.instance.authentications.token!.accessToken = await tokenOf('asana')
  const [users, projects, tasks] = [new asana.UsersApi(), new asana.ProjectsApi(), new asana.TasksApi()]
  expect(
    await sent(async () => {
      expect((await users.getUser('me', {})).data.email).toBe(email)
      const [project] = (await projects.getProjects({ limit: 10, opt_fields: 'gid,name,permalink_url' })).data
      const made = await tasks.createTask({ data: { projects: [project.gid], name: 'Call Lena', notes: 'Today' } }, {})
      const asked = { project: project.gid, limit: 50, modified_since: '2026-01-01T00:00:00Z', opt_fields: 'gid,name,created_at' }
      expect((await tasks.getTasks(asked)).data.map(({ gid }: { gid: string }) => gid)).toContain(made.data.gid)
    }),
  ).toEqual([
    'GET app.asana.com/api/1.0/users/me',
    'GET app.asana.com/api/1.0/projects',
    'POST app.asana.com/api/1.0/tasks',
    'GET app.asana.com/api/1.0/tasks',
  ])
})

test('HubSpot', async () => {
  const { crm } = new HubSpot({ accessToken: await tokenOf('hubspot') })
  expect(
    await sent(async () => {
      const made = await crm.contacts.basicApi.create({ properties: { firstname: 'Lena', email: 'lena@example.com' } })
      expect(made.createdAt).toBeInstanceOf(Date)
      const filter = { propertyName: 'lastmodifieddate', operator: 'GTE' as const, value: '0' }
      const found = await crm.contacts.searchApi.doSearch({
        ...{ query: 'lena', limit: 10, properties: ['firstname', 'email'] },
        filterGroups: [{ filters: [filter as never] }],
      })
      expect(found.results.map(({ id }) => id)).toContain(made.id)
      expect((await crm.deals.basicApi.getPage(10, undefined, ['dealname'])).results[0]!.properties.dealname).toBe('Website for Maya')
    }),
  ).toEqual([
    'POST api.hubapi.com/crm/v3/objects/contacts',
    'POST api.hubapi.com/crm/v3/objects/contacts/search',
    'GET api.hubapi.com/crm/v3/objects/deals',
  ])
})

test('Salesforce', async () => {
  // It has a network of its own, so that the instance is the stand-in's address.
  const instanceUrl = `${address}/sandbox.my.salesforce.com`
  const connection = new Connection({ instanceUrl, accessToken: await tokenOf('salesforce'), version: '64.0' })
  const made = await connection.sobject('Contact').create({ FirstName: 'Lena', LastName: 'Novak', Email: 'lena@example.com' })
  expect(made.success).toBe(true)
  const found = await connection.query("select Id, Name, Email from Contact where Name like '%Novak%' limit 5")
  expect(found.records.map(({ Id }) => Id)).toEqual([made.id])
})

test('Google Analytics', async () => {
  const headers = { authorization: `Bearer ${await tokenOf('google')}` }
  expect(
    await sent(async () => {
      const { data } = await analyticsadmin('v1beta').accountSummaries.list({}, { headers })
      const property = data.accountSummaries![0]!.propertySummaries![0]!.property!
      const requestBody = {
        dateRanges: [{ startDate: '7daysAgo', endDate: 'today' }],
        dimensions: [{ name: 'date' }],
        metrics: [{ name: 'activeUsers' }, { name: 'sessions' }],
      }
      const report = await analyticsdata('v1beta').properties.runReport({ property, requestBody }, { headers })
      expect(report.data.rows).toHaveLength(7)
    }),
  ).toEqual([
    'GET analyticsadmin.googleapis.com/v1beta/accountSummaries',
    'POST analyticsdata.googleapis.com/v1beta/properties/123:runReport',
  ])
})
