import { createHash } from 'node:crypto'
import { html, page } from '../core/page.ts'
import type { State } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'
import { form, json, type Route, redirect, route, type WireReply, type WireRequest } from '../core/wire.ts'
import { githubEmails, graphMe, labelOf, numberOf, type Person, testPeople, userinfo } from './people.ts'
import { type Grant, idTokens, matches, type Token } from './tokens.ts'

const CODE_SECONDS = 600
const ACCESS_SECONDS = 3600

/** Consent pages for people, and the token and user endpoints that servers call. */
export function oauthRoutes({ state, truth, publicUrl }: { state: State; truth: Truth; publicUrl: string }): {
  pages: Route[]
  wire: Route[]
  accountsOf: (request: WireRequest) => string[]
} {
  const grants = state.table<Grant>('oauth_grants')
  const tokens = state.table<Token>('oauth_tokens')
  const keys = idTokens(state)
  const issuerOf = (provider: string) => `${publicUrl}/sandbox/oauth/${provider}`

  function consent({ params, query }: WireRequest): WireReply {
    const wrong = problemOf(query, publicUrl)
    return wrong ? refusal(wrong) : consentPage(params.provider!, query)
  }

  function decide(request: WireRequest): WireReply {
    const fields = form(request)
    const provider = request.params.provider!
    const wrong = problemOf(fields, publicUrl)
    if (wrong) return refusal(wrong)
    const back = new URL(fields.get('redirect_uri')!)
    if (fields.has('state')) back.searchParams.set('state', fields.get('state')!)
    if (fields.get('decision') === 'deny') {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user denied the request')
      return redirect(back.href)
    }
    const person = personFrom(provider, fields)
    if (!person) return consentPage(provider, fields, 'Enter an email address, or choose one of the test people.')
    const grant = grants.put({
      id: state.id('code', 32),
      provider,
      client_id: fields.get('client_id')!,
      redirect_uri: fields.get('redirect_uri')!,
      scope: fields.get('scope') ?? '',
      nonce: fields.get('nonce'),
      challenge: fields.get('code_challenge'),
      person,
      expires: seconds() + CODE_SECONDS,
      used: false,
    })
    truth.log('oauth', 'approved', { upstream: provider, client_id: grant.client_id, email: person.email })
    back.searchParams.set('code', grant.id)
    return redirect(back.href)
  }

  function token(request: WireRequest): WireReply {
    const provider = request.params.provider!
    const fields = request.method === 'GET' ? request.query : tokenFields(request)
    const [clientId, secret] = credentials(request, fields)
    if (!clientId) return failed(provider, 'invalid_client', 'The client is not known', 401)
    if (fields.get('grant_type') === 'refresh_token') return refresh(provider, clientId, fields.get('refresh_token') ?? '')
    const grant = grants.get(fields.get('code') ?? '')
    if (!grant || grant.provider !== provider) return failed(provider, 'invalid_grant', 'The code is not known')
    if (grant.used) {
      for (const each of tokens.all()) if (each.grant === grant.id) tokens.delete(each.id)
      return failed(provider, 'invalid_grant', 'The code was used before; what it gave is revoked')
    }
    if (grant.expires < seconds()) return failed(provider, 'invalid_grant', 'The code has expired')
    if (grant.client_id !== clientId) return failed(provider, 'invalid_grant', 'The code was given to another client')
    if (grant.redirect_uri !== fields.get('redirect_uri'))
      return failed(provider, 'redirect_uri_mismatch', 'redirect_uri is not the one of the authorization')
    if (grant.challenge && !matches(grant.challenge, fields.get('code_verifier') ?? ''))
      return failed(provider, 'invalid_grant', 'code_verifier does not match')
    if (!grant.challenge && !secret) return failed(provider, 'invalid_client', 'A client secret or PKCE is required', 401)
    grants.put({ ...grant, used: true })
    return issue(grant, make('refresh', grant).id)
  }

  function refresh(provider: string, clientId: string, id: string): WireReply {
    const known = tokens.get(id)
    const grant = grants.get(known?.grant ?? '')
    if (known?.kind !== 'refresh' || known.client_id !== clientId || known.provider !== provider || !grant) {
      return failed(provider, 'invalid_grant', 'Token has been expired or revoked.')
    }
    return issue(grant, id)
  }

  function make(kind: Token['kind'], grant: Grant) {
    const { provider, client_id, scope, person } = grant
    return tokens.put({
      id: state.id(kind === 'access' ? 'sat' : 'srt', 40),
      kind,
      provider,
      client_id,
      scope,
      grant: grant.id,
      person,
      expires: seconds() + ACCESS_SECONDS,
    })
  }

  function issue(grant: Grant, refreshToken: string): WireReply {
    const { provider, person } = grant
    const access = make('access', grant).id
    if (provider === 'github') return json({ access_token: access, scope: grant.scope.replaceAll(' ', ','), token_type: 'bearer' })
    const { id: sub, email, name, verified } = person
    const openid = grant.scope.split(/[\s,]+/).includes('openid')
    const now = seconds()
    return json({
      access_token: access,
      token_type: provider === 'facebook' ? 'bearer' : 'Bearer',
      expires_in: ACCESS_SECONDS,
      ...(provider === 'facebook' ? {} : { scope: grant.scope, refresh_token: refreshToken }),
      ...(openid && provider !== 'facebook'
        ? {
            id_token: keys.sign({
              iss: issuerOf(provider),
              aud: grant.client_id,
              sub,
              email,
              email_verified: verified,
              name,
              iat: now,
              exp: now + ACCESS_SECONDS,
              at_hash: createHash('sha256').update(access).digest().subarray(0, 16).toString('base64url'),
              ...(grant.nonce ? { nonce: grant.nonce } : {}),
            }),
          }
        : {}),
    })
  }

  const withPerson = (show: (person: Person, provider: string) => unknown) => (request: WireRequest) => {
    const known = tokens.get(bearerOf(request))
    if (known?.kind === 'access' && known.provider === request.params.provider && known.expires > seconds())
      return json(show(known.person, known.provider))
    const said = { error: { code: 401, message: 'Invalid Credentials', status: 'UNAUTHENTICATED' }, message: 'Bad credentials' }
    return json(said, 401, { 'www-authenticate': `Bearer realm="${labelOf(request.params.provider!)}", error="invalid_token"` })
  }

  function revoke(request: WireRequest): WireReply {
    const fields = form(request)
    const known = tokens.get(fields.get('token') ?? request.query.get('token') ?? '')
    if (!known) return json({ error: 'invalid_token', error_description: 'Token expired or revoked' }, 400)
    for (const each of tokens.all()) if (each.grant === known.grant) tokens.delete(each.id)
    truth.log('oauth', 'revoked', { upstream: known.provider, email: known.person.email })
    return json({})
  }

  /** By OpenID Connect Discovery: people approve at our own address, servers call the listener that was asked. */
  const discovery = ({ params, headers }: WireRequest) => {
    const issuer = issuerOf(params.provider!)
    const wire = `http://${headers.host}/${params.provider}`
    return json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${wire}/token`,
      userinfo_endpoint: `${wire}/userinfo`,
      revocation_endpoint: `${wire}/revoke`,
      jwks_uri: `${wire}/certs`,
      scopes_supported: ['openid', 'email', 'profile'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: ['iss', 'aud', 'sub', 'email', 'email_verified', 'name', 'iat', 'exp', 'at_hash', 'nonce'],
    })
  }
  const info = (path: string) =>
    route(
      'GET',
      path,
      withPerson((person, provider) => userinfo(provider, person)),
    )
  /** The person who approved what the request carries: a code, a token to renew or to end, a token to read with. */
  function accountsOf(request: WireRequest): string[] {
    const fields = request.method === 'GET' ? request.query : tokenFields(request)
    const known =
      grants.get(fields.get('code') ?? '') ??
      tokens.get(fields.get('refresh_token') ?? fields.get('token') ?? '') ??
      tokens.get(bearerOf(request))
    return known ? [known.person.email] : []
  }

  const tokenPaths = [
    '/:provider/token',
    '/:provider/login/oauth/access_token',
    '/:provider/oauth/access_token',
    '/:provider/oauth2/v2.0/token',
  ]

  return {
    accountsOf,
    pages: [route('GET', '/sandbox/oauth/:provider/authorize', consent), route('POST', '/sandbox/oauth/:provider/authorize', decide)],
    wire: [
      ...tokenPaths.map((path) => route('POST', path, token)),
      route('GET', '/:provider/oauth/access_token', token),
      ...['/:provider/userinfo', '/:provider/oauth2/v3/userinfo', '/:provider/oidc/userinfo', '/:provider/user'].map(info),
      route('GET', '/:provider/user/emails', withPerson(githubEmails)),
      route('GET', '/:provider/v1.0/me', withPerson(graphMe)),
      info('/:provider/me'),
      route('POST', '/:provider/revoke', revoke),
      route('GET', '/:provider/certs', () => json(keys.jwks())),
      route('GET', '/:provider/.well-known/openid-configuration', discovery),
    ],
  }
}

const bearerOf = ({ headers, query }: WireRequest) =>
  headers.authorization?.replace(/^(bearer|token)\s+/i, '') ?? query.get('access_token') ?? ''
const seconds = () => Math.floor(Date.now() / 1000)

function problemOf(fields: URLSearchParams, publicUrl: string): string | undefined {
  const back = fields.get('redirect_uri') ?? ''
  if (!fields.get('client_id')) return 'client_id is missing.'
  if (!URL.canParse(back)) return 'redirect_uri is missing or not an address.'
  const { origin, hostname, protocol } = new URL(back)
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (!protocol.startsWith('http') || (origin !== new URL(publicUrl).origin && !local))
    return 'redirect_uri is not registered for this client.'
  if (fields.get('response_type') !== 'code') return 'response_type must be "code".'
  const method = fields.get('code_challenge_method')
  if (fields.has('code_challenge') && method?.toLowerCase() !== 's256') return 'code_challenge_method must be S256.'
  return undefined
}

const refusal = (reason: string) =>
  page({
    title: 'Request refused',
    status: 400,
    layout: 'narrow',
    body: html`<h1>This sign-in request was refused</h1><div class="alert">${reason}</div><p class="muted">The page that sent you here has to be corrected. Nothing was shared.</p>`,
  })

const carried = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce', 'code_challenge', 'code_challenge_method']

function consentPage(provider: string, fields: URLSearchParams, problem?: string) {
  const label = labelOf(provider)
  const back = fields.get('redirect_uri')!
  const scopes = (fields.get('scope') ?? '').split(/[\s,]+/).filter(Boolean)
  return page({
    title: `Sign in with ${label}`,
    layout: 'narrow',
    // Browsers hold every redirect of the chain to it, and the app that began the sign-in may stand anywhere.
    leadsTo: 'anywhere',
    strip: `Standing in for ${label}`,
    body: html`<h1>Sign in with ${label}</h1><p class="muted"><code>${fields.get('client_id')}</code> at ${new URL(back).host} asks who you are. This is not ${label}; choose or make up a test person.</p>
${problem ? html`<div class="alert" role="alert">${problem}</div>` : ''}
<form method="post" action="/sandbox/oauth/${provider}/authorize">${carried.map((name) => (fields.has(name) ? html`<input type="hidden" name="${name}" value="${fields.get(name)}">` : ''))}
<div class="panel"><label for="person">Test person</label><select id="person" name="person">${testPeople.map((person) => html`<option value="${person.email}">${person.name}, ${person.email}</option>`)}</select>
<label for="email">Or another email address</label><input id="email" name="email" type="email" value="${fields.get('login_hint') ?? fields.get('email') ?? ''}" autocomplete="off">
<label for="name">Name</label><input id="name" name="name" value="${fields.get('name') ?? ''}" autocomplete="off"></div>
${scopes.length > 0 ? html`<p class="faint">It asks for: ${scopes.join(', ')}</p>` : ''}
<div class="row"><button class="main" name="decision" value="approve">Approve</button><button name="decision" value="deny">Deny</button></div></form>`,
  })
}

function personFrom(provider: string, fields: URLSearchParams): Person | undefined {
  const email = (fields.get('email') || fields.get('person') || '').trim().toLowerCase()
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) return undefined
  const known = testPeople.find((person) => person.email === email)
  const name = fields.get('name')?.trim() || known?.name || email.split('@')[0]!
  return { id: numberOf(provider, email), email, name, verified: known?.verified ?? fields.get('unverified') === null }
}

function tokenFields(request: WireRequest): URLSearchParams {
  if (!request.headers['content-type']?.includes('json')) return form(request)
  return new URLSearchParams(JSON.parse(request.body.toString('utf8')) as Record<string, string>)
}

function credentials({ headers }: WireRequest, fields: URLSearchParams): [string | null, string | null] {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (!basic) return [fields.get('client_id'), fields.get('client_secret')]
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent)
  return [id, secret]
}

// GitHub says 200 to a wrong code, with the error in the body.
const failed = (provider: string, error: string, description: string, status = 400) =>
  json({ error, error_description: description }, provider === 'github' ? 200 : status)
