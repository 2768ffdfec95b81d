import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { sandboxIsOpen } from '@operon/kit/config'
import { DomainError } from '@operon/kit/errors'
import type { ProviderWatch } from '@operon/kit/providers'
import type { Runtime } from '@operon/kit/service'
import type { IdentityConfig } from '../config.ts'
import { refuse } from '../deps.ts'
import type { IdentityDb } from '../schema.ts'

export type Person = {
  sub: string
  email: string | null
  verified: boolean
  name: string | null
  picture: string | null
  userName: string | null
}
type Addresses = { authorize: string; token: string; user: string; emails?: string }
type Answer = Record<string, any>
type Kind = Addresses & {
  scopes: string
  issuer: string | null
  sandbox: string
  inSandbox: Omit<Addresses, 'authorize'>
  read(user: Answer, emails: Answer[]): Person
}

const text = (value: unknown): string | null => (typeof value === 'string' && value ? value : null)
const openId = (user: Answer): Person => ({
  sub: String(user.sub ?? ''),
  email: text(user.email),
  verified: user.email_verified === true,
  name: text(user.name),
  picture: text(user.picture),
  userName: null,
})

/** Where each provider is, what it is asked for, and how its answer reads. Names are the protocol's: Microsoft is `azure`. */
const kinds: Record<string, Kind> = {
  google: {
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    user: 'https://openidconnect.googleapis.com/v1/userinfo',
    scopes: 'openid email profile',
    issuer: 'https://accounts.google.com',
    sandbox: 'google',
    inSandbox: { token: '/token', user: '/userinfo' },
    read: openId,
  },
  azure: {
    authorize: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    user: 'https://graph.microsoft.com/oidc/userinfo',
    // Any tenant may write any address into its directory: without its word that the address is verified, it is not.
    scopes: 'openid email profile',
    issuer: null,
    sandbox: 'microsoft',
    inSandbox: { token: '/oauth2/v2.0/token', user: '/oidc/userinfo' },
    read: openId,
  },
  github: {
    authorize: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    user: 'https://api.github.com/user',
    emails: 'https://api.github.com/user/emails',
    scopes: 'read:user user:email',
    issuer: null,
    sandbox: 'github',
    inSandbox: { token: '/login/oauth/access_token', user: '/user', emails: '/user/emails' },
    read(user, emails) {
      const primary = emails.find((email) => email.primary)
      return {
        sub: String(user.id ?? ''),
        email: text(primary?.email),
        verified: primary?.verified === true,
        name: text(user.name),
        picture: text(user.avatar_url),
        userName: text(user.login),
      }
    },
  },
  facebook: {
    authorize: 'https://www.facebook.com/v26.0/dialog/oauth',
    token: 'https://graph.facebook.com/v26.0/oauth/access_token',
    user: 'https://graph.facebook.com/v26.0/me?fields=id,name,email,picture',
    scopes: 'email public_profile',
    issuer: null,
    sandbox: 'facebook',
    inSandbox: { token: '/oauth/access_token', user: '/me?fields=id,name,email,picture' },
    // Facebook hands out confirmed addresses only.
    read: (user) => ({
      sub: String(user.id ?? ''),
      email: text(user.email),
      verified: Boolean(user.email),
      name: text(user.name),
      picture: text(user.picture?.data?.url),
      userName: null,
    }),
  },
}

export type Tokens = { provider_token: string; provider_refresh_token: string | null }
export type Provider = {
  name: string
  issuer: string | null
  authorizeUrl(params: { state: string; challenge: string; redirectUri: string; scopes: string; extra: Record<string, string> }): string
  exchange(code: string, verifier: string, redirectUri: string): Promise<{ person: Person; tokens: Tokens }>
}
export type Providers = { offers(name: string): boolean; open(name: string): Promise<Provider> }

/** Ids of one provider, parted by commas: the first is the web's, and identity tokens may be for any. */
const idsIn = (text: string | undefined): string[] => (text ?? '').split(',').flatMap((id) => id.trim() || [])

type TokenIssuer = { issuers: RegExp; keys: string; inSandbox: string | null; setting: string }
/** The issuer of identity tokens, and the address of its keys. */
const tokenIssuers: Record<string, TokenIssuer> = {
  google: {
    issuers: /^(https:\/\/)?accounts\.google\.com$/,
    keys: 'https://www.googleapis.com/oauth2/v3/certs',
    inSandbox: 'google',
    setting: 'AUTH_GOOGLE_CLIENT_ID',
  },
  apple: {
    issuers: /^https:\/\/appleid\.apple\.com$/,
    keys: 'https://appleid.apple.com/auth/keys',
    inSandbox: null,
    setting: 'AUTH_APPLE_CLIENT_ID',
  },
  azure: {
    issuers: /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/,
    keys: 'https://login.microsoftonline.com/common/discovery/v2.0/keys',
    inSandbox: 'microsoft',
    setting: 'AUTH_MICROSOFT_CLIENT_ID',
  },
}

export type TokenSource = { provider: string; isIssuer(issuer: string): boolean; audiences: string[]; keys: string; trusted: boolean }

/** As an error names it. */
const issuersByName: Record<string, string> = { google: 'https://accounts.google.com', apple: 'https://appleid.apple.com' }
export const issuerOf = (provider: string) => issuersByName[provider] ?? provider

/** Finds the issuer whose identity tokens are taken as those of a provider. Null where it gives none or is not on. */
export async function tokenSource(rt: Runtime<IdentityDb, IdentityConfig>, name: string): Promise<TokenSource | null> {
  const known = Object.hasOwn(tokenIssuers, name) ? tokenIssuers[name]! : null
  if (!known) return null
  const audiences = idsIn((rt.config as unknown as Record<string, string | undefined>)[known.setting])
  if (audiences.length)
    return { provider: name, isIssuer: (issuer) => known.issuers.test(issuer), audiences, keys: known.keys, trusted: false }
  if (!known.inSandbox || !rt.config.AUTH_SANDBOX_OAUTH || !sandboxIsOpen(rt.kit)) return null
  const issued = `${rt.kit.PUBLIC_URL}/sandbox/oauth/${known.inSandbox}`
  const keys = `${(await rt.ask(sandboxAddress, { provider: 'oauth' })).url}/${known.inSandbox}/certs`
  return { provider: name, isIssuer: (issuer) => issuer === issued, audiences: ['operon-sandbox'], keys, trusted: true }
}

function keysOf(config: IdentityConfig, name: string): { id: string; secret: string } | null {
  const label = name === 'azure' ? 'MICROSOFT' : name.toUpperCase()
  const settings = config as unknown as Record<string, string | undefined>
  const [id, secret] = [idsIn(settings[`AUTH_${label}_CLIENT_ID`])[0], settings[`AUTH_${label}_CLIENT_SECRET`]]
  return id && secret ? { id, secret } : null
}

/** Whether the sandbox stands in for any of them. */
export const playsProviders = (config: IdentityConfig) =>
  config.AUTH_SANDBOX_OAUTH && Object.keys(kinds).some((name) => keysOf(config, name) === null)

export function openProviders(rt: Runtime<IdentityDb, IdentityConfig>): Providers {
  const { config } = rt
  const plays = config.AUTH_SANDBOX_OAUTH && sandboxIsOpen(rt.kit)
  const offers = (name: string) => Object.hasOwn(kinds, name) && (keysOf(config, name) !== null || plays)
  return {
    offers,
    async open(name) {
      if (!offers(name)) throw refuse(400, 'validation_failed', 'Unsupported provider: provider is not enabled')
      const kind = kinds[name]!
      const keys = keysOf(config, name)
      if (keys) return provider(rt.providers, name, kind, keys, kind)
      const base = `${(await rt.ask(sandboxAddress, { provider: 'oauth' })).url}/${kind.sandbox}`
      const { token, user, emails } = kind.inSandbox
      const addresses = {
        authorize: `${rt.kit.PUBLIC_URL}/sandbox/oauth/${kind.sandbox}/authorize`,
        token: base + token,
        user: base + user,
        ...(emails && { emails: base + emails }),
      }
      return provider(rt.providers, name, { ...kind, issuer: null }, { id: 'operon-sandbox', secret: 'operon-sandbox-secret' }, addresses)
    },
  }
}

function provider(watch: ProviderWatch, name: string, kind: Kind, keys: { id: string; secret: string }, at: Addresses): Provider {
  return {
    name,
    issuer: kind.issuer,
    authorizeUrl({ state, challenge, redirectUri, scopes, extra }) {
      const url = new URL(at.authorize)
      const asked = [...new Set(`${kind.scopes} ${scopes}`.split(/[\s,]+/).filter(Boolean))].join(' ')
      const params = {
        ...extra,
        client_id: keys.id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: asked,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value)
      return url.href
    },
    async exchange(code, verifier, redirectUri) {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: keys.id,
        client_secret: keys.secret,
        code_verifier: verifier,
      })
      const token = await call(watch, at.token, { method: 'POST', body })
      if (!text(token.access_token)) throw refuse(500, 'unexpected_failure', 'Unable to exchange external code')
      const authorization = `Bearer ${token.access_token}`
      const [user, emails] = await Promise.all([
        call(watch, at.user, { headers: { authorization } }),
        at.emails ? call(watch, at.emails, { headers: { authorization } }) : [],
      ])
      const person = kind.read(user, emails as Answer[])
      if (!person.sub) throw refuse(500, 'unexpected_failure', 'Error getting user profile from external provider')
      return {
        person: { ...person, email: person.email?.toLowerCase() ?? null },
        tokens: { provider_token: token.access_token, provider_refresh_token: text(token.refresh_token) },
      }
    },
  }
}

async function call(watch: ProviderWatch, url: string, init: RequestInit): Promise<Answer> {
  try {
    const ask = () =>
      fetch(url, {
        ...init,
        redirect: 'error',
        headers: { accept: 'application/json', 'user-agent': 'operon', ...init.headers },
        signal: AbortSignal.timeout(10_000),
      })
    const response = await watch.call('oauth', ask)
    if (!response.ok) throw new Error(`answered ${response.status}`)
    return (await response.json()) as Answer
  } catch (cause) {
    throw new DomainError('unexpected_failure', { status: 500, message: 'Unable to exchange external code', cause })
  }
}
