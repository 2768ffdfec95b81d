/** An account over there that a person let in, or a key that was made there. */
export type AppGrant = {
  id: string
  vendor: string
  client_id: string
  redirect_uri: string
  scope: string
  challenge: string | null
  email: string
  name: string
  /** The code has been exchanged. */
  used: boolean
  code_until: number
  /** Ended by its owner, over there or by us. */
  revoked: boolean
}
export type AppToken = { id: string; kind: 'access' | 'refresh'; grant: string; until: number | null; used: boolean }
/** A thing in an account: a message, a file, a contact. */
export type AppObject = { id: string; account: string; kind: string; data: Record<string, any> }

export type VendorWire = {
  name: string
  /** Host and path, as the vendor's own. */
  authorize: string
  token: string
  revoke?: string
  /** Revoking one token takes back all that this person let the client into. */
  revokesAll?: boolean
  /** A refresh gives a new refresh token, and the old one is good for nothing any more. */
  rotates?: boolean
  /** Null: access tokens do not expire. */
  seconds: number | null
  refreshes: boolean
  /** The client shows itself by Basic alone. */
  basicOnly?: boolean
  requiresPkce?: boolean
  /** Carried by the token answer beside the standard fields. */
  more?: (grant: AppGrant, token: string) => Record<string, unknown>
  /** Comes back to the app beside code and state. */
  back?: (grant: AppGrant) => Record<string, string>
  error?: (code: string, said: string) => { status: number; body: unknown }
}

const standard = { seconds: 3600, refreshes: true }
export const vendorWires: Record<string, VendorWire> = {
  google: {
    ...standard,
    name: 'Google',
    authorize: 'accounts.google.com/o/oauth2/v2/auth',
    token: 'oauth2.googleapis.com/token',
    revoke: 'oauth2.googleapis.com/revoke',
    revokesAll: true,
    more: (grant) => ({ scope: grant.scope }),
  },
  microsoft: {
    ...standard,
    name: 'Microsoft',
    authorize: 'login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'login.microsoftonline.com/common/oauth2/v2.0/token',
    rotates: true,
    more: (grant) => ({ scope: grant.scope, ext_expires_in: 3600 }),
  },
  slack: {
    name: 'Slack',
    authorize: 'slack.com/oauth/v2/authorize',
    token: 'slack.com/api/oauth.v2.access',
    seconds: null,
    refreshes: false,
    more: (grant) => ({
      ok: true,
      token_type: 'bot',
      scope: grant.scope,
      bot_user_id: 'U0KRQLJ9H',
      app_id: 'A0KRD7HC3',
      team: { name: companyOf(grant), id: `T${numberOf(grant.email)}` },
      authed_user: { id: `U${numberOf(grant.email)}` },
    }),
    error: (code) => ({ status: 200, body: { ok: false, error: code === 'invalid_grant' ? 'invalid_code' : code } }),
  },
  meta: {
    name: 'Meta',
    authorize: 'www.facebook.com/v26.0/dialog/oauth',
    token: 'graph.facebook.com/v26.0/oauth/access_token',
    revokesAll: true,
    seconds: 5_184_000,
    refreshes: false,
    error: (code, said) => ({
      status: 400,
      body: { error: { message: said, type: 'OAuthException', code: code === 'invalid_grant' ? 100 : 190 } },
    }),
  },
  notion: {
    name: 'Notion',
    authorize: 'api.notion.com/v1/oauth/authorize',
    token: 'api.notion.com/v1/oauth/token',
    revoke: 'api.notion.com/v1/oauth/revoke',
    seconds: null,
    refreshes: true,
    rotates: true,
    basicOnly: true,
    more: (grant) => ({
      bot_id: `bot-${numberOf(grant.email)}`,
      workspace_id: `ws-${numberOf(grant.email)}`,
      workspace_name: companyOf(grant),
      workspace_icon: null,
      owner: { type: 'user', user: { object: 'user', id: numberOf(grant.email) } },
    }),
  },
  hubspot: {
    ...standard,
    name: 'HubSpot',
    authorize: 'app.hubspot.com/oauth/authorize',
    token: 'api.hubapi.com/oauth/2026-03/token',
    revoke: 'api.hubapi.com/oauth/2026-03/token/revoke',
    seconds: 1800,
    error: (code, said) => ({ status: 400, body: { error: code, error_description: said, status: 'BAD_AUTH_CODE', message: said } }),
  },
  zoho: {
    ...standard,
    name: 'Zoho',
    authorize: 'accounts.zoho.com/oauth/v2/auth',
    token: 'accounts.zoho.com/oauth/v2/token',
    revoke: 'accounts.zoho.com/oauth/v2/token/revoke',
    more: () => ({ api_domain: 'https://www.zohoapis.com' }),
    error: (code) => ({ status: 200, body: { error: code === 'invalid_grant' ? 'invalid_code' : code } }),
  },
  salesforce: {
    name: 'Salesforce',
    authorize: 'login.salesforce.com/services/oauth2/authorize',
    token: 'login.salesforce.com/services/oauth2/token',
    revoke: 'login.salesforce.com/services/oauth2/revoke',
    // Its sessions end by a setting of the company's, which no answer tells.
    seconds: null,
    refreshes: true,
    more: (grant, token) => ({
      instance_url: 'https://sandbox.my.salesforce.com',
      id: `https://login.salesforce.com/id/00D/${numberOf(grant.email)}`,
      signature: token.slice(0, 12),
      issued_at: String(Date.now()),
      scope: grant.scope,
    }),
  },
  linkedin: {
    name: 'LinkedIn',
    authorize: 'www.linkedin.com/oauth/v2/authorization',
    token: 'www.linkedin.com/oauth/v2/accessToken',
    revoke: 'www.linkedin.com/oauth/v2/revoke',
    seconds: 5_184_000,
    refreshes: false,
    more: (grant) => ({ scope: grant.scope }),
  },
  twitter: {
    name: 'X',
    authorize: 'x.com/i/oauth2/authorize',
    token: 'api.x.com/2/oauth2/token',
    revoke: 'api.x.com/2/oauth2/revoke',
    seconds: 7200,
    refreshes: true,
    rotates: true,
    basicOnly: true,
    requiresPkce: true,
    more: (grant) => ({ scope: grant.scope }),
  },
  calendly: {
    name: 'Calendly',
    authorize: 'auth.calendly.com/oauth/authorize',
    token: 'auth.calendly.com/oauth/token',
    revoke: 'auth.calendly.com/oauth/revoke',
    seconds: 7200,
    refreshes: true,
    rotates: true,
    more: (grant) => ({
      created_at: Math.floor(Date.now() / 1000),
      owner: `https://api.calendly.com/users/${numberOf(grant.email)}`,
      organization: 'https://api.calendly.com/organizations/SANDBOX',
    }),
  },
  quickbooks: {
    ...standard,
    name: 'QuickBooks',
    authorize: 'appcenter.intuit.com/connect/oauth2',
    token: 'oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
    revoke: 'developer.api.intuit.com/v2/oauth2/tokens/revoke',
    rotates: true,
    basicOnly: true,
    more: () => ({ x_refresh_token_expires_in: 8_726_400 }),
    back: (grant) => ({ realmId: numberOf(grant.email) }),
  },
  asana: {
    ...standard,
    name: 'Asana',
    authorize: 'app.asana.com/-/oauth_authorize',
    token: 'app.asana.com/-/oauth_token',
    revoke: 'app.asana.com/-/oauth_revoke',
    more: (grant) => ({ data: { id: numberOf(grant.email), name: grant.name, email: grant.email } }),
  },
}

export const companyOf = ({ email, name }: Pick<AppGrant, 'email' | 'name'>) => `${name.split(' ')[0] || email} & Co`
/** Always the same for the same address. */
export function numberOf(email: string): string {
  let hash = 11n
  for (const character of email.toLowerCase()) hash = (hash * 1_000_003n + BigInt(character.codePointAt(0)!)) % 10_000_000_019n
  return String(hash)
}
