import { z } from 'zod'
import { endpoint, id } from '../contract.ts'

// The OAuth 2.1 server: other companies' apps act for a person at /mcp, and nowhere else.

/** Permissions an app can be given. Anything but a read or an undoable change is proposed first, and the person approves it here. */
export const appScopes = ['reads', 'changes'] as const
const Scope = z.enum(appScopes)
const param = z.string().max(2048).nullish()
const open = { access: 'public', rate: 'auth', raw: true } as const
const mine = { access: 'user', rate: 'auth' } as const
const Metadata = z.record(z.string(), z.unknown())

export const oauthMetadata = endpoint({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  access: 'public',
  rate: 'read',
  summary: 'Where the OAuth server is and what it takes (RFC 8414)',
  reply: Metadata,
})
export const oauthMetadataOfAuth = endpoint({ ...oauthMetadata, path: '/auth/v1/.well-known/oauth-authorization-server' })
export const resourceMetadata = endpoint({
  method: 'GET',
  path: '/.well-known/oauth-protected-resource',
  access: 'public',
  rate: 'read',
  summary: 'Which OAuth server opens /mcp (RFC 9728)',
  reply: Metadata,
})
export const resourceMetadataOfMcp = endpoint({ ...resourceMetadata, path: '/.well-known/oauth-protected-resource/mcp' })

export const oauthRegister = endpoint({
  method: 'POST',
  path: '/auth/v1/oauth/clients/register',
  ...open,
  rate: 'auth-strict',
  maxBytes: 16 * 1024,
  summary: 'Registers an app by itself (RFC 7591); public clients with PKCE',
  body: z.looseObject({}),
  reply: Metadata,
})
export const oauthAuthorize = endpoint({
  method: 'GET',
  path: '/auth/v1/oauth/authorize',
  ...open,
  summary: 'Begins a consent: leads to a page that asks the person',
  query: z.object({
    response_type: param,
    client_id: param,
    redirect_uri: param,
    scope: param,
    state: param,
    resource: param,
    code_challenge: param,
    code_challenge_method: param,
  }),
  reply: z.unknown(),
})
export const oauthToken = endpoint({
  method: 'POST',
  path: '/auth/v1/oauth/token',
  ...open,
  maxBytes: 16 * 1024,
  summary: 'A code, or a refresh token, for a token to /mcp',
  body: z.object({
    grant_type: param,
    client_id: param,
    code: param,
    redirect_uri: param,
    code_verifier: param,
    refresh_token: param,
    resource: param,
    scope: param,
  }),
  reply: Metadata,
})
export const oauthRevoke = endpoint({
  method: 'POST',
  path: '/auth/v1/oauth/revoke',
  ...open,
  maxBytes: 16 * 1024,
  summary: 'Revokes an app’s access, by its refresh token (RFC 7009)',
  body: z.object({ token: param, token_type_hint: param, client_id: param }),
  reply: z.object({}),
})

const params = z.object({ authorization_id: id('oauth_request') })
const Client = z.object({ id: z.uuid(), name: z.string(), uri: z.string(), logo_uri: z.string() })
export const oauthRequest = endpoint({
  method: 'GET',
  path: '/auth/v1/oauth/authorizations/:authorization_id',
  ...mine,
  summary: 'An app’s request, for the person who decides',
  params,
  reply: z.object({
    authorization_id: z.uuid(),
    redirect_uri: z.string(),
    client: Client,
    user: z.object({ id: z.uuid(), email: z.string() }),
    scope: z.string(),
  }),
})
export const oauthConsent = endpoint({
  method: 'POST',
  path: '/auth/v1/oauth/authorizations/:authorization_id/consent',
  ...mine,
  demo: 'never',
  summary: 'The person’s answer; `scopes` allows less than was asked for',
  params,
  body: z.object({ action: z.enum(['approve', 'deny']), scopes: z.array(Scope).max(2).optional() }),
  reply: z.object({ redirect_url: z.string() }),
})
export const oauthGrants = endpoint({
  method: 'GET',
  path: '/auth/v1/user/oauth/grants',
  ...mine,
  summary: 'The apps that a person has connected',
  reply: z.array(z.object({ client: Client, scopes: z.array(z.string()), granted_at: z.string(), last_used_at: z.string() })),
})
export const oauthGrantsEnd = endpoint({
  method: 'DELETE',
  path: '/auth/v1/user/oauth/grants',
  ...mine,
  status: 204,
  raw: true,
  query: z.object({ client_id: id('oauth_client') }),
  reply: z.unknown(),
})
