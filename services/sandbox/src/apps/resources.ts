import { type AppGrant, type AppObject, companyOf, numberOf } from './grants.ts'

/** A call of a vendor's API as its stand-in sees it: the account is known and the parameters are ones that the vendor takes. */
export type ApiCall = {
  grant: Pick<AppGrant, 'email' | 'name' | 'scope'>
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, any>
  /** Newest first. */
  list: (kind: string) => AppObject[]
  add: (kind: string, data: Record<string, any>) => AppObject
}
type Operation = {
  /** Method, host and path. */
  at: string
  /** The parameters that the vendor takes; anything else is refused. */
  query?: string[]
  body?: string[]
  answer: (call: ApiCall) => unknown
  status?: number
}

const iso = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const contacts = ['Maya Patel', 'Jonas Weber', 'Lucia Rossi']
const mailOf = (name: string) => `${name.toLowerCase().replace(/[^a-z]+/g, '.')}@example.com`
const limited = <T>(rows: T[], call: ApiCall, name = 'limit') => rows.slice(0, Number(call.query.get(name) ?? 25))
const has = (text: unknown, words: string) => String(text).toLowerCase().includes(words.toLowerCase())

/** Rows that an account has from the beginning, before those that were added. */
const kept = (call: ApiCall, kind: string, first: Record<string, any>[]) => [
  ...call.list(kind).map(({ id, data }) => ({ id, ...data })),
  ...first.map((data, index) => ({ id: `${kind}-${index + 1}`, ...data })),
]

const google: Operation[] = [
  {
    at: 'GET openidconnect.googleapis.com/v1/userinfo',
    answer: ({ grant }) => ({ sub: numberOf(grant.email), email: grant.email, email_verified: true, name: grant.name }),
  },
  {
    at: 'GET gmail.googleapis.com/gmail/v1/users/me/profile',
    answer: ({ grant }) => ({ emailAddress: grant.email, messagesTotal: 3, threadsTotal: 3, historyId: '1' }),
  },
  {
    at: 'POST gmail.googleapis.com/gmail/v1/users/me/messages/send',
    body: ['raw', 'threadId'],
    answer: (call) => {
      const mail = Buffer.from(String(call.body.raw), 'base64url').toString('utf8')
      const { id } = call.add('mail', { mail })
      return { id, threadId: id, labelIds: ['SENT'] }
    },
  },
  {
    at: 'GET gmail.googleapis.com/gmail/v1/users/me/messages',
    query: ['q', 'maxResults', 'pageToken', 'labelIds'],
    answer: (call) => ({
      messages: limited(
        kept(call, 'inbox', [{ snippet: 'Can we move our call to Friday?' }, { snippet: 'The invoice for November' }]).filter(
          ({ snippet }: any) => has(snippet, call.query.get('q') ?? ''),
        ),
        call,
        'maxResults',
      ).map((each: any) => ({ id: each.id, threadId: each.id, snippet: each.snippet })),
      resultSizeEstimate: 2,
    }),
  },
  {
    at: 'GET www.googleapis.com/calendar/v3/calendars/primary/events',
    query: ['timeMin', 'timeMax', 'maxResults', 'singleEvents', 'orderBy', 'q', 'syncToken', 'pageToken'],
    answer: (call) => ({
      kind: 'calendar#events',
      items: limited(
        kept(call, 'event', [
          {
            summary: 'Call with Maya',
            start: { dateTime: iso(90) },
            end: { dateTime: iso(120) },
            htmlLink: 'https://calendar.google.com/1',
          },
        ]),
        call,
        'maxResults',
      ),
    }),
  },
  {
    at: 'POST www.googleapis.com/calendar/v3/calendars/primary/events',
    body: ['summary', 'description', 'start', 'end', 'location', 'attendees'],
    answer: (call) => {
      const { id, data } = call.add('event', call.body)
      return { kind: 'calendar#event', id, htmlLink: `https://calendar.google.com/event?eid=${id}`, status: 'confirmed', ...data }
    },
  },
  {
    at: 'POST www.googleapis.com/calendar/v3/freeBusy',
    body: ['timeMin', 'timeMax', 'items', 'timeZone'],
    answer: () => ({ kind: 'calendar#freeBusy', calendars: { primary: { busy: [{ start: iso(90), end: iso(120) }] } } }),
  },
  {
    at: 'GET www.googleapis.com/drive/v3/files',
    query: ['q', 'pageSize', 'fields', 'orderBy', 'pageToken'],
    answer: (call) => {
      const words = /name contains '((?:[^'\\]|\\.)*)'/.exec(call.query.get('q') ?? '')?.[1] ?? ''
      return {
        files: limited(
          kept(call, 'file', [
            {
              name: 'Price list 2026.pdf',
              mimeType: 'application/pdf',
              webViewLink: 'https://drive.google.com/1',
              modifiedTime: iso(-600),
            },
            {
              name: 'Offer for Maya Patel',
              mimeType: 'application/vnd.google-apps.document',
              webViewLink: 'https://drive.google.com/2',
              modifiedTime: iso(-900),
            },
          ]).filter(({ name }: any) => has(name, words)),
          call,
          'pageSize',
        ),
      }
    },
  },
  {
    at: 'POST www.googleapis.com/drive/v3/files',
    body: ['name', 'mimeType', 'parents'],
    answer: (call) => {
      const { id, data } = call.add('file', {
        ...call.body,
        webViewLink: 'https://drive.google.com/drive/folders/new',
        modifiedTime: iso(0),
      })
      return { kind: 'drive#file', id, ...data }
    },
  },
  {
    at: 'GET analyticsadmin.googleapis.com/v1beta/accountSummaries',
    query: ['pageSize', 'pageToken'],
    answer: ({ grant }) => ({
      accountSummaries: [
        {
          name: 'accountSummaries/1',
          account: 'accounts/1',
          displayName: companyOf(grant),
          propertySummaries: [{ property: 'properties/123', displayName: 'Website', propertyType: 'PROPERTY_TYPE_ORDINARY' }],
        },
      ],
    }),
  },
  {
    at: 'POST analyticsdata.googleapis.com/v1beta/properties/:report',
    body: ['dateRanges', 'dimensions', 'metrics', 'limit'],
    answer: () => ({
      rows: [6, 5, 4, 3, 2, 1, 0].map((day) => ({
        dimensionValues: [
          {
            value: iso(-day * 1440)
              .slice(0, 10)
              .replaceAll('-', ''),
          },
        ],
        metricValues: [{ value: String(120 + day * 7) }, { value: String(150 + day * 9) }],
      })),
      rowCount: 7,
      kind: 'analyticsData#runReport',
    }),
  },
  {
    at: 'GET googleads.googleapis.com/v21/customers:listAccessibleCustomers',
    answer: () => ({ resourceNames: ['customers/1234567890'] }),
  },
  {
    at: 'POST googleads.googleapis.com/v21/customers/:customer/googleAds:search',
    body: ['query', 'pageToken'],
    answer: () => ({
      results: [
        { campaign: { id: '11', name: 'Brand search', status: 'ENABLED' }, metrics: { costMicros: '48200000', clicks: '312' } },
        { campaign: { id: '12', name: 'Templates', status: 'PAUSED' }, metrics: { costMicros: '9100000', clicks: '41' } },
      ],
    }),
  },
]

const graph = 'graph.microsoft.com/v1.0'
const microsoft: Operation[] = [
  {
    at: `GET ${graph}/me`,
    answer: ({ grant }) => ({ id: numberOf(grant.email), displayName: grant.name, mail: grant.email, userPrincipalName: grant.email }),
  },
  {
    at: `POST ${graph}/me/sendMail`,
    body: ['message', 'saveToSentItems'],
    status: 202,
    answer: (call) => void call.add('mail', call.body.message),
  },
  {
    at: `GET ${graph}/me/messages`,
    query: ['$search', '$top', '$select', '$filter', '$orderby', '$skip'],
    answer: (call) => ({
      value: limited(
        kept(call, 'inbox', [
          { subject: 'Offer', bodyPreview: 'Thank you for the offer', receivedDateTime: iso(-60), webLink: 'https://outlook.office.com/1' },
        ]).filter(({ subject, bodyPreview }: any) =>
          has(`${subject} ${bodyPreview}`, (call.query.get('$search') ?? '').replaceAll('"', '')),
        ),
        call,
        '$top',
      ),
    }),
  },
  {
    at: `GET ${graph}/me/events`,
    query: ['$filter', '$orderby', '$top', '$select', '$skip'],
    answer: (call) => ({
      value: limited(
        kept(call, 'event', [
          { subject: 'Call with Jonas', start: { dateTime: iso(60), timeZone: 'UTC' }, webLink: 'https://outlook.office.com/2' },
        ]),
        call,
        '$top',
      ),
    }),
  },
  {
    at: `POST ${graph}/me/events`,
    body: ['subject', 'body', 'start', 'end', 'location', 'attendees'],
    status: 201,
    answer: (call) => {
      const { id, data } = call.add('event', call.body)
      return { id, webLink: `https://outlook.office.com/calendar/item/${id}`, ...data }
    },
  },
  {
    at: `GET ${graph}/me/joinedTeams`,
    answer: ({ grant }) => ({ value: [{ id: 'team-1', displayName: companyOf(grant), description: 'Everyone' }] }),
  },
  {
    at: `GET ${graph}/teams/:team/channels`,
    answer: () => ({
      value: [{ id: '19:general@thread.tacv2', displayName: 'General', description: null, webUrl: 'https://teams.microsoft.com/1' }],
    }),
  },
  {
    at: `POST ${graph}/teams/:team/channels/:channel/messages`,
    body: ['body', 'subject'],
    status: 201,
    answer: (call) => {
      const { id } = call.add('message', { ...call.body, channel: call.params.channel })
      return { id, webUrl: `https://teams.microsoft.com/l/message/${id}`, body: call.body.body }
    },
  },
]

const fb = 'graph.facebook.com/v23.0'
const meta: Operation[] = [
  { at: `GET ${fb}/me`, query: ['fields'], answer: ({ grant }) => ({ id: numberOf(grant.email), name: grant.name }) },
  {
    at: `GET ${fb}/me/accounts`,
    query: ['fields', 'limit'],
    answer: ({ grant }) => ({
      data: [
        {
          id: '1001',
          name: companyOf(grant),
          link: 'https://www.facebook.com/1001',
          instagram_business_account: { id: '2001', username: grant.name.split(' ')[0]!.toLowerCase() },
        },
      ],
    }),
  },
  {
    at: `GET ${fb}/me/adaccounts`,
    query: ['fields', 'limit'],
    answer: ({ grant }) => ({ data: [{ id: 'act_3001', name: companyOf(grant), currency: 'USD', account_status: 1 }] }),
  },
  {
    at: `GET ${fb}/:object/posts`,
    query: ['fields', 'limit'],
    answer: (call) => ({
      data: limited(
        kept(call, 'post', [
          { message: 'We are open on Saturday', created_time: iso(-3000), permalink_url: 'https://www.facebook.com/1001/posts/1' },
        ]),
        call,
      ),
    }),
  },
  {
    at: `POST ${fb}/:object/feed`,
    body: ['message', 'link'],
    answer: (call) => ({ id: `1001_${call.add('post', { ...call.body, created_time: iso(0) }).id}` }),
  },
  {
    at: `GET ${fb}/:object/media`,
    query: ['fields', 'limit'],
    answer: (call) => ({
      data: limited(
        kept(call, 'media', [
          {
            caption: 'New in the shop',
            permalink: 'https://www.instagram.com/p/1',
            timestamp: iso(-2000),
            like_count: 41,
            comments_count: 3,
          },
        ]),
        call,
      ),
    }),
  },
  {
    at: `GET ${fb}/:object/campaigns`,
    query: ['fields', 'limit'],
    answer: (call) => ({
      data: limited(
        [
          {
            id: '4001',
            name: 'Spring offer',
            status: statusOf(call, '4001', 'ACTIVE'),
            daily_budget: '2000',
            insights: { data: [{ spend: '86.20', clicks: '214', impressions: '9120' }] },
          },
          { id: '4002', name: 'Templates', status: statusOf(call, '4002', 'PAUSED'), daily_budget: '1000' },
        ],
        call,
      ),
    }),
  },
  {
    at: `POST ${fb}/:object`,
    body: ['status', 'daily_budget', 'name'],
    answer: (call) => {
      call.add('campaign', { campaign: call.params.object, ...call.body })
      return { success: true }
    },
  },
]
const statusOf = (call: ApiCall, id: string, first: string) =>
  call.list('campaign').find(({ data }) => data.campaign === id && data.status)?.data.status ?? first

const notionPage = (id: string, title: string, url = `https://www.notion.so/${id}`) => ({
  object: 'page',
  id,
  url,
  last_edited_time: iso(-30),
  properties: { Name: { id: 'title', type: 'title', title: [{ type: 'text', plain_text: title, text: { content: title } }] } },
})
const notion: Operation[] = [
  {
    at: 'GET api.notion.com/v1/users/me',
    answer: ({ grant }) => ({
      object: 'user',
      id: `bot-${numberOf(grant.email)}`,
      name: 'Operon',
      type: 'bot',
      bot: { owner: { type: 'workspace', workspace: true }, workspace_id: `ws-${numberOf(grant.email)}`, workspace_name: companyOf(grant) },
    }),
  },
  {
    at: 'POST api.notion.com/v1/search',
    body: ['query', 'filter', 'page_size', 'start_cursor', 'sort'],
    answer: (call) => {
      const databases = ['Tasks', 'Content calendar'].map((title, index) => ({
        object: 'database',
        id: `db-${index + 1}`,
        url: `https://www.notion.so/db-${index + 1}`,
        last_edited_time: iso(-60),
        title: [{ type: 'text', plain_text: title, text: { content: title } }],
      }))
      const pages = [
        ...call.list('page').map(({ id, data }) => notionPage(id, data.properties?.title?.title?.[0]?.text?.content ?? 'Untitled')),
        notionPage('page-1', 'Plan the launch'),
        notionPage('page-2', 'Ideas for posts'),
      ]
      const found =
        call.body.filter?.value === 'database' ? databases : call.body.filter?.value === 'page' ? pages : [...databases, ...pages]
      const titleOf = (each: any) => (each.title ?? each.properties.Name.title)[0].plain_text
      return {
        object: 'list',
        results: found.filter((each) => has(titleOf(each), call.body.query ?? '')).slice(0, call.body.page_size ?? 100),
        next_cursor: null,
        has_more: false,
      }
    },
  },
  {
    at: 'POST api.notion.com/v1/pages',
    body: ['parent', 'properties', 'children', 'icon', 'cover'],
    answer: (call) => {
      const { id } = call.add('page', call.body)
      return notionPage(id, call.body.properties?.title?.title?.[0]?.text?.content ?? 'Untitled')
    },
  },
]

const slack: Operation[] = [
  {
    at: 'POST slack.com/api/auth.test',
    answer: ({ grant }) => ({
      ok: true,
      url: 'https://sandbox.slack.com/',
      team: companyOf(grant),
      user: 'operon',
      team_id: `T${numberOf(grant.email)}`,
      user_id: 'U0KRQLJ9H',
    }),
  },
  {
    at: 'GET slack.com/api/conversations.list',
    query: ['limit', 'exclude_archived', 'cursor', 'types'],
    answer: (call) => ({
      ok: true,
      channels: limited(
        [
          { id: 'C01GENERAL', name: 'general', num_members: 12 },
          { id: 'C02SALES', name: 'sales', num_members: 5 },
        ],
        call,
      ),
      response_metadata: { next_cursor: '' },
    }),
  },
  {
    at: 'POST slack.com/api/chat.postMessage',
    body: ['channel', 'text', 'blocks', 'thread_ts', 'mrkdwn'],
    answer: (call) => {
      const channel = String(call.body.channel ?? '')
      if (!['C01GENERAL', 'C02SALES', '#general', '#sales'].includes(channel)) return { ok: false, error: 'channel_not_found' }
      const { id } = call.add('message', call.body)
      return { ok: true, channel, ts: `${Math.floor(Date.now() / 1000)}.${id.slice(-6)}`, message: { text: call.body.text } }
    },
  },
]

const hub = 'api.hubapi.com'
const hubspotContact = (id: string, name: string, email: string) => ({
  id,
  properties: { firstname: name.split(' ')[0], lastname: name.split(' ').slice(1).join(' '), email },
  createdAt: iso(-9000),
  updatedAt: iso(-100),
})
const business: Operation[] = [
  {
    at: `GET ${hub}/account-info/v3/details`,
    answer: ({ grant }) => ({ portalId: Number(numberOf(grant.email)), uiDomain: 'app.hubspot.com', timeZone: 'UTC' }),
  },
  {
    at: `POST ${hub}/crm/v3/objects/contacts/search`,
    body: ['query', 'limit', 'properties', 'after', 'filterGroups', 'sorts'],
    answer: (call) => {
      const all = [
        ...call.list('contact').map(({ id, data }) => ({ id, properties: data.properties, updatedAt: iso(0) })),
        ...contacts.map((name, index) => hubspotContact(String(index + 1), name, mailOf(name))),
      ]
      const found = all.filter(({ properties }) => has(Object.values(properties).join(' '), call.body.query ?? ''))
      return { total: found.length, results: found.slice(0, call.body.limit ?? 10) }
    },
  },
  {
    at: `POST ${hub}/crm/v3/objects/contacts`,
    body: ['properties', 'associations'],
    status: 201,
    answer: (call) => ({ ...call.add('contact', call.body).data, id: call.list('contact')[0]!.id, createdAt: iso(0) }),
  },
  {
    at: `GET ${hub}/crm/v3/objects/deals`,
    query: ['limit', 'properties', 'after', 'archived'],
    answer: (call) => ({
      results: limited(
        [{ id: '1', properties: { dealname: 'Website for Maya', amount: '2400', dealstage: 'contractsent', closedate: iso(20_000) } }],
        call,
      ),
    }),
  },
  {
    at: 'GET www.zohoapis.com/crm/v8/users',
    query: ['type', 'page', 'per_page'],
    answer: ({ grant }) => ({ users: [{ id: numberOf(grant.email), full_name: grant.name, email: grant.email }] }),
  },
  {
    at: 'GET www.zohoapis.com/crm/v8/Contacts/search',
    query: ['word', 'email', 'criteria', 'per_page', 'page'],
    answer: (call) => ({
      data: [
        ...call.list('contact').map(({ id, data }) => ({ id, Full_Name: `${data.First_Name} ${data.Last_Name}`, Email: data.Email })),
        ...contacts.map((name, index) => ({ id: String(index + 1), Full_Name: name, Email: mailOf(name) })),
      ].filter((each) => has(`${each.Full_Name} ${each.Email}`, call.query.get('word') ?? '')),
    }),
  },
  {
    at: 'POST www.zohoapis.com/crm/v8/Contacts',
    body: ['data', 'trigger'],
    status: 201,
    answer: (call) => ({
      data: [{ code: 'SUCCESS', status: 'success', details: { id: call.add('contact', call.body.data?.[0] ?? {}).id } }],
    }),
  },
  {
    at: 'GET www.zohoapis.com/crm/v8/Deals',
    query: ['fields', 'per_page', 'page'],
    answer: () => ({ data: [{ id: '1', Deal_Name: 'Website for Maya', Amount: 2400, Stage: 'Negotiation' }] }),
  },
  {
    at: 'GET login.salesforce.com/services/oauth2/userinfo',
    answer: ({ grant }) => ({
      organization_id: `00D${numberOf(grant.email)}`,
      user_id: `005${numberOf(grant.email)}`,
      email: grant.email,
      name: grant.name,
    }),
  },
  {
    at: 'GET sandbox.my.salesforce.com/services/data/v64.0/query',
    query: ['q'],
    answer: (call) => {
      const q = call.query.get('q') ?? ''
      if (/from Opportunity/i.test(q))
        return {
          totalSize: 1,
          done: true,
          records: [{ Id: '006', Name: 'Website for Maya', StageName: 'Proposal', Amount: 2400, CloseDate: iso(20_000).slice(0, 10) }],
        }
      const words = /like '%((?:[^'\\]|\\.)*)%'/.exec(q)?.[1] ?? ''
      const records = [
        ...call.list('contact').map(({ id, data }) => ({ Id: id, Name: `${data.FirstName} ${data.LastName}`, Email: data.Email })),
        ...contacts.map((name, index) => ({ Id: `003${index}`, Name: name, Email: mailOf(name) })),
      ].filter((each) => has(each.Name, words))
      return { totalSize: records.length, done: true, records }
    },
  },
  {
    at: 'POST sandbox.my.salesforce.com/services/data/v64.0/sobjects/Contact',
    body: ['FirstName', 'LastName', 'Email', 'Phone'],
    status: 201,
    answer: (call) => ({ id: call.add('contact', call.body).id, success: true, errors: [] }),
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
    answer: () => ({
      collection: [{ uri: 'https://api.calendly.com/scheduled_events/1', name: 'Intro call', status: 'active', start_time: iso(300) }],
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
    answer: ({ grant }) => ({ sub: numberOf(grant.email), name: grant.name, email: grant.email }),
  },
  {
    at: 'POST api.linkedin.com/rest/posts',
    body: ['author', 'commentary', 'visibility', 'distribution', 'lifecycleState', 'isReshareDisabledByAuthor', 'content'],
    status: 201,
    answer: (call) => ({ id: `urn:li:share:${call.add('post', call.body).id}` }),
  },
  {
    at: 'GET api.x.com/2/users/me',
    query: ['user.fields'],
    answer: ({ grant }) => ({ data: { id: numberOf(grant.email), name: grant.name, username: grant.email.split('@')[0] } }),
  },
  {
    at: 'GET api.x.com/2/users/:user/tweets',
    query: ['max_results', 'tweet.fields', 'pagination_token'],
    answer: (call) => ({
      data: limited(kept(call, 'post', [{ text: 'Open again on Monday', created_at: iso(-4000) }]), call, 'max_results'),
    }),
  },
  {
    at: 'POST api.x.com/2/tweets',
    body: ['text', 'reply', 'media'],
    status: 201,
    answer: (call) => ({ data: { id: call.add('post', { ...call.body, created_at: iso(0) }).id, text: call.body.text } }),
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
    query: ['project', 'limit', 'opt_fields', 'offset'],
    answer: (call) => ({
      data: limited(
        [
          ...call.list('task').map(({ id, data }) => ({ gid: id, name: data.data?.name, completed: false })),
          {
            gid: '7101',
            name: 'Write the announcement',
            completed: false,
            due_on: iso(5000).slice(0, 10),
            permalink_url: 'https://app.asana.com/0/7001/7101',
          },
        ],
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

const api = 'api.stripe.com/v1'
const books: Operation[] = [
  {
    at: `GET ${api}/account`,
    answer: ({ grant }) => ({
      id: `acct_${numberOf(grant.email)}`,
      object: 'account',
      email: grant.email,
      settings: { dashboard: { display_name: companyOf(grant) } },
    }),
  },
  {
    at: `GET ${api}/charges`,
    query: ['limit', 'starting_after', 'customer'],
    answer: (call) => ({
      object: 'list',
      has_more: false,
      data: limited(
        [
          {
            id: 'ch_1',
            object: 'charge',
            amount: 4900,
            currency: 'usd',
            status: 'succeeded',
            description: 'Template pack',
            created: Math.floor(Date.now() / 1000) - 9000,
          },
        ],
        call,
      ),
    }),
  },
  {
    at: `GET ${api}/customers`,
    query: ['limit', 'email', 'starting_after'],
    answer: (call) => ({
      object: 'list',
      has_more: false,
      data: [
        ...call.list('customer').map(({ id, data }) => ({ id: `cus_${id}`, created: 0, ...data })),
        ...contacts.map((name, index) => ({ id: `cus_${index}`, name, email: mailOf(name), created: 1_760_000_000 })),
      ].filter(({ email }: any) => !call.query.get('email') || email === call.query.get('email')),
    }),
  },
  {
    at: `POST ${api}/customers`,
    body: ['name', 'email', 'description', 'phone'],
    answer: (call) => ({ id: `cus_${call.add('customer', call.body).id}`, object: 'customer', ...call.body }),
  },
  {
    at: 'GET api-m.paypal.com/v1/identity/openidconnect/userinfo',
    query: ['schema'],
    answer: ({ grant }) => ({
      user_id: `https://www.paypal.com/webapps/auth/identity/user/${numberOf(grant.email)}`,
      payer_id: `P${numberOf(grant.email)}`,
      name: companyOf(grant),
    }),
  },
  {
    at: 'GET api-m.paypal.com/v1/reporting/transactions',
    query: ['start_date', 'end_date', 'fields', 'page_size', 'page'],
    answer: () => ({
      transaction_details: [
        {
          transaction_info: {
            transaction_id: '5TY05013RG002845M',
            transaction_amount: { value: '49.00', currency_code: 'USD' },
            transaction_status: 'S',
            transaction_initiation_date: iso(-600),
          },
        },
      ],
    }),
  },
  {
    at: 'GET api-m.paypal.com/v2/invoicing/invoices',
    query: ['page_size', 'page', 'total_required'],
    answer: (call) => ({
      items: [
        ...call
          .list('invoice')
          .map(({ id }) => ({ id: `INV2-${id}`, status: 'DRAFT', detail: { invoice_number: id }, amount: { value: '0.00' } })),
        {
          id: 'INV2-1',
          status: 'PAID',
          detail: { invoice_number: '0001', invoice_date: iso(-9000).slice(0, 10) },
          amount: { value: '120.00', currency_code: 'USD' },
        },
      ],
    }),
  },
  {
    at: 'POST api-m.paypal.com/v2/invoicing/invoices',
    body: ['detail', 'primary_recipients', 'items', 'invoicer'],
    status: 201,
    answer: (call) => ({
      rel: 'self',
      href: `https://api-m.paypal.com/v2/invoicing/invoices/INV2-${call.add('invoice', call.body).id}`,
      method: 'GET',
    }),
  },
  {
    at: 'GET quickbooks.api.intuit.com/v3/company/:company/query',
    query: ['query', 'minorversion'],
    answer: (call) => {
      const q = call.query.get('query') ?? ''
      if (/from CompanyInfo/i.test(q)) return { QueryResponse: { CompanyInfo: [{ Id: '1', CompanyName: companyOf(call.grant) }] } }
      if (/from Invoice/i.test(q))
        return {
          QueryResponse: {
            Invoice: [{ Id: '1', DocNumber: '1001', TotalAmt: 120, CustomerRef: { name: 'Maya Patel' }, TxnDate: iso(-9000).slice(0, 10) }],
          },
        }
      const words = /like '%((?:[^'\\]|\\.)*)%'/.exec(q)?.[1] ?? ''
      const all = [
        ...call.list('customer').map(({ id, data }) => ({ Id: id, ...data })),
        ...contacts.map((name, index) => ({ Id: String(index), DisplayName: name, PrimaryEmailAddr: { Address: mailOf(name) } })),
      ]
      return { QueryResponse: { Customer: all.filter((each: any) => has(each.DisplayName, words)) } }
    },
  },
  {
    at: 'POST quickbooks.api.intuit.com/v3/company/:company/customer',
    query: ['minorversion'],
    body: ['DisplayName', 'PrimaryEmailAddr', 'PrimaryPhone'],
    answer: (call) => ({ Customer: { Id: call.add('customer', call.body).id, ...call.body }, time: iso(0) }),
  },
  {
    at: 'GET api.mailersend.com/v1/domains',
    query: ['limit', 'page', 'verified'],
    answer: ({ grant }) => ({
      data: [
        { id: `dom-${numberOf(grant.email)}`, name: `${numberOf(grant.email)}.example.com`, is_verified: true, created_at: iso(-90_000) },
      ],
    }),
  },
  {
    at: 'POST api.mailersend.com/v1/email',
    body: ['from', 'to', 'subject', 'text', 'html', 'tags'],
    status: 202,
    answer: (call) => void call.add('mail', call.body),
  },
  {
    at: 'GET api.trello.com/1/members/me',
    query: ['fields', 'key', 'token'],
    answer: ({ grant }) => ({ id: numberOf(grant.email), username: `user${numberOf(grant.email)}`, fullName: grant.name }),
  },
  {
    at: 'GET api.trello.com/1/members/me/boards',
    query: ['fields', 'filter', 'key', 'token'],
    answer: () => [{ id: 'b1', name: 'Launch', url: 'https://trello.com/b/b1' }],
  },
  {
    at: 'GET api.trello.com/1/boards/:board/lists',
    query: ['fields', 'key', 'token'],
    answer: () => [
      { id: 'l1', name: 'To do' },
      { id: 'l2', name: 'Done' },
    ],
  },
  {
    at: 'GET api.trello.com/1/lists/:list/cards',
    query: ['fields', 'key', 'token'],
    answer: (call) => [
      ...call
        .list('card')
        .filter(({ data }) => data.idList === call.params.list)
        .map(({ id, data }) => ({ id, name: data.name, desc: data.desc ?? '', shortUrl: `https://trello.com/c/${id}` })),
      { id: 'c1', name: 'Write the announcement', desc: '', shortUrl: 'https://trello.com/c/c1', due: null },
    ],
  },
  {
    at: 'POST api.trello.com/1/cards',
    query: ['key', 'token'],
    body: ['idList', 'name', 'desc', 'due', 'pos'],
    answer: (call) => ({ ...call.body, ...short(call.add('card', call.body).id) }),
  },
  { at: 'GET api.vapi.ai/assistant', query: ['limit'], answer: () => [{ id: 'asst-1', name: 'Reception', voice: { voiceId: 'alloy' } }] },
  {
    at: 'GET api.vapi.ai/call',
    query: ['limit'],
    answer: () => [{ id: 'call-1', status: 'ended', endedReason: 'customer-ended-call', startedAt: iso(-90) }],
  },
  {
    at: 'GET api.retellai.com/list-agents',
    query: ['limit'],
    answer: () => [{ agent_id: 'agent_1', agent_name: 'Reception', voice_id: 'alloy' }],
  },
  {
    at: 'POST api.retellai.com/v2/list-calls',
    body: ['limit', 'filter_criteria', 'sort_order'],
    answer: () => [{ call_id: 'call_1', call_status: 'ended', disconnection_reason: 'user_hangup' }],
  },
]
const short = (id: string) => ({ id, shortUrl: `https://trello.com/c/${id}` })

export const operations: Operation[] = [...google, ...microsoft, ...meta, ...notion, ...slack, ...business, ...books]
