import { type Bank, type Kind, list, type Obj } from './bank.ts'
import { wrong } from './errors.ts'
import { int, type Params, yes } from './form.ts'

const PAGING = ['limit', 'starting_after', 'ending_before', 'expand', 'created']

/** Newest first, filtered by equality on the fields named in the query, in pages by id. */
export function listing(bank: Bank, kind: Kind, url: string, params: Params, keep: (object: Obj) => boolean = () => true) {
  const limit = int(params.limit, 10)
  if (limit < 1 || limit > 100)
    throw wrong('This value must be greater than or equal to 1 and at most 100.', 'limit', 'parameter_invalid_integer')
  const filters = Object.entries(params).filter(([name]) => !PAGING.includes(name))
  const all = bank.t[kind]
    .newest()
    .filter(
      (each) =>
        !each.deleted && keep(each) && inRange(each.created, params.created) && filters.every(([name, wanted]) => fits(each, name, wanted)),
    )
  const from = params.starting_after ? all.findIndex((each) => each.id === params.starting_after) + 1 : 0
  if (params.starting_after && from === 0) throw wrong(`No such object: '${params.starting_after}'`, 'starting_after', 'resource_missing')
  if (!params.ending_before) return list(url, all.slice(from, from + limit), all.length > from + limit)
  const until = all.findIndex((each) => each.id === params.ending_before)
  if (until === -1) throw wrong(`No such object: '${params.ending_before}'`, 'ending_before', 'resource_missing')
  return list(url, all.slice(Math.max(0, until - limit), until), until > limit)
}

function fits(object: Obj, name: string, wanted: unknown): boolean {
  if (name === 'ids') return (wanted as string[]).includes(object.id)
  if (name === 'lookup_keys') return (wanted as string[]).includes(object.lookup_key)
  if (name === 'types') return (wanted as string[]).includes(object.type)
  if (name === 'type' && object.object === 'event')
    return String(wanted).endsWith('*') ? object.type.startsWith(String(wanted).slice(0, -1)) : object.type === wanted
  if (name === 'coupon') return object.promotion?.coupon === wanted
  if (name === 'price') return object.items?.data.some((item: Obj) => item.price.id === wanted) ?? false
  if (name === 'subscription' && object.object === 'invoice') return object.parent?.subscription_details?.subscription === wanted
  if (name === 'subscription' && object.object === 'checkout.session') return object.subscription === wanted
  if (name === 'payment' && object.object === 'invoice_payment') return object.payment.payment_intent === (wanted as Params).payment_intent
  if (name === 'status' && object.object === 'subscription')
    return wanted === 'all' || (wanted === 'ended' ? ['canceled', 'incomplete_expired'].includes(object.status) : object.status === wanted)
  if (name === 'customer_details') return object.customer_details?.email === (wanted as Params).email
  if (name === 'recurring' && typeof wanted === 'object') return object.recurring?.interval === (wanted as Params).interval
  if (name === 'code') return object.code?.toLowerCase() === String(wanted).toLowerCase()
  if (typeof object[name] === 'boolean') return object[name] === yes(wanted)
  return object[name] === undefined ? true : String(object[name]) === String(wanted)
}

function inRange(created: number, range: unknown): boolean {
  if (range === undefined) return true
  if (typeof range === 'string') return created === int(range)
  const { gt, gte, lt, lte } = range as Params
  return (!gt || created > int(gt)) && (!gte || created >= int(gte)) && (!lt || created < int(lt)) && (!lte || created <= int(lte))
}

/** Stripe's query language as far as it is used here: `email:'a@b.c' AND metadata['user_id']:'1'`. */
export function search(bank: Bank, kind: Kind, url: string, params: Params) {
  const clauses = [...String(params.query ?? '').matchAll(/(-?)(\w+)(?:\[["']([^"']+)["']\])?\s*[:~]\s*["']((?:[^"'\\]|\\.)*)["']/g)]
  if (clauses.length === 0) throw wrong('The query is not understood by the sandbox.', 'query')
  const found = bank.t[kind].newest().filter(
    (each) =>
      !each.deleted &&
      clauses.every(([, not, field, key, value]) => {
        const actual = key ? each[field!]?.[key] : each[field!]
        return (String(actual ?? '').toLowerCase() === value!.replaceAll('\\', '').toLowerCase()) !== (not === '-')
      }),
  )
  const limit = int(params.limit, 10)
  return { object: 'search_result', url, has_more: found.length > limit, next_page: null, data: found.slice(0, limit) }
}
