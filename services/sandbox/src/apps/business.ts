import type {
  CollectionResponseSimplePublicObjectWithAssociationsForwardPaging,
  CollectionResponseWithTotalSimplePublicObjectForwardPaging,
  SimplePublicObject,
} from '@hubspot/api-client/lib/codegen/crm/contacts/models/all.js'
import type { QueryResult, SaveResult } from '@jsforce/jsforce-node'
import type { UserInfoResponse } from 'oauth4webapi'
import type { TweetV2, TweetV2PostTweetResult, Tweetv2TimelineResult, UserV2Result } from 'twitter-api-v2'
import { numberOf } from './grants.ts'
import { type ApiCall, Bare, contacts, has, iso, kept, limited, madeAt, mailOf, type OnWire, type Operation, pageOf } from './operation.ts'

type HubContact = OnWire<SimplePublicObject>
const hub = 'api.hubapi.com'
const hubspotContact = (id: string, name: string, email: string): HubContact => ({
  id,
  properties: { firstname: name.split(' ')[0]!, lastname: name.split(' ').slice(1).join(' '), email },
  createdAt: iso(-9000),
  updatedAt: iso(-100),
})
const tweet = (id: string, text: string, created_at: string): TweetV2 => ({ id, text, created_at, edit_history_tweet_ids: [id] })
/** Without a result it leaves the list out. */
function tweets(all: TweetV2[], call: ApiCall): Partial<Tweetv2TimelineResult> {
  const data = limited(all, call, 'max_results')
  const ends = data.length && { newest_id: data[0]!.id, oldest_id: data.at(-1)!.id }
  return { ...(data.length && { data }), meta: { result_count: data.length, ...ends } } as Partial<Tweetv2TimelineResult>
}

export const business: Operation[] = [
  {
    at: `GET ${hub}/account-info/v3/details`,
    answer: ({ grant }) => ({ portalId: Number(numberOf(grant.email)), uiDomain: 'app.hubspot.com', timeZone: 'UTC' }),
  },
  {
    at: `POST ${hub}/crm/v3/objects/contacts/search`,
    body: ['query', 'limit', 'properties', 'after', 'filterGroups', 'sorts'],
    answer: (call): OnWire<CollectionResponseWithTotalSimplePublicObjectForwardPaging> => {
      const all = [
        ...call.list('contact').map(
          ({ id, data }): HubContact => ({
            ...{ id, properties: data.properties, archived: false },
            ...{ createdAt: data.at ?? madeAt(id), updatedAt: data.at ?? madeAt(id) },
          }),
        ),
        ...contacts.map((name, index) => hubspotContact(String(index + 1), name, mailOf(name))),
      ]
      const since = Number(call.body.filterGroups?.[0]?.filters?.find((each: any) => each.propertyName === 'lastmodifieddate')?.value ?? 0)
      const found = all.filter(
        ({ properties, updatedAt }) => has(Object.values(properties).join(' '), call.body.query ?? '') && Date.parse(updatedAt) >= since,
      )
      const { rows, next } = pageOf(found, call, 'limit', 'after')
      return { total: found.length, results: rows, ...(next && { paging: { next: { after: next } } }) }
    },
  },
  {
    at: `POST ${hub}/crm/v3/objects/contacts`,
    body: ['properties', 'associations'],
    status: 201,
    answer: (call): HubContact => {
      const { id } = call.add('contact', { properties: call.body.properties })
      return { id, properties: call.body.properties, createdAt: madeAt(id), updatedAt: madeAt(id), archived: false }
    },
  },
  {
    at: `GET ${hub}/crm/v3/objects/deals`,
    query: ['limit', 'properties', 'after', 'archived'],
    answer: (call): OnWire<CollectionResponseSimplePublicObjectWithAssociationsForwardPaging> => ({
      results: limited(
        [
          {
            id: '1',
            properties: { dealname: 'Website for Maya', amount: '2400', dealstage: 'contractsent', closedate: iso(20_000) },
            ...{ createdAt: iso(-9000), updatedAt: iso(-100), archived: false },
          },
        ],
        call,
      ),
    }),
  },
  {
    at: 'GET login.salesforce.com/services/oauth2/userinfo',
    answer: ({ grant }): UserInfoResponse => ({
      sub: `https://login.salesforce.com/id/00D${numberOf(grant.email)}/005${numberOf(grant.email)}`,
      organization_id: `00D${numberOf(grant.email)}`,
      user_id: `005${numberOf(grant.email)}`,
      email: grant.email,
      name: grant.name,
    }),
  },
  {
    at: 'GET sandbox.my.salesforce.com/services/data/v64.0/query',
    query: ['q'],
    answer: (call): QueryResult<Record<string, any>> => {
      const q = call.query.get('q') ?? ''
      if (/from Opportunity/i.test(q))
        return {
          totalSize: 1,
          done: true,
          records: [{ Id: '006', Name: 'Website for Maya', StageName: 'Proposal', Amount: 2400, CloseDate: iso(20_000).slice(0, 10) }],
        }
      const words = /like '%((?:[^'\\]|\\.)*)%'/.exec(q)?.[1] ?? ''
      const records = [
        ...call.list('contact').map(({ id, data }) => ({
          ...{ Id: id, Name: `${data.FirstName} ${data.LastName}`, Email: data.Email, LastModifiedDate: data.at ?? madeAt(id) },
        })),
        ...contacts.map((name, index) => ({ Id: `003${index}`, Name: name, Email: mailOf(name), LastModifiedDate: iso(-9000) })),
      ].filter((each) => has(each.Name, words) && each.LastModifiedDate >= (/LastModifiedDate >= (\S+)/.exec(q)?.[1] ?? ''))
      return { totalSize: records.length, done: true, records }
    },
  },
  {
    at: 'POST sandbox.my.salesforce.com/services/data/v64.0/sobjects/Contact',
    body: ['FirstName', 'LastName', 'Email', 'Phone'],
    status: 201,
    answer: (call): SaveResult => ({ id: call.add('contact', call.body).id, success: true, errors: [] }),
  },
  {
    at: 'GET api.calendly.com/users/me',
    answer: ({ grant }) => ({
      resource: { uri: `https://api.calendly.com/users/${numberOf(grant.email)}`, name: grant.name, email: grant.email },
    }),
  },
  {
    at: 'GET api.calendly.com/event_types',
    query: ['user', 'count', 'active', 'organization', 'page_token'],
    answer: () => ({
      collection: [
        {
          uri: 'https://api.calendly.com/event_types/1',
          name: 'Intro call',
          duration: 30,
          scheduling_url: 'https://calendly.com/sandbox/intro',
        },
      ],
    }),
  },
  {
    at: 'GET api.calendly.com/scheduled_events',
    query: ['user', 'count', 'status', 'sort', 'min_start_time', 'max_start_time', 'page_token'],
    answer: (call) => ({
      collection: [
        ...call.list('meeting').map(({ id, data }) => ({
          ...{ uri: `https://api.calendly.com/scheduled_events/${id}`, name: 'Intro call', status: 'active' },
          ...{ start_time: iso(600), created_at: data.at },
        })),
        { uri: 'https://api.calendly.com/scheduled_events/1', name: 'Intro call', status: 'active', start_time: iso(300) },
      ],
      pagination: { count: 1, next_page: null, next_page_token: null },
    }),
  },
  {
    at: 'POST api.calendly.com/scheduling_links',
    body: ['max_event_count', 'owner', 'owner_type'],
    status: 201,
    answer: (call) => ({
      resource: {
        booking_url: `https://calendly.com/d/${call.add('link', call.body).id}`,
        owner: call.body.owner,
        owner_type: 'EventType',
      },
    }),
  },
  {
    at: 'GET api.linkedin.com/v2/userinfo',
    answer: ({ grant, list }): UserInfoResponse => ({
      sub: numberOf(grant.email),
      name: list('profile')[0]?.data.name ?? grant.name,
      email: grant.email,
    }),
  },
  {
    at: 'POST api.linkedin.com/rest/posts',
    body: ['author', 'commentary', 'visibility', 'distribution', 'lifecycleState', 'isReshareDisabledByAuthor', 'content'],
    status: 201,
    needs: 'linkedin-version',
    answer: (call) => new Bare({ 'x-restli-id': `urn:li:share:${call.add('post', call.body).id}` }),
  },
  {
    at: 'GET api.x.com/2/users/me',
    query: ['user.fields'],
    answer: ({ grant }): UserV2Result => ({ data: { id: numberOf(grant.email), name: grant.name, username: grant.email.split('@')[0]! } }),
  },
  {
    at: 'GET api.x.com/2/users/:user/tweets',
    query: ['max_results', 'tweet.fields', 'pagination_token'],
    answer: (call) =>
      tweets(
        kept(call, 'post', [{ text: 'Open again on Monday', created_at: iso(-4000) }]).map(({ id, text, created_at }: any) =>
          tweet(id, text, created_at),
        ),
        call,
      ),
  },
  {
    at: 'GET api.x.com/2/users/:user/mentions',
    query: ['max_results', 'tweet.fields', 'pagination_token', 'start_time'],
    answer: (call) =>
      tweets(
        call
          .list('mention')
          .map(({ id, data }) => tweet(id, data.text, data.at))
          .filter(({ created_at = '' }) => created_at >= (call.query.get('start_time') ?? '')),
        call,
      ),
  },
  {
    at: 'POST api.x.com/2/tweets',
    body: ['text', 'reply', 'media'],
    status: 201,
    answer: (call): TweetV2PostTweetResult => ({
      data: { id: call.add('post', { ...call.body, created_at: iso(0) }).id, text: call.body.text },
    }),
  },
  {
    at: 'GET app.asana.com/api/1.0/users/me',
    query: ['opt_fields'],
    answer: ({ grant }) => ({ data: { gid: numberOf(grant.email), name: grant.name, email: grant.email } }),
  },
  {
    at: 'GET app.asana.com/api/1.0/projects',
    query: ['limit', 'opt_fields', 'workspace', 'offset'],
    answer: (call) => ({ data: limited([{ gid: '7001', name: 'Launch', permalink_url: 'https://app.asana.com/0/7001' }], call) }),
  },
  {
    at: 'GET app.asana.com/api/1.0/tasks',
    query: ['project', 'limit', 'opt_fields', 'offset', 'modified_since'],
    answer: (call) => ({
      data: limited(
        [
          ...call
            .list('task')
            .map(({ id, data }) => ({ gid: id, name: data.data?.name, completed: false, created_at: data.at ?? madeAt(id) })),
          {
            gid: '7101',
            name: 'Write the announcement',
            completed: false,
            due_on: iso(5000).slice(0, 10),
            created_at: iso(-9000),
            permalink_url: 'https://app.asana.com/0/7001/7101',
          },
        ].filter(({ created_at }: any) => created_at >= (call.query.get('modified_since') ?? '')),
        call,
      ),
    }),
  },
  {
    at: 'POST app.asana.com/api/1.0/tasks',
    body: ['data'],
    status: 201,
    answer: (call) => {
      const { id } = call.add('task', call.body)
      return { data: { gid: id, name: call.body.data?.name, permalink_url: `https://app.asana.com/0/7001/${id}` } }
    },
  },
]
