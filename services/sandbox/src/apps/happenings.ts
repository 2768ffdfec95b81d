import { html } from '../core/page.ts'
import type { State, Table } from '../core/state.ts'
import { form, json, type Route, redirect, route, type WireRequest } from '../core/wire.ts'
import { empty, GOOGLE, GRAPH, nextSeq, put, tellAll } from './calendars/state.ts'
import type { AppObject } from './grants.ts'
import { iso } from './operation.ts'

// Something that happens over there without anybody here: what connected apps are watched for.

type There = { host: string; list: (kind: string) => AppObject[]; set: (id: string, kind: string, data: Record<string, any>) => AppObject }
type Happening = {
  host: string
  title: string
  kind: string
  data: (fields: URLSearchParams) => Record<string, any>
  id?: string
  does?: (there: There) => void
}
const at = () => new Date().toISOString()
const who = 'Lena Novak'
/** `Ann <ann@x.com>`, or the address alone. */
const personOf = (text: string) => {
  const [, name, address] = /^(.*?) ?<(.*)>$/.exec(text) ?? [text, text, text]
  return { emailAddress: { name, address } }
}
const contact = { First_Name: 'Lena', Last_Name: 'Novak', FirstName: 'Lena', LastName: 'Novak', Email: 'lena.novak@example.com' }
const calendarEvent = (there: There) => {
  put(there, { ...empty(`there${nextSeq().toString(32)}`), title: 'Dentist', start: iso(1440), end: iso(1470) })
  tellAll(there)
}

export const happenings: Record<string, Happening> = {
  gmail: {
    ...{ host: 'gmail.googleapis.com', title: 'An email arrives', kind: 'inbox' },
    data: (fields) => ({
      subject: fields.get('subject') ?? 'A question',
      snippet: fields.get('text') ?? 'Do you have time next week?',
      from: fields.get('from') ?? 'lena.novak@example.com',
      ...(fields.has('to') && { to: fields.get('to') }),
      at: Date.parse(fields.get('at') ?? at()),
      draft: fields.get('draft') === 'true',
    }),
  },
  outlook: {
    ...{ host: GRAPH, title: 'An email arrives', kind: 'inbox' },
    data: (fields) => ({
      conversationId: 'conversation-3',
      subject: fields.get('subject') ?? 'A question',
      bodyPreview: fields.get('text') ?? 'Do you have time?',
      from: personOf(fields.get('from') ?? 'Lena Novak <lena.novak@example.com>'),
      toRecipients: fields.has('to') ? [personOf(fields.get('to')!)] : [],
      sentDateTime: fields.get('at') ?? at(),
      receivedDateTime: fields.get('at') ?? at(),
      webLink: 'https://outlook.office.com/3',
      isDraft: fields.get('draft') === 'true',
    }),
  },
  slack: {
    ...{ host: 'slack.com', title: 'Somebody writes', kind: 'said' },
    data: () => ({ text: 'Who takes this one?', ts: (Date.now() / 1000).toFixed(6) }),
  },
  teams: { host: GRAPH, title: 'Somebody writes', kind: 'said', data: () => ({ text: 'Who takes this one?', at: at() }) },
  mailersend: {
    ...{ host: 'api.mailersend.com', title: 'An email bounces', kind: 'mail' },
    data: () => ({
      type: 'hard_bounced',
      from: { email: 'me@example.com' },
      to: [{ email: 'gone@example.com' }],
      subject: 'Hello',
      at: at(),
    }),
  },
  voice: { host: 'api.retellai.com', title: 'A call ends', kind: 'call', data: () => ({}) },
  'google-calendar': { host: GOOGLE, title: 'An event is added', kind: 'event', data: () => ({}), does: calendarEvent },
  'outlook-calendar': { host: GRAPH, title: 'An event is added', kind: 'event', data: () => ({}), does: calendarEvent },
  calendly: { host: 'api.calendly.com', title: 'A meeting is booked', kind: 'meeting', data: () => ({ at: at() }) },
  hubspot: {
    ...{ host: 'api.hubapi.com', title: 'A contact is added', kind: 'contact' },
    data: () => ({ at: at(), properties: { firstname: 'Lena', lastname: 'Novak', email: 'lena.novak@example.com' } }),
  },
  'zoho-crm': { host: 'www.zohoapis.com', title: 'A contact is added', kind: 'contact', data: () => ({ ...contact, at: at() }) },
  salesforce: { host: 'sandbox.my.salesforce.com', title: 'A contact is added', kind: 'contact', data: () => ({ ...contact, at: at() }) },
  instagram: {
    ...{ host: 'graph.facebook.com', title: 'A post is published', kind: 'media' },
    data: () => ({ caption: 'Today only', permalink: 'https://www.instagram.com/p/2', timestamp: at(), like_count: 0, comments_count: 0 }),
  },
  facebook: {
    ...{ host: 'graph.facebook.com', title: 'A post is published', kind: 'post' },
    data: () => ({ message: 'Today only', created_time: at(), permalink_url: 'https://www.facebook.com/1001/posts/2' }),
  },
  linkedin: { host: 'api.linkedin.com', title: 'The profile gets another name', kind: 'profile', data: () => ({ name: who }) },
  twitter: { host: 'api.x.com', title: 'Somebody mentions you', kind: 'mention', data: () => ({ text: 'Try this', at: at() }) },
  'google-analytics': { host: 'analyticsdata.googleapis.com', title: 'A day passes', kind: 'day', data: () => ({}) },
  'google-ads': {
    ...{ host: 'googleads.googleapis.com', title: 'A campaign is started', kind: 'campaign' },
    data: () => ({ status: 'ENABLED' }),
  },
  'meta-ads': {
    ...{ host: 'graph.facebook.com', title: 'A campaign is started', kind: 'ad_object', id: '4002' },
    data: () => ({ kind: 'campaign', name: 'Templates', status: 'ACTIVE', daily_budget: '5000' }),
  },
  stripe: {
    ...{ host: 'api.stripe.com', title: 'A payment comes in', kind: 'charge' },
    data: () => ({ amount: 12_000, description: 'Website', created: Math.floor(Date.now() / 1000) }),
  },
  paypal: { host: 'api-m.paypal.com', title: 'A payment comes in', kind: 'transaction', data: () => ({ value: '120.00', at: at() }) },
  quickbooks: {
    ...{ host: 'quickbooks.api.intuit.com', title: 'An invoice is written', kind: 'invoice' },
    data: () => ({ DocNumber: '1002', TotalAmt: 240, TxnDate: at().slice(0, 10), MetaData: { CreateTime: at(), LastUpdatedTime: at() } }),
  },
  notion: {
    ...{ host: 'api.notion.com', title: 'A page is added', kind: 'page', id: 'page-4' },
    data: () => ({ database: 'db-1', title: 'Call Lena', status: 'Not started', priority: null, assignee: null, due: null, edited: at() }),
  },
  trello: { host: 'api.trello.com', title: 'A card is added', kind: 'card', data: () => ({ idList: 'l1', name: 'Call Lena' }) },
  asana: { host: 'app.asana.com', title: 'A task is added', kind: 'task', data: () => ({ data: { name: 'Call Lena' }, at: at() }) },
  'google-drive': {
    ...{ host: 'www.googleapis.com', title: 'A file is added', kind: 'file' },
    data: () => ({ name: 'Contract.pdf', mimeType: 'application/pdf', webViewLink: 'https://drive.google.com/3', modifiedTime: at() }),
  },
}

export function happeningRoutes(objects: Table<AppObject>, idOf: State['id']): Route[] {
  const happen = (request: WireRequest) => {
    const fields = form(request)
    const what = happenings[fields.get('app') ?? '']
    const email = (fields.get('email') ?? '').trim().toLowerCase()
    if (!what || !email.includes('@')) return json({ message: 'Name an app and the address of an account.' }, 400)
    const { host, kind, data, id, does } = what
    const account = `${host}:${email}`
    const there: There = {
      host,
      list: (of) => objects.newest().filter((each) => each.account === account && each.kind === of),
      set: (key, of, value) => objects.put({ id: `${account}/${key}`, account, kind: of, data: { ...value, key } }),
    }
    if (does) does(there)
    else if (id) there.set(id, kind, data(fields))
    else objects.put({ id: idOf(kind, 12), account, kind, data: data(fields) })
    return redirect('/sandbox/apps')
  }
  return [route('POST', '/sandbox/apps/happen', happen)]
}

export const happeningForm = (
  email: string,
) => html`<h2>Let something happen over there</h2><form method="post" action="/sandbox/apps/happen" class="row">
<select name="app" aria-label="What">${Object.entries(happenings).map(([app, { title }]) => html`<option value="${app}">${app}: ${title}</option>`)}</select>
<input name="email" type="email" aria-label="Account" value="${email}" required><button>Let it happen</button></form>`
