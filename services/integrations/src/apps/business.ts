import { z } from 'zod'
import { type AppDefinition, does, field, listOf, made, pagedBy, reads, row } from './app.ts'

const contact = z.object({
  name: field.text('Name', 200),
  email: field.email,
  phone: field.optional('Phone', 40),
  company: field.optional('Company', 200),
})
const parts = (name: string) => {
  const [first = '', ...rest] = name.trim().split(/\s+/)
  return { first, last: rest.join(' ') || first }
}

export const hubspot: AppDefinition = {
  id: 'hubspot',
  vendor: 'hubspot',
  scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write', 'crm.objects.deals.read'],
  api: 'https://api.hubapi.com',
  who: {
    path: '/account-info/v3/details',
    read: ({ portalId, uiDomain }) => ({ id: String(portalId), name: `Account ${portalId}${uiDomain ? ` at ${uiDomain}` : ''}` }),
  },
  perMinute: 400,
  paging: pagedBy('after', ({ paging }) => paging?.next?.after),
  actions: {
    'find-contacts': reads(
      'Find contacts',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({
        method: 'POST',
        path: '/crm/v3/objects/contacts/search',
        json: { query: words, limit, properties: ['firstname', 'lastname', 'email'] },
      }),
      ({ results }) =>
        listOf(results).map(({ id, properties, updatedAt }) =>
          row(id, [properties?.firstname, properties?.lastname].filter(Boolean).join(' ') || properties?.email, {
            detail: properties?.email,
            at: updatedAt,
          }),
        ),
    ),
    'add-contact': does(
      'Add a contact',
      'changes',
      contact,
      ({ name, email, phone, company }) => ({
        method: 'POST',
        path: '/crm/v3/objects/contacts',
        json: { properties: { firstname: parts(name).first, lastname: parts(name).last, email, phone, company } },
      }),
      ({ id }) => made(id),
    ),
    'list-deals': reads(
      'List deals',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/crm/v3/objects/deals', query: { limit, properties: 'dealname,amount,dealstage,closedate' } }),
      ({ results }) =>
        listOf(results).map(({ id, properties }) =>
          row(id, properties?.dealname, {
            detail: `${properties?.amount ?? 0}, ${properties?.dealstage ?? ''}`,
            at: properties?.closedate,
          }),
        ),
    ),
  },
}

export const zohoCrm: AppDefinition = {
  id: 'zoho-crm',
  vendor: 'zoho',
  scopes: ['ZohoCRM.modules.ALL', 'ZohoCRM.users.READ'],
  api: ({ base }) => `${base ?? 'https://www.zohoapis.com'}/crm/v8`,
  sign: ({ access }, request) => ({ ...request, headers: { ...request.headers, authorization: `Zoho-oauthtoken ${access}` } }),
  who: {
    path: '/users',
    query: { type: 'CurrentUser' },
    read: ({ users }) => ({ id: String(users?.[0]?.id), name: users?.[0]?.email ?? users?.[0]?.full_name }),
  },
  perMinute: 100,
  paging: pagedBy('page', ({ info }) => info?.more_records && Number(info.page) + 1),
  actions: {
    'find-contacts': reads(
      'Find contacts',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({ path: '/Contacts/search', query: { word: words, per_page: limit } }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.Full_Name ?? each.Last_Name, { detail: each.Email })),
    ),
    'add-contact': does(
      'Add a contact',
      'changes',
      contact,
      ({ name, email, phone }) => ({
        method: 'POST',
        path: '/Contacts',
        json: { data: [{ First_Name: parts(name).first, Last_Name: parts(name).last, Email: email, Phone: phone }] },
      }),
      ({ data }) => made(data?.[0]?.details?.id),
    ),
    'list-deals': reads(
      'List deals',
      z.object({ limit: field.limit }),
      ({ limit }) => ({ path: '/Deals', query: { fields: 'Deal_Name,Amount,Stage', per_page: limit } }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.Deal_Name, { detail: `${each.Amount ?? 0}, ${each.Stage ?? ''}` })),
    ),
  },
}

const soql = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
export const salesforce: AppDefinition = {
  id: 'salesforce',
  vendor: 'salesforce',
  scopes: ['api', 'refresh_token', 'openid'],
  api: ({ base }) => `${base ?? 'https://login.salesforce.com'}/services/data/v64.0`,
  who: {
    path: 'https://login.salesforce.com/services/oauth2/userinfo',
    read: ({ organization_id, user_id, email }) => ({ id: organization_id ?? user_id, name: email ?? user_id }),
  },
  perMinute: 100,
  actions: {
    'find-contacts': reads(
      'Find contacts',
      z.object({ words: field.words, limit: field.limit }),
      ({ words, limit }) => ({
        path: '/query',
        query: { q: `select Id, Name, Email from Contact where Name like '%${soql(words)}%' limit ${limit}` },
      }),
      ({ records }) => listOf(records).map((each) => row(each.Id, each.Name, { detail: each.Email })),
    ),
    'add-contact': does(
      'Add a contact',
      'changes',
      contact,
      ({ name, email, phone }) => ({
        method: 'POST',
        path: '/sobjects/Contact',
        json: { FirstName: parts(name).first, LastName: parts(name).last, Email: email, Phone: phone },
      }),
      ({ id }) => made(id),
    ),
    'list-opportunities': reads(
      'List opportunities',
      z.object({ limit: field.limit }),
      ({ limit }) => ({
        path: '/query',
        query: { q: `select Id, Name, StageName, Amount, CloseDate from Opportunity order by CloseDate desc limit ${limit}` },
      }),
      ({ records }) =>
        listOf(records).map((each) => row(each.Id, each.Name, { detail: `${each.Amount ?? 0}, ${each.StageName}`, at: each.CloseDate })),
    ),
  },
}

export const calendly: AppDefinition = {
  id: 'calendly',
  vendor: 'calendly',
  scopes: ['users:read', 'event_types:read', 'scheduled_events:read', 'scheduling_links:write'],
  api: 'https://api.calendly.com',
  who: { path: '/users/me', read: ({ resource }) => ({ id: resource.uri, name: resource.email ?? resource.name }) },
  perMinute: 60,
  paging: pagedBy('page_token', ({ pagination }) => pagination?.next_page_token),
  actions: {
    'list-event-types': reads(
      'List booking pages',
      z.object({ limit: field.limit }),
      ({ limit }, { fields }) => ({ path: '/event_types', query: { user: fields?.owner, count: limit, active: 'true' } }),
      ({ collection }) =>
        listOf(collection).map((each) => row(each.uri, each.name, { detail: `${each.duration} minutes`, url: each.scheduling_url })),
    ),
    'list-meetings': reads(
      'List booked meetings',
      z.object({ from: field.time('From').optional(), limit: field.limit }),
      ({ from, limit }, { fields }) => ({
        path: '/scheduled_events',
        query: {
          user: fields?.owner,
          count: limit,
          status: 'active',
          sort: 'start_time:asc',
          min_start_time: from ?? new Date().toISOString(),
        },
      }),
      ({ collection }) => listOf(collection).map((each) => row(each.uri, each.name, { at: each.start_time, detail: each.status })),
    ),
    'make-single-use-link': does(
      'Make a link for a single booking',
      'changes',
      z.object({ event_type: field.text('Booking page', 200) }),
      ({ event_type }) => ({
        method: 'POST',
        path: '/scheduling_links',
        json: { max_event_count: 1, owner: event_type, owner_type: 'EventType' },
      }),
      ({ resource }) => made(resource?.owner, resource?.booking_url),
    ),
  },
}

export const linkedin: AppDefinition = {
  id: 'linkedin',
  vendor: 'linkedin',
  scopes: ['openid', 'profile', 'email', 'w_member_social'],
  api: 'https://api.linkedin.com',
  headers: { 'x-restli-protocol-version': '2.0.0', 'linkedin-version': '202607' },
  idHeader: 'x-restli-id',
  who: { path: '/v2/userinfo', read: ({ sub, email, name }) => ({ id: sub, name: name ?? email ?? sub }) },
  perMinute: 100,
  actions: {
    'read-profile': reads(
      'Read the profile',
      z.object({}),
      () => ({ path: '/v2/userinfo' }),
      ({ sub, name, email }) => [row(sub, name, { detail: email })],
    ),
    'publish-post': does(
      'Publish a post',
      'sends',
      z.object({ text: field.text('Text', 3000) }),
      ({ text }, { fields }) => ({
        method: 'POST',
        path: '/rest/posts',
        json: {
          author: `urn:li:person:${fields?.account ?? ''}`,
          commentary: text,
          visibility: 'PUBLIC',
          distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
          lifecycleState: 'PUBLISHED',
          isReshareDisabledByAuthor: false,
        },
      }),
      ({ id }) => made(id),
    ),
  },
}

export const twitter: AppDefinition = {
  id: 'twitter',
  vendor: 'twitter',
  scopes: ['tweet.read', 'tweet.write', 'users.read', 'offline.access'],
  api: 'https://api.x.com/2',
  who: { path: '/users/me', read: ({ data }) => ({ id: data.id, name: `@${data.username}` }) },
  perMinute: 15,
  paging: pagedBy('pagination_token', ({ meta }) => meta?.next_token),
  actions: {
    'list-posts': reads(
      'List posts',
      z.object({ limit: z.int().min(5).max(100).default(10).describe('How many, at most') }),
      ({ limit }, { fields }) => ({
        path: `/users/${encodeURIComponent(fields?.account ?? '')}/tweets`,
        query: { max_results: limit, 'tweet.fields': 'created_at' },
      }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.text, { at: each.created_at, url: `https://x.com/i/status/${each.id}` })),
    ),
    'publish-post': does(
      'Publish a post',
      'sends',
      z.object({ text: field.text('Text', 280) }),
      ({ text }) => ({ method: 'POST', path: '/tweets', json: { text } }),
      ({ data }) => made(data?.id, data?.id && `https://x.com/i/status/${data.id}`),
    ),
  },
}
