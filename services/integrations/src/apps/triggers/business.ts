import { z } from 'zod'
import { type AppTrigger, appears, changes, field, listOf, row } from '../app.ts'
import { ofPage } from '../meta.ts'

const nothing = z.object({})

export const hubspot: Record<string, AppTrigger> = {
  'contact-changed': changes(
    nothing,
    (_input, since) => ({
      method: 'POST',
      path: '/crm/v3/objects/contacts/search',
      json: {
        filterGroups: [{ filters: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: String(since.getTime()) }] }],
        sorts: [{ propertyName: 'lastmodifieddate', direction: 'DESCENDING' }],
        properties: ['firstname', 'lastname', 'email'],
        limit: 100,
      },
    }),
    ({ results }) =>
      listOf(results).map(({ id, properties, updatedAt }) =>
        row(id, [properties?.firstname, properties?.lastname].filter(Boolean).join(' ') || properties?.email, {
          detail: properties?.email,
          at: updatedAt,
        }),
      ),
  ),
}

export const zohoCrm: Record<string, AppTrigger> = {
  'contact-changed': changes(
    nothing,
    (_input, since) => ({
      path: '/Contacts',
      query: { fields: 'Full_Name,Email,Modified_Time', sort_by: 'Modified_Time', sort_order: 'desc', per_page: 100 },
      headers: { 'if-modified-since': since.toISOString() },
    }),
    ({ data }) => listOf(data).map((each) => row(each.id, each.Full_Name, { detail: each.Email, at: each.Modified_Time })),
  ),
}

export const salesforce: Record<string, AppTrigger> = {
  'contact-changed': changes(
    nothing,
    (_input, since) => ({
      path: '/query',
      query: {
        q: `select Id, Name, Email, LastModifiedDate from Contact where LastModifiedDate >= ${since.toISOString()} order by LastModifiedDate desc limit 100`,
      },
    }),
    ({ records }) => listOf(records).map((each) => row(each.Id, each.Name, { detail: each.Email, at: each.LastModifiedDate })),
  ),
}

export const instagram: Record<string, AppTrigger> = {
  'new-post': appears(
    z.object({ account: field.text('Account', 60) }),
    ({ account }) => ({ path: `/${encodeURIComponent(account)}/media`, query: { fields: 'id,caption,permalink,timestamp', limit: 100 } }),
    ({ data }) => listOf(data).map((each) => row(each.id, each.caption, { url: each.permalink, at: each.timestamp })),
    { timed: true },
  ),
}

export const facebook: Record<string, AppTrigger> = {
  'new-post': appears(
    z.object({ page: field.text('Page', 60) }),
    ({ page }) => ({
      ...ofPage(page),
      path: `/${encodeURIComponent(page)}/posts`,
      query: { fields: 'id,message,permalink_url,created_time', limit: 100 },
    }),
    ({ data }) => listOf(data).map((each) => row(each.id, each.message, { url: each.permalink_url, at: each.created_time })),
    { timed: true },
  ),
}

export const linkedin: Record<string, AppTrigger> = {
  'profile-changed': changes(
    nothing,
    () => ({ path: '/v2/userinfo' }),
    ({ sub, name, email, picture }) => [row(sub, name, { detail: [name, email, picture].filter(Boolean).join(', ') })],
    false,
  ),
}

export const twitter: Record<string, AppTrigger> = {
  'new-mention': appears(
    nothing,
    (_input, since, { fields }) => ({
      path: `/users/${encodeURIComponent(fields?.account ?? '')}/mentions`,
      query: { max_results: 100, 'tweet.fields': 'created_at', start_time: `${since.toISOString().slice(0, 19)}Z` },
    }),
    ({ data }) => listOf(data).map((each) => row(each.id, each.text, { at: each.created_at, url: `https://x.com/i/status/${each.id}` })),
    { timed: true },
  ),
}

export const googleAnalytics: Record<string, AppTrigger> = {
  'day-counted': appears(
    z.object({ property: field.text('Property, as properties/123', 60) }),
    ({ property }) => ({
      method: 'POST',
      path: `/properties/${/\d+/.exec(property)?.[0] ?? '0'}:runReport`,
      json: {
        dateRanges: [{ startDate: 'yesterday', endDate: 'yesterday' }],
        dimensions: [{ name: 'date' }],
        metrics: [{ name: 'activeUsers' }, { name: 'sessions' }],
      },
    }),
    ({ rows }) =>
      listOf(rows).map((each) =>
        row(each.dimensionValues?.[0]?.value, `${each.metricValues?.[0]?.value ?? 0} visitors`, {
          detail: `${each.metricValues?.[1]?.value ?? 0} sessions`,
        }),
      ),
  ),
}

export const googleAds: Record<string, AppTrigger> = {
  'campaign-changed': changes(
    z.object({ account: field.text('Account, as customers/123', 60) }),
    ({ account }) => ({
      method: 'POST',
      path: `/customers/${/\d+/.exec(account)?.[0] ?? '0'}/googleAds:search`,
      json: { query: 'select campaign.id, campaign.name, campaign.status from campaign order by campaign.id desc limit 100' },
    }),
    ({ results }) => listOf(results).map(({ campaign }) => row(campaign?.id, campaign?.name, { detail: campaign?.status })),
    false,
  ),
}

export const metaAds: Record<string, AppTrigger> = {
  'campaign-changed': changes(
    z.object({ account: field.text('Ad account, as act_123', 60) }),
    ({ account }) => ({ path: `/${encodeURIComponent(account)}/campaigns`, query: { fields: 'id,name,status', limit: 100 } }),
    ({ data }) => listOf(data).map((each) => row(each.id, each.name, { detail: each.status })),
    false,
  ),
}
