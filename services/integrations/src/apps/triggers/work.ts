import { DAY_MS, now } from '@operon/kit/clock'
import { z } from 'zod'
import { type AppTrigger, appears, changes, field, listOf, row } from '../app.ts'
import { notionTitle } from '../work.ts'

const nothing = z.object({})
const amount = (cents: unknown, currency: unknown) => `${(Number(cents ?? 0) / 100).toFixed(2)} ${String(currency ?? '').toUpperCase()}`

export const stripe: Record<string, AppTrigger> = {
  'payment-received': appears(
    nothing,
    (_input, since) => ({ path: '/charges', query: { limit: 100, 'created[gte]': Math.floor(since.getTime() / 1000) } }),
    ({ data }) =>
      listOf(data)
        .filter(({ status }) => status === 'succeeded')
        .map((each) =>
          row(each.id, amount(each.amount, each.currency), {
            detail: each.description ?? each.billing_details?.email,
            at: new Date(each.created * 1000).toISOString(),
          }),
        ),
    { timed: true },
  ),
}

export const paypal: Record<string, AppTrigger> = {
  // It lists a payment up to three hours after it was made, so a day is asked for each time.
  'payment-received': appears(
    nothing,
    () => ({
      path: '/v1/reporting/transactions',
      query: {
        start_date: new Date(now() - DAY_MS).toISOString(),
        end_date: new Date(now()).toISOString(),
        fields: 'transaction_info',
        page_size: 100,
      },
    }),
    ({ transaction_details }) =>
      listOf(transaction_details)
        .filter(({ transaction_info: info }) => Number(info?.transaction_amount?.value) > 0)
        .map(({ transaction_info: info }) =>
          row(info.transaction_id, `${info.transaction_amount.value} ${info.transaction_amount.currency_code}`, {
            detail: info.transaction_subject,
            at: info.transaction_initiation_date,
          }),
        ),
  ),
}

export const quickbooks: Record<string, AppTrigger> = {
  'invoice-changed': changes(
    nothing,
    (_input, since) => ({
      path: '/query',
      query: {
        query: `select * from Invoice where MetaData.LastUpdatedTime >= '${since.toISOString()}' orderby MetaData.LastUpdatedTime desc maxresults 100`,
        minorversion: 75,
      },
    }),
    ({ QueryResponse }) =>
      listOf(QueryResponse?.Invoice).map((each) =>
        row(each.Id, `${each.DocNumber ?? each.Id}: ${each.TotalAmt}`, {
          detail: each.CustomerRef?.name,
          at: each.MetaData?.LastUpdatedTime,
        }),
      ),
  ),
}

export const notion: Record<string, AppTrigger> = {
  'page-changed': changes(
    nothing,
    () => ({
      method: 'POST',
      path: '/search',
      json: {
        filter: { property: 'object', value: 'page' },
        sort: { direction: 'descending', timestamp: 'last_edited_time' },
        page_size: 100,
      },
    }),
    ({ results }) => listOf(results).map((page) => row(page.id, notionTitle(page), { url: page.url, at: page.last_edited_time })),
  ),
}

export const trello: Record<string, AppTrigger> = {
  'new-card': appears(
    z.object({ board: field.text('Board', 60), list: field.text('List', 60) }),
    ({ list }) => ({ path: `/lists/${encodeURIComponent(list)}/cards`, query: { fields: 'id,name,desc,shortUrl,due' } }),
    (cards) => listOf(cards).map((each) => row(each.id, each.name, { detail: each.desc, url: each.shortUrl })),
  ),
}

export const asana: Record<string, AppTrigger> = {
  'new-task': appears(
    z.object({ project: field.text('Project', 60) }),
    ({ project }, since) => ({
      path: '/tasks',
      query: { project, modified_since: since.toISOString(), limit: 100, opt_fields: 'gid,name,created_at,permalink_url' },
    }),
    ({ data }) => listOf(data).map((each) => row(each.gid, each.name, { url: each.permalink_url, at: each.created_at })),
    { timed: true },
  ),
}

export const googleDrive: Record<string, AppTrigger> = {
  'file-changed': changes(
    nothing,
    (_input, since) => ({
      path: '/files',
      query: {
        q: `trashed = false and modifiedTime > '${since.toISOString().slice(0, 19)}'`,
        orderBy: 'modifiedTime desc',
        pageSize: 100,
        fields: 'files(id,name,mimeType,webViewLink,modifiedTime)',
      },
    }),
    ({ files }) =>
      listOf(files).map((file) => row(file.id, file.name, { detail: file.mimeType, url: file.webViewLink, at: file.modifiedTime })),
  ),
}
