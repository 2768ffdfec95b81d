import { form, json, type WireReply, type WireRequest } from '../core/wire.ts'
import type { AppGrant } from './grants.ts'

// The parts of a call of an app: who it says that it is, and what it asks.

/** A key that was pasted: each key is an account of its own. */
export function keyOf(path: string, shown: string, query: URLSearchParams): Pick<AppGrant, 'email' | 'name' | 'scope'> | null {
  const prefix: Record<string, string> = {
    'api.stripe.com': 'rk_test_sandbox_',
    'api.mailersend.com': 'mlsn.sandbox_',
    'api-m.paypal.com': 'sandbox_A21_',
    'api.trello.com': 'sandbox_',
    'api.vapi.ai': 'sandbox_',
    'api.retellai.com': 'sandbox_',
  }
  const host = path.split('/')[1] ?? ''
  const begins = prefix[host]
  if (!begins || !shown.startsWith(begins) || (host === 'api.trello.com' && !query.get('key'))) return null
  return { email: `${shown.slice(begins.length) || 'key'}@example.com`, name: 'Ada Seller', scope: '' }
}

export function unauthorized(host: string): WireReply {
  if (host === 'slack.com') return json({ ok: false, error: 'invalid_auth' })
  if (host === 'api.notion.com') return json({ object: 'error', status: 401, code: 'unauthorized', message: 'API token is invalid.' }, 401)
  if (host === 'graph.facebook.com')
    return json({ error: { message: 'Error validating access token', type: 'OAuthException', code: 190 } }, 401)
  if (host === 'www.zohoapis.com') return json({ code: 'INVALID_TOKEN', details: {}, message: 'invalid oauth token', status: 'error' }, 401)
  return json({ error: { code: 401, message: 'Invalid Credentials', status: 'UNAUTHENTICATED' }, message: 'Invalid Credentials' }, 401)
}

export function bodyOf(request: WireRequest): Record<string, any> | null {
  if (!request.body.length) return {}
  // Zoho's own SDK sends JSON and names no type.
  const type = request.headers['content-type'] ?? 'json'
  if (!type.includes('json')) return Object.fromEntries(form(request))
  try {
    const value: unknown = JSON.parse(request.body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

export function tokenFields(request: WireRequest): URLSearchParams {
  if (request.method === 'GET') return request.query
  const body = bodyOf(request) ?? {}
  return new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]))
}

export function credentials(
  { headers }: WireRequest,
  fields: URLSearchParams,
): [id: string | null, secret: string | null, byBasic: boolean] {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (!basic) return [fields.get('client_id'), fields.get('client_secret'), false]
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent)
  return [id, secret, true]
}
