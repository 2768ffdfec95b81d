import { analyticsadmin } from '@googleapis/analyticsadmin'
import { analyticsdata } from '@googleapis/analyticsdata'
import { gmail } from '@googleapis/gmail'
import { Client as HubSpot } from '@hubspot/api-client'
import { Connection } from '@jsforce/jsforce-node'
import { Environment, Client as PayPal, TransactionSearchController } from '@paypal/paypal-server-sdk'
import * as asana from 'asana'
import { ActivityEventType, EmailParams, MailerSend, Sender } from 'mailersend'
import { Retell } from 'retell-sdk'
import Stripe from 'stripe'
import { createTrelloClient } from 'trello.js'
import { TwitterApi } from 'twitter-api-v2'
import { expect, test } from 'vitest'
import { numberOf } from './grants.ts'
import { startVendors } from './testing.ts'

const { address, email, sandbox, sent, tokenOf } = await startVendors()

// Each vendor's own SDK, as it comes, with its calls led to the stand-in: what it sends has to be known there, and what comes back it has to read.

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

test('Stripe', async () => {
  const stripe = new Stripe('rk_test_sandbox_1', { httpClient: Stripe.createFetchHttpClient() })
  expect(
    await sent(async () => {
      expect((await stripe.accounts.retrieveCurrent()).email).toBeTruthy()
      const { data: charges } = await stripe.charges.list({ limit: 5, created: { gte: Math.floor(Date.now() / 1000) - 86_400 } })
      expect(charges).toMatchObject([{ object: 'charge', amount: 4900, currency: 'usd', status: 'succeeded' }])
      const made = await stripe.customers.create({ name: 'Lena Vogt', email: 'lena@example.com', description: 'From the form' })
      const { data: found } = await stripe.customers.list({ email: 'lena@example.com' })
      expect(found).toMatchObject([{ id: made.id, object: 'customer', name: 'Lena Vogt' }])
    }),
  ).toEqual([
    'GET api.stripe.com/v1/account',
    'GET api.stripe.com/v1/charges',
    'POST api.stripe.com/v1/customers',
    'GET api.stripe.com/v1/customers',
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

test('Gmail', async () => {
  const headers = { authorization: `Bearer ${await tokenOf('google')}` }
  const { messages } = gmail('v1').users
  const happened = new URLSearchParams({
    app: 'gmail',
    email,
    from: 'Ann Poe <ann@x.example>',
    subject: 'A plan',
    at: '2026-10-01T09:00:00Z',
  })
  await fetch(`${sandbox.addresses.stripe}/sandbox/apps/happen`, { method: 'POST', redirect: 'manual', body: happened })
  expect(
    await sent(async () => {
      const found = await messages.list(
        { userId: 'me', q: '{from:"ann@x.example" to:"ann@x.example"} -in:drafts', maxResults: 5 },
        { headers },
      )
      expect(found.data.messages).toHaveLength(1)
      const read = await messages.get({ userId: 'me', id: found.data.messages![0]!.id!, format: 'metadata' }, { headers })
      expect(read.data.payload!.headers).toContainEqual({ name: 'From', value: 'Ann Poe <ann@x.example>' })
      expect((await messages.list({ userId: 'me', q: '{from:"nobody@x.example"}' }, { headers })).data.messages).toEqual([])
    }),
  ).toHaveLength(3)
})
