import { z } from 'zod'
import { type Answer, type AppDefinition, does, field, listOf, made, pagedBy, reads, row } from './app.ts'

const graph = {
  vendor: 'meta',
  api: 'https://graph.facebook.com/v26.0',
  who: { path: '/me', query: { fields: 'id,name' }, read: ({ id, name }) => ({ id: String(id), name: name ?? String(id) }) },
  perMinute: 200,
  paging: pagedBy('after', ({ paging }) => paging?.next && paging.cursors?.after),
} as const satisfies Partial<AppDefinition>

/** A page's posts are read and written under its own token, which those who run it may ask for. */
export const ofPage = (page: string) => ({
  under: { path: `/${encodeURIComponent(page)}`, query: { fields: 'access_token' }, token: ({ access_token }: Answer) => access_token },
})

export const facebook: AppDefinition = {
  ...graph,
  id: 'facebook',
  scopes: ['public_profile', 'pages_show_list', 'pages_manage_posts', 'pages_read_engagement'],
  actions: {
    'list-pages': reads(
      'List pages',
      z.object({}),
      () => ({ path: '/me/accounts', query: { fields: 'id,name,link' } }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.name, { url: each.link })),
    ),
    'list-posts': reads(
      'List posts',
      z.object({ page: field.text('Page', 60), limit: field.limit }),
      ({ page, limit }) => ({
        ...ofPage(page),
        path: `/${encodeURIComponent(page)}/posts`,
        query: { fields: 'id,message,permalink_url,created_time', limit },
      }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.message, { url: each.permalink_url, at: each.created_time })),
    ),
    'publish-post': does(
      'Publish a post',
      'sends',
      z.object({ page: field.text('Page', 60), text: field.text('Text') }),
      ({ page, text }) => ({ ...ofPage(page), method: 'POST', path: `/${encodeURIComponent(page)}/feed`, json: { message: text } }),
      ({ id }) => made(id),
    ),
  },
}

export const instagram: AppDefinition = {
  ...graph,
  id: 'instagram',
  scopes: ['public_profile', 'instagram_basic', 'instagram_content_publish', 'pages_show_list'],
  actions: {
    'list-accounts': reads(
      'List accounts',
      z.object({}),
      () => ({ path: '/me/accounts', query: { fields: 'name,instagram_business_account{id,username}' } }),
      ({ data }) =>
        listOf(data)
          .filter((each) => each.instagram_business_account)
          .map((each) => row(each.instagram_business_account.id, each.instagram_business_account.username, { detail: each.name })),
    ),
    'list-posts': reads(
      'List posts',
      z.object({ account: field.text('Account', 60), limit: field.limit }),
      ({ account, limit }) => ({
        path: `/${encodeURIComponent(account)}/media`,
        query: { fields: 'id,caption,permalink,timestamp,like_count,comments_count', limit },
      }),
      ({ data }) =>
        listOf(data).map((each) =>
          row(each.id, each.caption, {
            detail: `${each.like_count ?? 0} likes, ${each.comments_count ?? 0} comments`,
            url: each.permalink,
            at: each.timestamp,
          }),
        ),
    ),
  },
}

export const metaAds: AppDefinition = {
  ...graph,
  id: 'meta-ads',
  scopes: ['public_profile', 'ads_read', 'ads_management'],
  actions: {
    'list-ad-accounts': reads(
      'List ad accounts',
      z.object({}),
      () => ({ path: '/me/adaccounts', query: { fields: 'id,name,currency,account_status' } }),
      ({ data }) => listOf(data).map((each) => row(each.id, each.name, { detail: each.currency })),
    ),
    'list-campaigns': reads(
      'List campaigns',
      z.object({ account: field.text('Ad account, as act_123', 60), limit: field.limit }),
      ({ account, limit }) => ({
        path: `/${encodeURIComponent(account)}/campaigns`,
        query: { fields: 'id,name,status,daily_budget,insights.date_preset(last_7d){spend,clicks,impressions}', limit },
      }),
      ({ data }) =>
        listOf(data).map((each) => {
          const seen = each.insights?.data?.[0]
          return row(each.id, each.name, {
            detail: `${each.status}${seen ? `, ${seen.spend} spent, ${seen.clicks} clicks in 7 days` : ''}`,
          })
        }),
    ),
    'pause-campaign': does(
      'Pause a campaign',
      'changes',
      z.object({ campaign: field.text('Campaign', 60) }),
      ({ campaign }) => ({ method: 'POST', path: `/${encodeURIComponent(campaign)}`, json: { status: 'PAUSED' } }),
      () => made(null),
    ),
  },
}
