import { demoUseOf, type Endpoint } from '@operon/contracts/contract'
import { endpointsOf, nameOf, tablesOf } from '@operon/contracts/registry'
import type { ServiceName } from '@operon/contracts/services'
import { z } from 'zod'
import { sample } from '../attack/document.ts'
import { LONG_CONVERSATION } from './fill.ts'
import { KNOWN_PIPELINE, LONG_CAMPAIGN } from './values.ts'
import { functionsOfWebApp, readsOfWebApp } from './web-calls.ts'

export type Who = 'owner' | 'staff' | 'service'
export type Call = {
  name: string
  service: ServiceName
  who: Who
  method: string
  path: string
  body?: unknown
  /** A screen waits for it; otherwise programs and assistants do. */
  screen: boolean
}

/** Where the example of a contract, or made-up values, would not find the owner's rows. */
export const BODIES: Record<string, (ids: Ids) => any> = {
  'staff-account': ({ ownerId }) => ({ query: ownerId, reason: 'Looking into growth' }),
  'staff-books': () => ({ reason: 'Looking into growth', compare_again: false }),
  'search-conversations': () => ({ query: 'spring', features: ['assistant', 'chat'] }),
  'staff-app-requests': () => ({ reason: 'Looking into growth' }),
  'staff-month': () => ({ month: '2026-11', reason: 'Looking into growth' }),
  'staff-matters': () => ({ reason: 'Looking into growth' }),
  'staff-suspense': () => ({ reason: 'Looking into growth' }),
  'staff-figures': () => ({ reason: 'Looking into growth' }),
  'staff-figure-rows': () => ({ figure: 'mrr', reason: 'Looking into growth' }),
  'staff-seller': ({ ownerId }) => ({ query: ownerId, reason: 'Looking into growth' }),
  'sales-statement': () => ({ month: new Date().toISOString().slice(0, 7), format: 'csv' }),
  'statement-export': () => ({ month: new Date().toISOString().slice(0, 7) }),
  'list-images': () => ({ q: 'bicycle' }),
  'validate-referral': () => ({ code: 'value-7' }),
  'show-sale': ({ aSale }) => ({ sale_id: aSale }),
  'preview-refund': ({ aSale }) => ({ sale_id: aSale, reason: 'Looking into growth' }),
  'read-product': ({ aProduct }) => ({ item_id: aProduct }),
  'product-analytics': ({ aProduct }) => ({ item_id: aProduct, days: 90 }),
  'item-reviews': ({ aProduct }) => ({ item_id: aProduct }),
  'shared-image': ({ aShare }) => ({ token: aShare }),
  'list-appointments': () => ({ from: new Date(Date.now() - 7 * 86_400_000).toISOString(), to: new Date().toISOString() }),
  'show-board': () => ({ pipeline_id: KNOWN_PIPELINE }),
  'get-campaign': () => ({ campaign_id: LONG_CAMPAIGN }),
  'campaign-report': () => ({ campaign_id: LONG_CAMPAIGN }),
  'list-recipients': () => ({ campaign_id: LONG_CAMPAIGN }),
  'ai-estimate': () => ({ models: ['gpt-4o-mini'], text: 'A word about spring' }),
}

/** Calls that change something and work in the database alone: timed as well, as often as they can be. */
export const CHANGES: Record<string, (ids: Ids) => any> = {
  'notifications-read': () => ({}),
}

/** Reads of the registry that are not timed, and why. */
export const UNTIMED: Record<string, string> = {
  'checkout-status': 'asks the payment provider about one session',
  'top-up-status': 'the same',
  'preview-top-up-refund': 'one top-up, by its id',
  'staff-coupons': 'asks the payment provider for its promotion codes',
  'boards-of-image': 'the boards of one image, by its id',
  'order-status': 'opens by the token of one order',
  'show-order': 'one order, by its token or id',
  'order-download': 'one file of one order, by its token or id',
  'order-messages': 'the messages of one order, by its token or id',
  'order-documents': 'the documents of one order, by its token or id',
  'order-document': 'one document of one order, by its token or id',
  'open-document': 'one document, by its id',
  'dispute-evidence': 'what is on record of one order, by its id',
  'thread-file': 'one file of one conversation, by its id',
  'show-import': 'one import, by its id',
  'export-contacts': 'all contacts, a page at a time',
  'show-contact': 'one contact, by its id',
  'show-company': 'one company, by its id',
  'contact-files': 'the files of one contact, by its id',
  'list-merges': 'at most twenty merges and five others of one contact, by its id',
  'show-deal': 'one deal and its hundred latest steps, by its id',
  'contact-timeline': 'thirty entries of one contact, by its id',
  'show-thread': 'fifty messages of one conversation, by its id',
  'cart-quote': 'at most twenty products, by their ids',
  'preview-switch': 'asks the payment provider about one subscription',
  'preview-segment': 'counts whom a segment reaches, so it takes as long as the account has contacts',
  'preview-campaign': 'counts whom a segment reaches, so it takes as long as the account has contacts',
  'preview-email': 'one email of one sender',
  'show-email-template': 'one template, by its id',
  'check-email': 'follows the links of one email',
  'show-booking': 'one booking, by the token of its link',
  'show-lead-form': 'one form, by the id of its link',
  'show-booking-page': 'at most a hundred pages of one person, by their address',
  'list-slots': 'one page by its address; booking.test.ts times it beside 20,000 bookings',
  'notion-api': 'asks a connected app',
  'read-from-app': 'asks a connected app',
  'find-notion-pages': 'asks a connected app',
  'meta-ads-analytics': 'asks a connected app, or keeps one row a list',
  'list-ads': 'asks a connected app, or keeps one row a list',
  'preview-ad': 'asks a connected app',
  'preview-ad-change': 'asks a connected app',
  'show-notion-page': 'asks a connected app',
  'list-notion-columns': 'asks a connected app',
  'list-notion-changes': 'asks a connected app',
  'propose-notion-sync': 'asks a connected app',
  'list-calendar-changes': 'asks a connected app',
  'find-mail-with': 'asks connected mailboxes',
  'find-contact-mail': 'ten addresses of one contact, and asks connected mailboxes',
  'read-custom-api': 'asks an API of the person’s own',
  'list-mcp-tools': 'at most a hundred tools of one server, by its id',
  'list-custom-operations': 'at most 300 operations of one API, by its id',
  'show-connection': 'fifty calls of one connection, by its id',
  'check-domains': 'asks the registries of domains',
  'ai-chat': 'an answer of a model: `npm run bench ai`',
  'ai-compare': 'answers of models: `npm run bench ai`',
  'ai-orchestrator': 'an answer of a model: `npm run bench ai`',
  '/ai/v1/models/:model': 'one of a list in memory',
}

/** Where a list is asked for what its first page does not show. */
const DEEPER: Omit<Call, 'method'>[] = [
  ['a deep page', 'identity', 'service', '/auth/v1/admin/users?page=900'] as const,
  ['a filter', 'identity', 'service', '/auth/v1/admin/users?filter=person-7'] as const,
  ['a filter that fits nobody', 'identity', 'service', '/auth/v1/admin/users?filter=nobody-at-all'] as const,
  ['a deep page', 'identity', 'service', '/auth/v1/admin/audit?page=900'] as const,
  ['by author', 'identity', 'service', '/auth/v1/admin/audit?query=author:person-7'] as const,
  ['by an author who did nothing', 'identity', 'service', '/auth/v1/admin/audit?query=author:nobody-at-all'] as const,
  ['a deep page', 'analytics', 'owner', '/rest/v1/activity_logs?select=*&order=created_at.desc,id.desc&limit=20&offset=40000'] as const,
].map(([what, service, who, path]) => ({ name: `${path.replace(/\?.*/, '')}, ${what}`, service, who, path, screen: false }))

/** A word that stands nowhere, one that stands in everything, and what else a search is asked for: its example alone would find its page at once. */
const SEARCHED: [service: ServiceName, name: string, what: string, body: object][] = [
  ['marketplace', 'list-products', 'a word that is nowhere', { q: 'nobody-at-all' }],
  ['marketplace', 'list-products', 'a word of many', { q: 'value 7' }],
  ['marketplace', 'list-products', 'two letters', { q: 'qz' }],
  ['marketplace', 'find-order', 'a word that is nowhere', { query: 'nobody-at-all' }],
  ['marketplace', 'find-order', 'a word of all', { query: 'person-' }],
  ['marketplace', 'find-order', 'the oldest', { query: 'person-2@example' }],
  ['marketplace', 'find-order', 'two letters', { query: 'qz' }],
  ['billing', 'find-payment', 'a word that is nowhere', { query: 'nobody-at-all' }],
  ['billing', 'find-payment', 'a word of many', { query: 'value 8' }],
  ['billing', 'find-payment', 'an amount of all', { query: '49.00' }],
  ['billing', 'find-payment', 'an amount of none', { query: '123.45' }],
  ['billing', 'find-payment', 'two letters', { query: 'qz' }],
  ['crm', 'find-contacts', 'a word that is nowhere', { query: 'nobody-at-all' }],
  ['crm', 'find-contacts', 'a word of all, by activity', { query: 'person', sort: 'activity' }],
  ['crm', 'find-deals', 'a word that is nowhere', { query: 'nobody-at-all' }],
  ['crm', 'find-deals', 'a word of many, by amount', { query: 'value 8', sort: 'amount' }],
  ['crm', 'find-deals', 'open, by closing', { state: 'open', sort: 'closing' }],
  ['crm', 'find-deals', 'lost, by amount', { state: 'lost', sort: 'amount' }],
  ['crm', 'find-companies', 'a word that is nowhere', { query: 'nobody-at-all' }],
  ['ai-gateway', 'search-conversations', 'a word that is nowhere', { query: 'nobody-at-all' }],
  ['media', 'list-images', 'a word that is nowhere', { q: 'nobody-at-all' }],
]

/** `rows`: one of the owner's by `service kind`. */
export type Ids = {
  ownerId: string
  rows: Record<string, string>
  aRow: string
  anEndpoint: string
  aSale: string
  aProduct: string
  aShare: string
}

/** Every read that the public door has, those of the screens as the screens ask them. */
export async function growingCalls(services: ServiceName[], ids: Ids): Promise<Call[]> {
  const { ownerId, aRow } = ids
  const screens = await functionsOfWebApp()
  const tables = new Map(services.flatMap((service) => tablesOf(service).map(({ name }) => [name, service] as const)))
  const reads = await readsOfWebApp({ user_id: ownerId, conversation_id: LONG_CONVERSATION, id: aRow })
  const rows = reads.flatMap(({ table, query }): Call[] => {
    const service = tables.get(table)
    if (!service) throw new Error(`the web app reads ${table}, which is nobody's`)
    const path = `/rest/v1/${table}?${query}`
    return [{ name: `${table} ${brief(query)}`, service, who: 'owner', method: 'GET', path, screen: true }]
  })
  const functions = services.flatMap((service) =>
    endpointsOf(service)
      .filter((endpoint) => isRead(endpoint) || (endpoint.path.startsWith('/functions/') && nameOf(endpoint) in CHANGES))
      .flatMap((endpoint) => asCalls(service, endpoint, ids, screens)),
  )
  const deeper = DEEPER.filter(({ service }) => services.includes(service)).map((call) => ({ ...call, method: 'GET' }))
  const searched = SEARCHED.filter(([service]) => services.includes(service)).map(
    ([service, name, what, body]): Call => ({
      ...{ name: `${name}, ${what}`, service, who: 'owner', method: 'POST', path: `/functions/v1/${name}`, body, screen: true },
    }),
  )
  return [...rows, ...functions, ...searched, ...deeper]
}

const isRead = (endpoint: Endpoint) =>
  demoUseOf(endpoint, endpoint.method) === 'reads' &&
  endpoint.method !== 'HEAD' &&
  !endpoint.notOffered &&
  !endpoint.bytes &&
  !endpoint.contentType &&
  !/oauth|logout|sandbox|callback|authorize|verify|sso|\/mcp|files|well-known/.test(endpoint.path)

function asCalls(service: ServiceName, endpoint: Endpoint, ids: Ids, screens: Set<string>): Call[] {
  const isFunction = endpoint.path.startsWith('/functions/')
  const short = isFunction ? nameOf(endpoint) : endpoint.path
  if (short in UNTIMED) return []
  const body = bodyOf(service, endpoint, short, ids)
  const path = endpoint.path.replace(/[:{](\w+)}?/g, (_, name: string) =>
    /user/.test(name) ? ids.ownerId : encodeURIComponent(((made(endpoint.params) ?? {}) as Record<string, string>)[name]!),
  )
  const call = { service, who: whoCalls(endpoint), method: endpoint.method, screen: screens.has(short) || !isFunction }
  return [
    { ...call, name: `${endpoint.method === 'GET' ? 'GET ' : ''}${short}`, path, ...(endpoint.method !== 'GET' && { body: body ?? {} }) },
  ]
}

const whoCalls = ({ access }: Endpoint): Who => (access === 'staff' ? 'staff' : access === 'service' ? 'service' : 'owner')

/** As its example, with the owner's own rows for the ids that it names. */
function bodyOf(service: ServiceName, endpoint: Endpoint, short: string, ids: Ids): any {
  const given = BODIES[short] ?? CHANGES[short]
  if (given) return given(ids)
  const body: any = structuredClone(endpoint.example?.request) ?? made(endpoint.body)
  for (const [name, { 'x-id': kind }] of fieldsOf(endpoint)) if (kind && body?.[name]) body[name] = aRowOf(service, kind, short, ids)
  if (body?.endpoint_id) body.endpoint_id = ids.anEndpoint
  return body
}

function aRowOf(service: ServiceName, kind: string, short: string, { rows }: Ids): string {
  const found = rows[`${service} ${kind}`]
  if (!found) throw new Error(`say in ids.ts where the owner has a ${kind} of ${service}, which ${short} asks for`)
  return found
}

type Field = { 'x-id'?: string; type?: string; enum?: unknown[] }
const requiredOf = ({ body }: Endpoint) =>
  new Set(((body ? z.toJSONSchema(body, { unrepresentable: 'any', io: 'input' }) : {}) as { required?: string[] }).required)
const fieldsOf = ({ body }: Endpoint) =>
  Object.entries(
    ((body ? z.toJSONSchema(body, { unrepresentable: 'any', io: 'input' }) : {}) as { properties?: Record<string, Field> }).properties ??
      {},
  )

/** More values than this are names of things, and no orders or states. */
const FEW = 8
/** Every function that reads, with each order, state, switch and filter by a row that it takes, one at a time: also those that are not timed. */
export function variantCalls(services: ServiceName[], ids: Ids): (Call & { orBody?: unknown })[] {
  return services.flatMap((service) =>
    endpointsOf(service)
      .filter((endpoint) => isRead(endpoint) && endpoint.path.startsWith('/functions/') && endpoint.method === 'POST')
      .flatMap((endpoint) => {
        const short = nameOf(endpoint)
        if (ASKS_OTHERS.test(UNTIMED[short] ?? '')) return []
        const body = bodyOf(service, endpoint, short, ids) ?? {}
        // The other fields of an example may not go with a filter, or be the ones it needs.
        const bare = Object.fromEntries(Object.entries(body).filter(([name]) => requiredOf(endpoint).has(name)))
        const variants = fieldsOf(endpoint).flatMap(([name, field]): [string, unknown][] => {
          if (field['x-id']) return [[name, aRowOf(service, field['x-id'], short, ids)]]
          if (field.type === 'boolean') return [[name, true]]
          return (field.enum ?? []).length <= FEW ? (field.enum ?? []).map((value) => [name, value]) : []
        })
        const asked = [['', undefined] as [string, unknown], ...variants]
        return asked.map(([name, value]) => ({
          ...{ name: `${short} ${name} ${value ?? ''}`.trim(), service, who: whoCalls(endpoint), method: 'POST', path: endpoint.path },
          ...{ body: name ? { ...bare, [name]: value } : body, orBody: { ...body, [name]: value }, screen: false },
        }))
      }),
  )
}
/** Of those a reply waits for somebody else, and not for our own tables. */
const ASKS_OTHERS = /^asks |^an answer of a model|^the same$|^follows the links/

const made = (schema?: z.ZodType) => (schema ? sample(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })) : undefined)

const brief = (query: string) =>
  query
    .split('&')
    .filter((part) => !/^select=/.test(part))
    .map((part) =>
      part
        .replace(/=(eq|in)\..*/, '')
        .replace('order=', 'by ')
        .replace('=', ' '),
    )
    .join(' ')
