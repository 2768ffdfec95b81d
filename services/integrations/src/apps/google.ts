import { z } from 'zod'
import { type AppDefinition, does, field, listOf, made, pagedBy, reads, row } from './app.ts'

const email = 'https://www.googleapis.com/auth/userinfo.email'
const who: AppDefinition['who'] = {
  path: 'https://openidconnect.googleapis.com/v1/userinfo',
  read: ({ sub, email }) => ({ id: String(sub), name: email ?? String(sub) }),
}
const paging = pagedBy('pageToken', ({ nextPageToken }) => nextPageToken)
export const header = (message: any, name: string) =>
  listOf(message.payload?.headers).find((each) => String(each.name).toLowerCase() === name)?.value as string | undefined

export const mailThere = (id: string) => ({ path: `/messages/${encodeURIComponent(id)}`, query: { format: 'metadata' } })
export const mailRow = (message: any) =>
  row(message.id, header(message, 'subject') ?? message.snippet, {
    detail: message.snippet,
    url: `https://mail.google.com/mail/u/0/#all/${message.id}`,
    at: Number(message.internalDate) > 0 ? new Date(Number(message.internalDate)).toISOString() : null,
  })

export const gmail: AppDefinition = {
  id: 'gmail',
  vendor: 'google',
  scopes: ['openid', email, 'https://www.googleapis.com/auth/gmail.send', 'https://www.googleapis.com/auth/gmail.readonly'],
  api: 'https://gmail.googleapis.com/gmail/v1/users/me',
  who: { path: '/profile', read: ({ emailAddress }) => ({ id: emailAddress, name: emailAddress }) },
  // Reading a message costs five of the 250 units that it gives a person each second.
  perMinute: 1200,
  paging,
  actions: {
    'send-mail': does(
      'Send a mail',
      'sends',
      z.object({ to: field.email, subject: field.text('Subject', 200), text: field.text('Text') }),
      ({ to, subject, text }) => ({
        method: 'POST',
        path: '/messages/send',
        json: { raw: Buffer.from(mime(to, subject, text)).toString('base64url') },
      }),
      ({ id }) => made(id),
    ),
    'find-mail': reads(
      'Find mail',
      z.object({ words: field.words, limit: z.int().min(1).max(25).default(10).describe('How many, at most') }),
      ({ words, limit }) => ({ path: '/messages', query: { q: words, maxResults: limit } }),
      // The list names ids alone.
      ({ messages }) => listOf(messages).map(({ id }) => row(id, id)),
      { request: mailThere, row: mailRow },
    ),
  },
}

/** The subject as an encoded word, so that no line of it becomes a header. */
const mime = (to: string, subject: string, text: string) =>
  [
    `To: ${to}`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(text).toString('base64'),
  ].join('\r\n')

export const googleCalendar: AppDefinition = {
  id: 'google-calendar',
  vendor: 'google',
  scopes: ['openid', email, 'https://www.googleapis.com/auth/calendar.events', 'https://www.googleapis.com/auth/calendar.freebusy'],
  api: 'https://www.googleapis.com/calendar/v3',
  who,
  perMinute: 500,
  paging,
  actions: {
    'list-events': reads(
      'List events',
      z.object({ from: field.time('From').optional(), limit: field.limit }),
      ({ from, limit }) => ({
        path: '/calendars/primary/events',
        query: { timeMin: from ?? new Date().toISOString(), maxResults: limit, singleEvents: 'true', orderBy: 'startTime' },
      }),
      ({ items }) =>
        listOf(items).map((each) =>
          row(each.id, each.summary, { url: each.htmlLink, at: each.start?.dateTime ?? each.start?.date, detail: each.location }),
        ),
    ),
    'add-event': does(
      'Add an event',
      'changes',
      z.object({ title: field.text('Title', 200), start: field.time('Start'), end: field.time('End'), notes: field.optional('Notes') }),
      ({ title, start, end, notes }) => ({
        method: 'POST',
        path: '/calendars/primary/events',
        json: { summary: title, description: notes, start: { dateTime: start }, end: { dateTime: end } },
      }),
      ({ id, htmlLink }) => made(id, htmlLink),
    ),
    'find-busy-times': reads(
      'Find busy times',
      z.object({ from: field.time('From'), to: field.time('To') }),
      ({ from, to }) => ({ method: 'POST', path: '/freeBusy', json: { timeMin: from, timeMax: to, items: [{ id: 'primary' }] } }),
      ({ calendars }) => listOf(calendars?.primary?.busy).map(({ start, end }) => row(start, `Busy until ${end}`, { at: start })),
    ),
  },
}

export const googleDrive: AppDefinition = {
  id: 'google-drive',
  vendor: 'google',
  scopes: ['openid', email, 'https://www.googleapis.com/auth/drive.file', 'https://www.googleapis.com/auth/drive.metadata.readonly'],
  api: 'https://www.googleapis.com/drive/v3',
  who,
  perMinute: 600,
  paging,
  actions: {
    'find-files': reads(
      'Find files',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({
        path: '/files',
        query: { q: `name contains '${quoted(words)}' and trashed = false`, ...fileFields(limit) },
      }),
      files,
    ),
    'list-recent-files': reads(
      'List recent files',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/files', query: { q: 'trashed = false', orderBy: 'modifiedTime desc', ...fileFields(limit) } }),
      files,
    ),
    'make-folder': does(
      'Make a folder',
      'changes',
      z.object({ name: field.text('Name', 200) }),
      ({ name }) => ({ method: 'POST', path: '/files', json: { name, mimeType: 'application/vnd.google-apps.folder' } }),
      ({ id, webViewLink }) => made(id, webViewLink),
    ),
  },
}
const fileFields = (limit: number) => ({ pageSize: limit, fields: 'nextPageToken,files(id,name,mimeType,webViewLink,modifiedTime)' })
function files({ files }: any) {
  return listOf(files).map((file) => row(file.id, file.name, { detail: file.mimeType, url: file.webViewLink, at: file.modifiedTime }))
}
const quoted = (words: string) => words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")

export const googleAnalytics: AppDefinition = {
  id: 'google-analytics',
  vendor: 'google',
  scopes: ['openid', email, 'https://www.googleapis.com/auth/analytics.readonly'],
  api: 'https://analyticsdata.googleapis.com/v1beta',
  who,
  perMinute: 100,
  actions: {
    'list-properties': reads(
      'List properties',
      z.object({}),
      () => ({ path: 'https://analyticsadmin.googleapis.com/v1beta/accountSummaries' }),
      ({ accountSummaries }) =>
        listOf(accountSummaries).flatMap((account) =>
          listOf(account.propertySummaries).map((each) => row(each.property, each.displayName, { detail: account.displayName })),
        ),
    ),
    'read-visitors': reads(
      'Read visitors by day',
      z.object({
        property: field.text('Property, as properties/123', 60),
        days: z.int().min(1).max(90).default(7).describe('How many days'),
      }),
      ({ property, days }) => ({
        method: 'POST',
        path: `/${propertyOf(property)}:runReport`,
        json: {
          dateRanges: [{ startDate: `${days}daysAgo`, endDate: 'today' }],
          dimensions: [{ name: 'date' }],
          metrics: [{ name: 'activeUsers' }, { name: 'sessions' }],
        },
      }),
      ({ rows }) =>
        listOf(rows).map((each) =>
          row(each.dimensionValues?.[0]?.value, `${each.metricValues?.[0]?.value ?? 0} visitors`, {
            detail: `${each.metricValues?.[1]?.value ?? 0} sessions`,
            at: each.dimensionValues?.[0]?.value,
          }),
        ),
    ),
  },
}
const propertyOf = (text: string) => `properties/${/\d+/.exec(text)?.[0] ?? '0'}`

export const googleAds: AppDefinition = {
  id: 'google-ads',
  vendor: 'google',
  scopes: ['openid', email, 'https://www.googleapis.com/auth/adwords'],
  api: 'https://googleads.googleapis.com/v26',
  operator: { header: 'developer-token', setting: 'CONNECT_GOOGLE_ADS_DEVELOPER_TOKEN' },
  who,
  perMinute: 60,
  paging,
  actions: {
    'list-accounts': reads(
      'List accounts',
      z.object({}),
      () => ({ path: '/customers:listAccessibleCustomers' }),
      ({ resourceNames }) => listOf(resourceNames).map((name: string) => row(name, name.replace('customers/', 'Account '))),
    ),
    'list-campaigns': reads(
      'List campaigns',
      z.object({ account: field.text('Account, as customers/123', 60), limit: field.limit }),
      ({ account, limit }) => ({
        method: 'POST',
        path: `/customers/${/\d+/.exec(account)?.[0] ?? '0'}/googleAds:search`,
        json: {
          query: `select campaign.id, campaign.name, campaign.status, metrics.cost_micros, metrics.clicks from campaign order by metrics.cost_micros desc limit ${limit}`,
        },
      }),
      ({ results }) =>
        listOf(results).map(({ campaign, metrics }) =>
          row(campaign?.id, campaign?.name, {
            detail: `${campaign?.status}, ${metrics?.clicks ?? 0} clicks, ${(Number(metrics?.costMicros ?? 0) / 1e6).toFixed(2)} spent`,
          }),
        ),
    ),
  },
}
