import { createHash, randomBytes } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import { appScopes, type oauthAuthorize, type oauthConsent } from '@operon/contracts/identity/oauth'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { isUuid, newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type AuthCtx, refuse } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { audit } from '../users/audit.ts'
import { currentUser, type Trx } from '../users/users.ts'
import { isRegistered } from './clients.ts'

const CONSENT_MS = 10 * 60_000
const CODE_MS = 60_000

export const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')
export const issuerOf = ({ deps: { rt } }: AuthCtx) => rt.kit.PUBLIC_URL
/** The one resource that apps are let into. */
const resourceOf = (ctx: AuthCtx) => `${issuerOf(ctx)}/mcp`

/** Where the browser goes: to the consent page, or back to the app with what was wrong. An address that is not the app's own is never redirected to. */
export async function beginConsent(ctx: AuthCtx, input: Input<typeof oauthAuthorize>): Promise<string> {
  await limitByAddress(ctx, 'oauth-authorize', 60)
  const client = isUuid(input.client_id)
    ? await ctx.db.selectFrom('oauth_clients').select(['id', 'redirect_uris']).where('id', '=', input.client_id).executeTakeFirst()
    : undefined
  if (!client) throw refuse(400, 'invalid_client', 'This app is not registered here. Remove the connection in the app and add it again.')
  const redirect_uri = input.redirect_uri ?? (client.redirect_uris.length === 1 ? client.redirect_uris[0]! : '')
  if (!isRegistered(client.redirect_uris, redirect_uri))
    throw refuse(400, 'invalid_redirect_uri', 'The app asked to be led to an address that is not its own.')
  const lead = (answer: Record<string, string>) => withAnswer(ctx, redirect_uri, input.state, answer)
  if (input.response_type !== 'code') return lead({ error: 'unsupported_response_type' })
  if (input.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(input.code_challenge ?? ''))
    return lead({ error: 'invalid_request', error_description: 'PKCE with S256 is required' })
  if (input.resource && input.resource.replace(/\/$/, '') !== resourceOf(ctx))
    return lead({ error: 'invalid_target', error_description: `The resource here is ${resourceOf(ctx)}` })
  const asked = (input.scope ?? '').split(' ').filter(Boolean)
  const scopes = appScopes.filter((scope) => asked.includes(scope))
  if (asked.length > 0 && scopes.length === 0) return lead({ error: 'invalid_scope', error_description: `Scopes: ${appScopes.join(' ')}` })
  const id = newId()
  await ctx.db
    .insertInto('oauth_requests')
    .values({
      id,
      client_id: client.id,
      user_id: null,
      redirect_uri,
      scopes: scopes.length ? scopes : ['reads'],
      state: input.state ?? null,
      resource: resourceOf(ctx),
      code_challenge: input.code_challenge!,
      code_hash: null,
      decided_at: null,
      used_at: null,
      grant_id: null,
      expires_at: new Date(now() + CONSENT_MS),
    })
    .execute()
  return `${issuerOf(ctx)}/oauth/consent?authorization_id=${id}`
}

function withAnswer(ctx: AuthCtx, redirectUri: string, state: string | null | undefined, answer: Record<string, string>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...answer, ...(state && { state }), iss: issuerOf(ctx) })) url.searchParams.set(name, value)
  return url.href
}

const gone = () => refuse(404, 'oauth_authorization_not_found', 'This request has expired or was answered. Start again in the app.')

/** Shown to the person who opens it first; from then on it is theirs. */
export async function showRequest(ctx: AuthCtx, { authorization_id }: { authorization_id: string }) {
  const { user } = await currentUser(ctx)
  const request = await ctx.db
    .updateTable('oauth_requests as r')
    .from('oauth_clients as c')
    .set({ user_id: user.id })
    .whereRef('c.id', '=', 'r.client_id')
    .where('r.id', '=', authorization_id)
    .where((or) => or.or([or('r.user_id', 'is', null), or('r.user_id', '=', user.id)]))
    .where('r.decided_at', 'is', null)
    .where('r.expires_at', '>', new Date(now()))
    .returning(['r.redirect_uri', 'r.scopes', 'c.id', 'c.name', 'c.uri'])
    .executeTakeFirst()
  if (!request) throw gone()
  return {
    authorization_id,
    redirect_uri: request.redirect_uri,
    client: { id: request.id, name: request.name, uri: request.uri, logo_uri: '' },
    user: { id: user.id, email: user.email ?? user.phone ?? '' },
    scope: request.scopes.join(' '),
  }
}

/** The person's answer, once. Only a session of their own gives it: a key or another app is refused before this. */
export async function answerRequest(ctx: AuthCtx, { authorization_id, action, scopes }: Input<typeof oauthConsent>) {
  const { user } = await currentUser(ctx)
  const code = randomBytes(32).toString('base64url')
  const approved = action === 'approve'
  return inTransaction(ctx.db, async (trx: Trx) => {
    const request = await trx
      .updateTable('oauth_requests')
      .set({ decided_at: new Date(now()), expires_at: new Date(now() + CODE_MS), ...(approved && { code_hash: hashOf(code) }) })
      .where('id', '=', authorization_id)
      .where('user_id', '=', user.id)
      .where('decided_at', 'is', null)
      .where('expires_at', '>', new Date(now()))
      .returning(['client_id', 'redirect_uri', 'state', 'scopes'])
      .executeTakeFirst()
    if (!request) throw gone()
    const lead = (answer: Record<string, string>) => ({ redirect_url: withAnswer(ctx, request.redirect_uri, request.state, answer) })
    if (!approved) return lead({ error: 'access_denied' })
    const allowed = scopes ? request.scopes.filter((scope) => (scopes as string[]).includes(scope)) : request.scopes
    if (allowed.length === 0) throw new DomainError('invalid', { message: 'Allow at least one thing, or choose Cancel.' })
    await trx.updateTable('oauth_requests').set({ scopes: allowed }).where('id', '=', authorization_id).execute()
    await trx
      .updateTable('oauth_clients')
      .set({ used_at: new Date(now()) })
      .where('id', '=', request.client_id)
      .execute()
    await audit(trx, ctx, user.id, 'app_connected', { client_id: request.client_id, scopes: allowed })
    return lead({ code })
  })
}
