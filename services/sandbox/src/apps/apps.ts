import { createHash } from 'node:crypto'
import { html, page } from '../core/page.ts'
import type { State } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'
import { dispatch, form, type Handler, json, type Route, redirect, route, type WireReply, type WireRequest } from '../core/wire.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { testPeople } from '../oauth/people.ts'
import { books } from './books.ts'
import { business } from './business.ts'
import { googleCalendar } from './calendars/google.ts'
import { microsoftCalendar } from './calendars/microsoft.ts'
import { calendarPages } from './calendars/pages.ts'
import { davPages } from './dav/pages.ts'
import { davServer, davStore, davUser } from './dav/server.ts'
import { google } from './google.ts'
import { type AppGrant, type AppObject, type AppToken, type VendorWire, vendorWires } from './grants.ts'
import { happeningForm, happeningRoutes } from './happenings.ts'
import { meta, PAGE } from './meta.ts'
import { microsoft } from './microsoft.ts'
import { notion, notionPages } from './notion.ts'
import { Bare, Refused } from './operation.ts'
import { consentPage, problemOf, refusal, tokensPage } from './pages.ts'
import { bodyOf, credentials, keyOf, tokenFields, unauthorized } from './requests.ts'
import { slack } from './slack.ts'
import { zoho } from './zoho.ts'

const operations = [
  ...google,
  ...googleCalendar,
  ...microsoftCalendar,
  ...microsoft,
  ...meta,
  ...notion,
  ...slack,
  ...business,
  ...zoho,
  ...books,
]
const IS_DAV = /^\/(dav|olddav|\.well-known\/caldav)(\/|$)/
const CODE_SECONDS = 600
/** Notion's limit for an integration: three a second on average. */
const WINDOW_MS = 10_000
const PER_WINDOW: Record<string, number> = { 'api.notion.com': 30 }

const seconds = () => Math.floor(Date.now() / 1000)

/**
 * Twenty-six apps at one listener, each under the host names of its vendor: `/slack.com/api/chat.postMessage`. Consent pages are for people;
 * what is revoked, expired, unknown or malformed is refused as the vendor refuses it.
 */
export function connectedApps({
  state,
  truth,
  publicUrl,
  inbox,
  address,
}: {
  state: State
  truth: Truth
  publicUrl: string
  inbox: Pick<Inbox, 'keep'>
  /** Of the listener, for servers whose address people type in. */
  address: () => string
}): {
  pages: Route[]
  wire: Handler
  accountsOf: (request: WireRequest) => string[]
} {
  const grants = state.table<AppGrant>('app_grants')
  const tokens = state.table<AppToken>('app_tokens')
  const objects = state.table<AppObject>('app_objects')
  const dav = davStore(state, truth)
  const calendars = davServer(dav)
  const recent = new Map<string, number[]>()

  const vendorAt = (part: 'authorize' | 'token' | 'revoke', at: string) => Object.entries(vendorWires).find(([, wire]) => wire[part] === at)

  // People approve

  const consent = ({ path, query }: WireRequest): WireReply => {
    const [vendor, wire] = vendorAt('authorize', path.replace('/sandbox/apps/', '')) ?? []
    if (!vendor || !wire) return refusal('There is no such vendor.')
    const wrong = problemOf(wire, query, publicUrl)
    return wrong ? refusal(wrong) : consentPage(wire, path, query)
  }

  const decide = (request: WireRequest): WireReply => {
    const [vendor, wire] = vendorAt('authorize', request.path.replace('/sandbox/apps/', '')) ?? []
    if (!vendor || !wire) return refusal('There is no such vendor.')
    const fields = form(request)
    const wrong = problemOf(wire, fields, publicUrl)
    if (wrong) return refusal(wrong)
    const back = new URL(fields.get('redirect_uri')!)
    if (fields.has('state')) back.searchParams.set('state', fields.get('state')!)
    if (fields.get('decision') === 'deny') {
      back.searchParams.set('error', 'access_denied')
      return redirect(back.href)
    }
    const email = (fields.get('email') || fields.get('person') || '').trim().toLowerCase()
    if (!/^[^@\s]+@[^@\s]+$/.test(email))
      return consentPage(wire, request.path, fields, 'Enter an email address, or choose one of the test people.')
    const grant = grants.put({
      id: state.id('appcode', 32),
      vendor,
      client_id: fields.get('client_id')!,
      redirect_uri: fields.get('redirect_uri')!,
      scope: fields.get('scope') ?? '',
      challenge: fields.get('code_challenge'),
      email,
      name: testPeople.find((person) => person.email === email)?.name ?? email.split('@')[0]!,
      used: false,
      code_until: seconds() + CODE_SECONDS,
      revoked: false,
    })
    truth.log('apps', 'approved', { vendor, email })
    back.searchParams.set('code', grant.id)
    for (const [name, value] of Object.entries(wire.back?.(grant) ?? {})) back.searchParams.set(name, value)
    return redirect(back.href)
  }

  // Servers exchange and renew

  function token(vendor: string, wire: VendorWire, request: WireRequest): WireReply {
    const fields = tokenFields(request)
    const fail = (code: string, said: string, status = 400) => {
      const told = wire.error?.(code, said)
      return told ? json(told.body, told.status) : json({ error: code, error_description: said }, status)
    }
    const [clientId, secret, byBasic] = credentials(request, fields)
    if (!clientId || !secret || (wire.basicOnly && !byBasic)) return fail('invalid_client', 'Client authentication failed', 401)
    const kind = fields.get('grant_type') ?? 'authorization_code'
    if (kind === 'fb_exchange_token') {
      const known = tokens.get(fields.get('fb_exchange_token') ?? '')
      const grant = known && grants.get(known.grant)
      return grant && !grant.revoked ? json(issued(wire, grant)) : fail('invalid_grant', 'Invalid OAuth access token.')
    }
    if (kind === 'refresh_token') {
      const known = tokens.get(fields.get('refresh_token') ?? '')
      const grant = known && grants.get(known.grant)
      if (
        !wire.refreshes ||
        known?.kind !== 'refresh' ||
        !grant ||
        grant.vendor !== vendor ||
        grant.client_id !== clientId ||
        grant.revoked
      )
        return fail('invalid_grant', 'Token has been expired or revoked.')
      if (wire.rotates && known.used) {
        // A second use says that it was stolen, or that two processes did not agree.
        grants.put({ ...grant, revoked: true })
        truth.log('apps', 'refresh_reused', { vendor, email: grant.email })
        return fail('invalid_grant', 'The refresh token was used before; what it gave is revoked.')
      }
      if (wire.rotates) tokens.put({ ...known, used: true })
      truth.log('apps', 'refreshed', { vendor, email: grant.email })
      return json(issued(wire, grant, wire.rotates ? undefined : known.id))
    }
    if (kind !== 'authorization_code') return fail('unsupported_grant_type', 'The grant type is not supported')
    const grant = grants.get(fields.get('code') ?? '')
    if (!grant || grant.vendor !== vendor || grant.client_id !== clientId) return fail('invalid_grant', 'The code is not known')
    if (grant.used || grant.code_until < seconds()) return fail('invalid_grant', 'The code was used before or has expired')
    if (grant.redirect_uri !== fields.get('redirect_uri')) return fail('invalid_grant', 'redirect_uri is not the one of the authorization')
    if (
      grant.challenge &&
      createHash('sha256')
        .update(fields.get('code_verifier') ?? '')
        .digest('base64url') !== grant.challenge
    )
      return fail('invalid_grant', 'code_verifier does not match')
    grants.put({ ...grant, used: true })
    return json(issued(wire, grant))
  }

  function issued(wire: VendorWire, grant: AppGrant, refresh?: string) {
    const access = tokens.put({
      id: state.id('apptok', 40),
      kind: 'access',
      grant: grant.id,
      until: wire.seconds === null ? null : seconds() + wire.seconds,
      used: false,
    })
    const renews = wire.refreshes
      ? (refresh ?? tokens.put({ id: state.id('appref', 40), kind: 'refresh', grant: grant.id, until: null, used: false }).id)
      : undefined
    return {
      access_token: access.id,
      token_type: 'bearer',
      ...(wire.seconds !== null && { expires_in: wire.seconds }),
      ...(renews && { refresh_token: renews }),
      ...wire.more?.(grant, access.id),
    }
  }

  function revokeToken(id: string): WireReply {
    const grant = grants.get(tokens.get(id)?.grant ?? '')
    if (!grant || grant.revoked) return json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400)
    for (const each of vendorWires[grant.vendor]?.revokesAll ? grants.all() : [grant])
      if (each.vendor === grant.vendor && each.email === grant.email) grants.put({ ...each, revoked: true })
    truth.log('apps', 'revoked', { vendor: grant.vendor, email: grant.email })
    return json({ ok: true, revoked: true })
  }

  // The APIs

  function whoAsks(request: WireRequest): { grant: Pick<AppGrant, 'email' | 'name' | 'scope'>; key: string } | null {
    const shown = request.headers.authorization?.replace(/^(bearer|zoho-oauthtoken)\s+/i, '') ?? request.query.get('token') ?? ''
    const known = tokens.get(request.path.startsWith('/graph.facebook.com/') ? shown.replace(PAGE, '') : shown)
    if (known) {
      const grant = grants.get(known.grant)
      if (known.kind !== 'access' || !grant || grant.revoked || (known.until !== null && known.until <= seconds())) return null
      return { grant, key: grant.id }
    }
    const key = keyOf(request.path, shown, request.query)
    return key && { grant: key, key: shown }
  }

  const apiRoutes: Route[] = operations.map(({ at, query = [], body = [], answer, status, needs }) => {
    const [method, address] = at.split(' ') as [string, string]
    return route(method, `/${address}`, async (request) => {
      const host = address.split('/')[0]!
      const asks = whoAsks(request)
      if (!asks) return unauthorized(host)
      if (isTooMuch(host, asks.key))
        return json({ object: 'error', status: 429, code: 'rate_limited', message: 'You have been rate limited.' }, 429, {
          'retry-after': '1',
        })
      const given = bodyOf(request)
      if (!given)
        return json(
          {
            error: { message: 'The body is not what this address takes.', code: 400 },
            message: 'The body is not what this address takes.',
          },
          400,
        )
      if (needs && !request.headers[needs])
        return json({ error: { message: `The header ${needs} is missing.`, code: 400 }, message: `The header ${needs} is missing.` }, 400)
      const odd = [...request.query.keys()].find((name) => !query.includes(name)) ?? Object.keys(given).find((name) => !body.includes(name))
      if (odd) return json({ error: { message: `Unknown parameter: ${odd}`, code: 400 }, message: `Unknown parameter: ${odd}` }, 400)
      const account = `${host}:${asks.grant.email}`
      const made = await answer({
        grant: asks.grant,
        params: request.params,
        query: request.query,
        body: given,
        headers: request.headers,
        host,
        log: (kind) => truth.log('apps', kind, { host, email: asks.grant.email }),
        list: (kind) => objects.newest().filter((each) => each.account === account && each.kind === kind),
        add: (kind, data) => {
          truth.log('apps', kind, { host, email: asks.grant.email })
          return objects.put({ id: state.id(kind, 12), account, kind, data })
        },
        deliver: (mail) => void inbox.keep(mail),
        set: (id, kind, data) => objects.put({ id: `${account}/${id}`, account, kind, data: { ...data, key: id } }),
      })
      if (made instanceof Refused) return json(made.body, made.status)
      if (made instanceof Bare) return { status: made.status ?? status ?? 200, headers: made.headers, body: '' }
      return made === undefined ? { status: status ?? 200, body: '' } : json(made, status ?? 200)
    })
  })

  function isTooMuch(host: string, key: string): boolean {
    const most = PER_WINDOW[host]
    if (!most) return false
    const since = Date.now() - WINDOW_MS
    const times = (recent.get(key) ?? []).filter((at) => at > since)
    if (times.length >= most) return true
    recent.set(key, [...times, Date.now()])
    return false
  }

  const wire: Handler = async (request) => {
    if (IS_DAV.test(request.path)) return calendars(request)
    const at = request.path.slice(1)
    const [vendor, wire] = vendorAt('token', at) ?? []
    if (vendor && wire && (request.method === 'POST' || request.query.has('grant_type'))) return token(vendor, wire, request)
    if (request.method === 'POST' && vendorAt('revoke', at)) return revokeToken(form(request).get('token') ?? '')
    if (at === 'slack.com/api/auth.revoke' || (request.method === 'DELETE' && at === 'graph.facebook.com/v26.0/me/permissions'))
      return revokeToken(request.headers.authorization?.replace(/^bearer\s+/i, '') ?? '')
    if (at === 'api-m.paypal.com/v1/oauth2/token' && request.method === 'POST') {
      const [, secret] = credentials(request, form(request))
      if (!secret?.startsWith('sandbox_')) return json({ error: 'invalid_client', error_description: 'Client Authentication failed' }, 401)
      return json({
        scope: 'https://uri.paypal.com/services/invoicing',
        access_token: `sandbox_A21_${secret.slice(8)}`,
        token_type: 'Bearer',
        expires_in: 32_400,
      })
    }
    return (await dispatch(apiRoutes, request)) ?? json({ error: { message: 'Not found', code: 404 }, message: 'Not found' }, 404)
  }

  function accountsOf(request: WireRequest): string[] {
    if (IS_DAV.test(request.path)) return [davUser(request)?.email ?? '']
    const asks = whoAsks(request)
    if (asks) return [asks.grant.email]
    const fields = request.method === 'POST' ? tokenFields(request) : request.query
    const known =
      grants.get(fields.get('code') ?? '') ?? grants.get(tokens.get(fields.get('refresh_token') ?? fields.get('token') ?? '')?.grant ?? '')
    return known ? [known.email] : []
  }

  // The owner's own page over there

  const overview = () =>
    page({
      title: 'Connected apps',
      body: html`<h1>Connected apps</h1><p class="muted">What the accounts over there have let in. Cut one as its owner would in the app's own settings.</p>
<table><thead><tr><th>App</th><th>Account</th><th>State</th><th></th></tr></thead><tbody>${grants
        .newest()
        .filter(({ used }) => used)
        .slice(0, 100)
        .map(
          (grant) =>
            html`<tr><td>${vendorWires[grant.vendor]?.name}</td><td>${grant.email}</td><td>${grant.revoked ? 'Cut' : 'Let in'}</td><td>${
              grant.revoked
                ? ''
                : html`<form method="post" action="/sandbox/apps/grants/${grant.id}/cut"><button>Cut</button></form><form method="post" action="/sandbox/apps/grants/${grant.id}/expire"><button>Expire its tokens</button></form>`
            }</td></tr>`,
        )}</tbody></table>
${happeningForm(grants.newest().find(({ used }) => used)?.email ?? '')}
<p><a href="/sandbox/apps/notion">Notion workspaces</a> <a href="/sandbox/apps/calendars">Calendars</a> <a href="/sandbox/apps/dav">CalDAV calendars</a></p><p class="muted">Keys: any that begins with the vendor's own letters and then “sandbox_” is good, as <code>mlsn.sandbox_1</code>, <code>rk_test_sandbox_1</code> or <code>sandbox_1</code>.</p>`,
    })
  const change = (how: (grant: AppGrant) => void) => (request: WireRequest) => {
    const grant = grants.get(request.params.grant!)
    if (!grant) return refusal('There is no such connection.')
    how(grant)
    return redirect('/sandbox/apps')
  }
  const cut = change((grant) => {
    grants.put({ ...grant, revoked: true })
    truth.log('apps', 'cut', { vendor: grant.vendor, email: grant.email })
  })
  const expire = change((grant) => {
    for (const each of tokens.all()) if (each.grant === grant.id && each.kind === 'access') tokens.put({ ...each, until: 0 })
  })

  return {
    accountsOf,
    wire,
    pages: [
      route('GET', '/sandbox/apps', overview),
      route('GET', '/sandbox/apps/app.mailersend.com/api-tokens', tokensPage),
      route('GET', '/sandbox/api/apps', () => json({ grants: grants.newest().slice(0, 1000), objects: objects.newest().slice(0, 1000) })),
      ...notionPages(objects, grants),
      ...calendarPages(objects, grants),
      ...davPages(dav, address),
      ...happeningRoutes(objects, state.id),
      route('POST', '/sandbox/apps/grants/:grant/cut', cut),
      route('POST', '/sandbox/apps/grants/:grant/expire', expire),
      ...Object.values(vendorWires).flatMap(({ authorize }) => [
        route('GET', `/sandbox/apps/${authorize}`, consent),
        route('POST', `/sandbox/apps/${authorize}`, decide),
      ]),
    ],
  }
}
