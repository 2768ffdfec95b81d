import { companyOf, numberOf } from './grants.ts'
import { has, iso, kept, limited, type Operation } from './operation.ts'

export const google: Operation[] = [
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
