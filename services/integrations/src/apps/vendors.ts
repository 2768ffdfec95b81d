import type { Held } from './app.ts'

/** A call to a vendor's sign-in server. */
type VendorCall = { method: 'POST' | 'DELETE'; url: string; form?: Record<string, string>; headers?: Record<string, string> }
export type Client = { id: string; secret: string }

export type Vendor = {
  name: string
  authorize: string
  token: string
  /** How the client shows itself to the token endpoint; `json` is Basic with a JSON body. */
  auth: 'post' | 'basic' | 'json'
  pkce: boolean
  /** Between two scopes; a space when absent. */
  separator?: ',' | ' '
  /** Parameters of the consent page beside the standard ones. */
  extra?: Record<string, string>
  /** Taken from the answer, beside the standard fields. */
  held?: (answer: any) => Partial<Held>
  /** A second exchange right after the first, for a token that lasts. */
  lasting?: (token: string, client: Client) => { url: string; query: Record<string, string> }
  /** Ends our access there. Microsoft has no such call: what we hold is deleted, and its owner sees the app in their account's settings. */
  revoke?: (held: Held, client: Client) => VendorCall
  /** Revoking takes back everything that this person let us into: it waits for the last of the vendor's apps with the same account. */
  revokesAll?: true
  /** Where an operator registers, and which setting takes the keys. */
  register: string
}

export const basic = ({ id, secret }: Client) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})
const lasting = ({ access, refresh }: Held) => refresh ?? access

const list = {
  google: {
    name: 'Google',
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    auth: 'post',
    pkce: true,
    // Without these two Google gives no refresh token the second time.
    extra: { access_type: 'offline', prompt: 'consent' },
    revoke: (held) => ({ method: 'POST', url: 'https://oauth2.googleapis.com/revoke', form: { token: lasting(held) } }),
    revokesAll: true,
    register: 'https://console.cloud.google.com/apis/credentials',
  },
  microsoft: {
    name: 'Microsoft',
    authorize: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    auth: 'post',
    pkce: true,
    register: 'https://entra.microsoft.com',
  },
  slack: {
    name: 'Slack',
    authorize: 'https://slack.com/oauth/v2/authorize',
    token: 'https://slack.com/api/oauth.v2.access',
    auth: 'post',
    pkce: false,
    separator: ',',
    revoke: ({ access }) => ({
      method: 'POST',
      url: 'https://slack.com/api/auth.revoke',
      form: {},
      headers: { authorization: `Bearer ${access}` },
    }),
    register: 'https://api.slack.com/apps',
  },
  meta: {
    name: 'Meta',
    authorize: 'https://www.facebook.com/v26.0/dialog/oauth',
    token: 'https://graph.facebook.com/v26.0/oauth/access_token',
    auth: 'post',
    pkce: false,
    separator: ',',
    lasting: (token, { id, secret }) => ({
      url: 'https://graph.facebook.com/v26.0/oauth/access_token',
      query: { grant_type: 'fb_exchange_token', client_id: id, client_secret: secret, fb_exchange_token: token },
    }),
    revoke: ({ access }) => ({
      method: 'DELETE',
      url: 'https://graph.facebook.com/v26.0/me/permissions',
      headers: { authorization: `Bearer ${access}` },
    }),
    revokesAll: true,
    register: 'https://developers.facebook.com/apps',
  },
  notion: {
    name: 'Notion',
    authorize: 'https://api.notion.com/v1/oauth/authorize',
    token: 'https://api.notion.com/v1/oauth/token',
    auth: 'json',
    pkce: false,
    extra: { owner: 'user' },
    revoke: ({ access }, client) => ({
      method: 'POST',
      url: 'https://api.notion.com/v1/oauth/revoke',
      form: { token: access },
      headers: { ...basic(client), 'notion-version': '2022-06-28' },
    }),
    register: 'https://www.notion.so/my-integrations',
  },
  hubspot: {
    name: 'HubSpot',
    authorize: 'https://app.hubspot.com/oauth/authorize',
    token: 'https://api.hubapi.com/oauth/2026-03/token',
    auth: 'post',
    pkce: false,
    revoke: (held, { id, secret }) => ({
      method: 'POST',
      url: 'https://api.hubapi.com/oauth/2026-03/token/revoke',
      form: { token: lasting(held), client_id: id, client_secret: secret },
    }),
    register: 'https://developers.hubspot.com',
  },
  zoho: {
    name: 'Zoho',
    authorize: 'https://accounts.zoho.com/oauth/v2/auth',
    token: 'https://accounts.zoho.com/oauth/v2/token',
    auth: 'post',
    pkce: false,
    separator: ',',
    extra: { access_type: 'offline', prompt: 'consent' },
    // An account lives in one region, which the answer names.
    held: ({ api_domain }) => (api_domain ? { base: api_domain } : {}),
    revoke: (held) => ({ method: 'POST', url: 'https://accounts.zoho.com/oauth/v2/token/revoke', form: { token: lasting(held) } }),
    register: 'https://api-console.zoho.com',
  },
  salesforce: {
    name: 'Salesforce',
    authorize: 'https://login.salesforce.com/services/oauth2/authorize',
    token: 'https://login.salesforce.com/services/oauth2/token',
    auth: 'post',
    pkce: true,
    held: ({ instance_url }) => (instance_url ? { base: instance_url } : {}),
    revoke: (held) => ({ method: 'POST', url: 'https://login.salesforce.com/services/oauth2/revoke', form: { token: lasting(held) } }),
    register: 'https://login.salesforce.com',
  },
  linkedin: {
    name: 'LinkedIn',
    authorize: 'https://www.linkedin.com/oauth/v2/authorization',
    token: 'https://www.linkedin.com/oauth/v2/accessToken',
    auth: 'post',
    pkce: false,
    revoke: ({ access }, { id, secret }) => ({
      method: 'POST',
      url: 'https://www.linkedin.com/oauth/v2/revoke',
      form: { token: access, client_id: id, client_secret: secret },
    }),
    register: 'https://www.linkedin.com/developers/apps',
  },
  twitter: {
    name: 'X',
    authorize: 'https://x.com/i/oauth2/authorize',
    token: 'https://api.x.com/2/oauth2/token',
    auth: 'basic',
    pkce: true,
    revoke: (held, client) => ({
      method: 'POST',
      url: 'https://api.x.com/2/oauth2/revoke',
      form: { token: lasting(held) },
      headers: basic(client),
    }),
    register: 'https://developer.x.com',
  },
  calendly: {
    name: 'Calendly',
    authorize: 'https://auth.calendly.com/oauth/authorize',
    token: 'https://auth.calendly.com/oauth/token',
    auth: 'post',
    pkce: true,
    // Meetings are listed for a person, whom the answer names.
    held: ({ owner }) => (owner ? { fields: { owner } } : {}),
    revoke: (held, { id, secret }) => ({
      method: 'POST',
      url: 'https://auth.calendly.com/oauth/revoke',
      form: { token: lasting(held), client_id: id, client_secret: secret },
    }),
    register: 'https://developer.calendly.com',
  },
  quickbooks: {
    name: 'Intuit',
    authorize: 'https://appcenter.intuit.com/connect/oauth2',
    token: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
    auth: 'basic',
    pkce: false,
    revoke: (held, client) => ({
      method: 'POST',
      url: 'https://developer.api.intuit.com/v2/oauth2/tokens/revoke',
      form: { token: lasting(held) },
      headers: basic(client),
    }),
    register: 'https://developer.intuit.com',
  },
  asana: {
    name: 'Asana',
    authorize: 'https://app.asana.com/-/oauth_authorize',
    token: 'https://app.asana.com/-/oauth_token',
    auth: 'post',
    pkce: true,
    revoke: (held, { id, secret }) => ({
      method: 'POST',
      url: 'https://app.asana.com/-/oauth_revoke',
      form: { token: lasting(held), client_id: id, client_secret: secret },
    }),
    register: 'https://app.asana.com/0/my-apps',
  },
} as const satisfies Record<string, Vendor>

export type VendorId = keyof typeof list
export const vendors: Record<VendorId, Vendor> = list
export const vendorIds = Object.keys(list) as VendorId[]
