import { createHash } from 'node:crypto'
import { decode, json, type WireReply, type WireRequest } from '../core/wire.ts'
import { type Bank, type Obj, render } from './bank.ts'
import { StripeError } from './errors.ts'
import { expandAll } from './expand.ts'
import { type Params, parseForm } from './form.ts'
import { checkParameters } from './parameters.ts'
import { playedForAccounts } from './played.ts'
import { type Operation, resources } from './resources.ts'
import type { Webhooks } from './webhooks.ts'

const KEPT_HOURS = 24

/** The HTTP API: keys, forms, idempotency, expansion and errors as Stripe has them; what is done stands in `resources`. */
export function stripeApi(bank: Bank, webhooks: Webhooks, onError: (error: unknown) => void) {
  const operations = resources(bank, webhooks)

  function answer(request: WireRequest): WireReply {
    const id = bank.state.id('req', 14)
    const headers = { 'request-id': id, 'stripe-version': String(request.headers['stripe-version'] ?? ''), 'x-sandbox': '1' }
    try {
      const key = String(request.headers['idempotency-key'] ?? '') || null
      authorize(request)
      const text =
        request.method === 'GET' || request.method === 'DELETE'
          ? request.query.toString() || request.body.toString('utf8')
          : request.body.toString('utf8')
      if (!key || request.method !== 'POST') return json(run(request, text, id, null), 200, headers)
      return once(key, request, text, headers, () => json(run(request, text, id, key), 200, headers))
    } catch (error) {
      return failed(error, headers)
    }
  }

  /** One answer a key: the first is kept for a day and given again; other parameters under the same key are an error. */
  function once(key: string, request: WireRequest, text: string, headers: Record<string, string>, act: () => WireReply): WireReply {
    const fingerprint = createHash('sha256').update(`${request.method} ${request.path}\n${text}`).digest('hex')
    const known = bank.t.idempotency.get(key)
    if (known && known.created > Date.now() - KEPT_HOURS * 3600_000) {
      if (known.fingerprint !== fingerprint) {
        throw new StripeError(
          400,
          `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
          { type: 'idempotency_error' },
        )
      }
      return {
        status: known.status,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'idempotent-replayed': 'true',
          'idempotency-key': key,
          'original-request': known.request,
        },
        body: known.body,
      }
    }
    let reply: WireReply
    try {
      reply = act()
    } catch (error) {
      reply = failed(error, headers)
    }
    // A request that never began to run is not kept: a corrected retry may use the key again.
    const kept = reply.status === 200 || reply.status === 402 || isOfRunning(reply)
    if (kept)
      bank.t.idempotency.put({
        id: key,
        object: 'idempotency',
        created: Date.now(),
        fingerprint,
        status: reply.status,
        body: reply.body,
        request: headers['request-id'],
      })
    return { ...reply, headers: { ...reply.headers, 'idempotency-key': key } }
  }

  function run(request: WireRequest, text: string, requestId: string, key: string | null): unknown {
    const params = parseForm(text)
    const [operation, ids] = find(operations, request)
    const account = accountOf(request)
    if (account && !playedForAccounts.has(operation.name))
      throw new StripeError(400, `Stripe takes ${operation.name} for a connected account, and this stand-in does not play it yet.`)
    checkParameters(operation.name, params)
    bank.request = { id: requestId, key }
    bank.account = account
    try {
      const said = render(expandAll(bank, operation.run(params, ids) as Obj, expansions(params)))
      bank.heard({ operation: operation.name }, said)
      return said
    } finally {
      bank.request = { id: null, key: null }
      bank.account = null
    }
  }

  function accountOf({ headers }: WireRequest): string | null {
    const named = headers['stripe-account']
    if (!named) return null
    const known = bank.t.accounts.get(String(named))
    if (known && !known.deleted) return known.id
    throw new StripeError(
      403,
      `The provided key does not have access to account '${named}' (or that account does not exist). Application access may have been revoked.`,
      { code: 'account_invalid' },
    )
  }

  function failed(error: unknown, headers: Record<string, string>): WireReply {
    if (error instanceof StripeError) return json(render(error.body), error.status, headers)
    onError(error)
    return json({ error: { type: 'api_error', message: 'The sandbox has a bug here; its log says more.' } }, 500, headers)
  }

  return (request: WireRequest) => bank.state.together(() => answer(request))
}

/** Refusals that come of running: money that is not there is no fault of the request. */
const ofRunning = ['balance_insufficient', 'payouts_not_allowed', 'insufficient_capabilities_for_transfer', 'transfer_already_reversed']
const isOfRunning = ({ status, body }: WireReply) => status === 400 && ofRunning.some((code) => String(body).includes(`"code":"${code}"`))

function find(operations: Operation[], request: WireRequest): [Operation, string[]] {
  for (const operation of operations) {
    const found = operation.method === request.method ? operation.pattern.exec(request.path) : null
    if (found) return [operation, found.slice(1).map(decode)]
  }
  throw new StripeError(404, `Unrecognized request URL (${request.method}: ${request.path}).`)
}

function authorize({ headers }: WireRequest) {
  const [scheme, value = ''] = (headers.authorization ?? '').split(' ')
  const key = scheme?.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8').split(':')[0]! : value
  if (!key)
    throw new StripeError(
      401,
      'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.',
    )
  if (key.startsWith('sk_live') || key.includes('invalid'))
    throw new StripeError(401, `Invalid API Key provided: ${key.slice(0, 7)}********`)
}

const expansions = (params: Params): string[] => (Array.isArray(params.expand) ? params.expand.map(String) : [])
