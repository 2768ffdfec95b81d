import type { analyticsadmin_v1beta } from '@googleapis/analyticsadmin'
import type { analyticsdata_v1beta } from '@googleapis/analyticsdata'
import type { calendar_v3 } from '@googleapis/calendar'
import type { drive_v3 } from '@googleapis/drive'
import type { gmail_v1 } from '@googleapis/gmail'
import type { UserInfoResponse } from 'oauth4webapi'
import { companyOf, numberOf } from './grants.ts'
import { saysPhrase, VALUE } from './mail.ts'
import { type ApiCall, has, iso, kept, type Operation, pageOf, Refused } from './operation.ts'

type Mail = { id: string; subject: string; snippet: string; from: string; to?: string; cc?: string; at: number; draft?: boolean }
const inbox = (call: ApiCall) =>
  kept(call, 'inbox', [
    { subject: 'Our call', snippet: 'Can we move our call to Friday?', from: 'maya.patel@example.com', at: Date.now() - 3_600_000 },
    { subject: 'Invoice', snippet: 'The invoice for November', from: 'jonas.weber@example.com', at: Date.now() - 7_200_000 },
  ]) as unknown as Mail[]
/** `{from:"ann@x.com" to:"ann@x.com"}`: any of them. */
function isAmong(mail: Mail, group: string, owner: string): boolean {
  const headers: Record<string, string> = { from: mail.from, to: mail.to ?? owner, cc: mail.cc ?? '' }
  return [...group.matchAll(new RegExp(`(\\w+):(?:${VALUE})`, 'g'))].some(([, name, quoted, plain]) =>
    saysPhrase(headers[name!] ?? '', quoted ?? plain ?? ''),
  )
}
function driveFiles(found: drive_v3.Schema$File[], call: ApiCall): drive_v3.Schema$FileList {
  const { rows, next } = pageOf(found, call, 'pageSize', 'pageToken')
  return { files: rows, ...(next && { nextPageToken: next }) }
}

export const google: Operation[] = [
  {
    at: 'GET openidconnect.googleapis.com/v1/userinfo',
    answer: ({ grant }): UserInfoResponse => ({ sub: numberOf(grant.email), email: grant.email, email_verified: true, name: grant.name }),
  },
  {
    at: 'GET gmail.googleapis.com/gmail/v1/users/me/profile',
    answer: ({ grant }): gmail_v1.Schema$Profile => ({ emailAddress: grant.email, messagesTotal: 3, threadsTotal: 3, historyId: '1' }),
  },
  {
    at: 'POST gmail.googleapis.com/gmail/v1/users/me/messages/send',
    body: ['raw', 'threadId'],
    answer: (call): gmail_v1.Schema$Message => {
      const mail = Buffer.from(String(call.body.raw), 'base64url').toString('utf8')
      const { id } = call.add('mail', { mail })
      return { id, threadId: id, labelIds: ['SENT'] }
    },
  },
  {
    at: 'GET gmail.googleapis.com/gmail/v1/users/me/messages',
    query: ['q', 'maxResults', 'pageToken', 'labelIds'],
    answer: (call): gmail_v1.Schema$ListMessagesResponse => {
      const q = call.query.get('q') ?? ''
      const after = Number(/after:(\d+)/.exec(q)?.[1] ?? 0) * 1000
      const group = /\{(.*)\}/.exec(q)?.[1]
      const words = q.replace(/\{.*\}|-?\b(in|after|before|from|to):\S+/g, '').trim()
      const found = inbox(call)
        .filter((mail) => has(`${mail.subject} ${mail.snippet}`, words) && mail.at >= after)
        .filter((mail) => group === undefined || isAmong(mail, group, call.grant.email))
        .filter(({ draft }) => !draft || !q.includes('-in:drafts'))
        .sort((one, other) => other.at - one.at)
      const { rows, next } = pageOf(found, call, 'maxResults', 'pageToken')
      return {
        messages: rows.map(({ id }) => ({ id, threadId: id })),
        resultSizeEstimate: found.length,
        ...(next && { nextPageToken: next }),
      }
    },
  },
  {
    at: 'GET gmail.googleapis.com/gmail/v1/users/me/messages/:id',
    query: ['format', 'metadataHeaders'],
    answer: (call): gmail_v1.Schema$Message | Refused => {
      const mail = inbox(call).find(({ id }) => id === call.params.id)
      if (!mail) return new Refused(404, { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } })
      const said = { From: mail.from, To: mail.to ?? call.grant.email, ...(mail.cc && { Cc: mail.cc }), Subject: mail.subject }
      const headers = Object.entries(said).map(([name, value]) => ({
        name,
        value,
      }))
      return {
        id: mail.id,
        threadId: mail.id,
        labelIds: [mail.draft ? 'DRAFT' : 'INBOX'],
        snippet: mail.snippet,
        internalDate: String(mail.at),
        sizeEstimate: 2048,
        payload: { mimeType: 'text/plain', headers },
      }
    },
  },
  {
    at: 'POST www.googleapis.com/calendar/v3/freeBusy',
    body: ['timeMin', 'timeMax', 'items', 'timeZone'],
    answer: (): calendar_v3.Schema$FreeBusyResponse => ({
      kind: 'calendar#freeBusy',
      calendars: { primary: { busy: [{ start: iso(90), end: iso(120) }] } },
    }),
  },
  {
    at: 'GET www.googleapis.com/drive/v3/files',
    query: ['q', 'pageSize', 'fields', 'orderBy', 'pageToken'],
    answer: (call) => {
      const words = /name contains '((?:[^'\\]|\\.)*)'/.exec(call.query.get('q') ?? '')?.[1] ?? ''
      const since = /modifiedTime > '([^']*)'/.exec(call.query.get('q') ?? '')?.[1] ?? ''
      const first: drive_v3.Schema$File[] = [
        { name: 'Price list 2026.pdf', mimeType: 'application/pdf', webViewLink: 'https://drive.google.com/1', modifiedTime: iso(-600) },
        {
          name: 'Offer for Maya Patel',
          mimeType: 'application/vnd.google-apps.document',
          webViewLink: 'https://drive.google.com/2',
          modifiedTime: iso(-900),
        },
      ]
      return driveFiles(
        kept(call, 'file', first).filter(({ name, modifiedTime }: any) => has(name, words) && modifiedTime.slice(0, 19) > since),
        call,
      )
    },
  },
  {
    at: 'POST www.googleapis.com/drive/v3/files',
    body: ['name', 'mimeType', 'parents'],
    answer: (call): drive_v3.Schema$File => {
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
    answer: ({ grant }): analyticsadmin_v1beta.Schema$GoogleAnalyticsAdminV1betaListAccountSummariesResponse => ({
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
    answer: (call): analyticsdata_v1beta.Schema$RunReportResponse => {
      // Each happening over there lets a day pass.
      const passed = call.list('day').length
      const days = call.body.dateRanges?.[0]?.startDate === 'yesterday' ? [1 - passed] : [6, 5, 4, 3, 2, 1, 0].map((day) => day - passed)
      const dateOf = (day: number) =>
        iso(-day * 1440)
          .slice(0, 10)
          .replaceAll('-', '')
      return {
        rows: days.map((day) => ({
          dimensionValues: [{ value: dateOf(day) }],
          metricValues: [{ value: String(120 + day * 7) }, { value: String(150 + day * 9) }],
        })),
        rowCount: days.length,
        kind: 'analyticsData#runReport',
      }
    },
  },
  {
    at: 'GET googleads.googleapis.com/v26/customers:listAccessibleCustomers',
    needs: 'developer-token',
    answer: () => ({ resourceNames: ['customers/1234567890'] }),
  },
  {
    at: 'POST googleads.googleapis.com/v26/customers/:customer/googleAds:search',
    needs: 'developer-token',
    body: ['query', 'pageToken', 'search_settings'],
    answer: (call) => {
      const campaign = (id: string, name: string, status: string) => ({
        ...{ resourceName: `customers/${call.params.customer}/campaigns/${id}`, id, name, status },
      })
      return {
        results: [
          { campaign: campaign('11', 'Brand search', 'ENABLED'), metrics: { costMicros: '48200000', clicks: '312' } },
          {
            campaign: campaign('12', 'Templates', call.list('campaign')[0]?.data.status ?? 'PAUSED'),
            metrics: { costMicros: '9100000', clicks: '41' },
          },
        ],
        fieldMask: 'campaign.id,campaign.name,campaign.status,metrics.costMicros,metrics.clicks',
        queryResourceConsumption: '214',
      }
    },
  },
]
