import { randomBytes } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import type { oauthToken } from '@operon/contracts/identity/oauth'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { afterCommit, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import { limitByAddress } from '../limits.ts'
import { announceRevoked } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { currentUser, findUser, isBanned, type Trx } from '../users/users.ts'
import { hashOf, issuerOf } from './consent.ts'
import { oauthError } from './errors.ts'

const TOKEN_S = 600
const IDLE_DAYS = 60
/** An answer that was lost may be asked for again this long; later the old token can only be a copy. */
const LOST_ANSWER = '30 seconds'

const TOKEN_FORM = /^opr_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([\w-]{43})$/

type Grant = { id: string; user_id: string; client_id: string; scopes: string[]; resource: string }
type Given = Input<typeof oauthToken>
const badGrant = (message: string) => oauthError('invalid_grant', message)

export async function grantAppToken(ctx: AuthCtx, given: Given) {
  await limitByAddress(ctx, 'oauth-token', 60)
  if (given.grant_type === 'authorization_code') return redeemCode(ctx, given)
  if (given.grant_type === 'refresh_token') return refresh(ctx, given)
  throw oauthError('unsupported_grant_type', 'Use authorization_code or refresh_token.')
}

/** A code works once, for the client, the address and the verifier that it was made for. A second use ends what the first one opened. */
async function redeemCode(ctx: AuthCtx, { code, client_id, redirect_uri, code_verifier, resource }: Given) {
  if (!code || !code_verifier) throw oauthError('invalid_request', 'Send code and code_verifier.')
  const outcome = await inTransaction(ctx.db, async (trx: Trx) => {
    const request = await trx.selectFrom('oauth_requests').selectAll().where('code_hash', '=', hashOf(code)).forUpdate().executeTakeFirst()
    if (!request?.user_id) return 'This code is not known.'
    if (request.used_at) {
      if (request.grant_id) await endGrants(trx, ctx, request.user_id, { id: request.grant_id })
      return 'This code was used before.'
    }
    if (request.expires_at.getTime() <= now()) return 'This code has expired.'
    if (request.client_id !== client_id) return 'This code was made for another app.'
    if (redirect_uri && request.redirect_uri !== redirect_uri) return 'redirect_uri is not the one that the code was sent to.'
    if (request.code_challenge !== hashOf(code_verifier)) return 'code_verifier does not fit.'
    if (resource && resource.replace(/\/$/, '') !== request.resource) return 'This code was made for another resource.'
    const user = await findUser(trx, { id: request.user_id })
    if (!user || isBanned(user)) return 'This account cannot be used.'
    const grant = { id: newId(), user_id: user.id, client_id: request.client_id, scopes: request.scopes, resource: request.resource }
    const secret = newSecret()
    await trx
      .insertInto('oauth_grants')
      .values({ ...grant, refresh_hash: hashOf(secret), previous_hash: null, revoked_at: null })
      .execute()
    await trx
      .updateTable('oauth_requests')
      .set({ used_at: new Date(now()), grant_id: grant.id })
      .where('id', '=', request.id)
      .execute()
    return { grant, secret }
  })
  if (typeof outcome === 'string') throw badGrant(outcome)
  return tokenAnswer(ctx, outcome.grant, outcome.secret)
}

/** Each refresh token works once. One that comes again later is a copy, and ends the grant. */
async function refresh(ctx: AuthCtx, { refresh_token, client_id, resource }: Given) {
  const given = TOKEN_FORM.exec(refresh_token ?? '')
  if (!given) throw badGrant('This refresh token is not known.')
  const [, id, secret] = given as unknown as [string, string, string]
  const next = newSecret()
  const { rows } = await sql<Grant>`
    update oauth_grants set
      previous_hash = case when refresh_hash = ${hashOf(secret)} then refresh_hash else previous_hash end,
      refresh_hash = ${hashOf(next)}, refreshed_at = now()
    where id = ${id} and client_id::text = ${client_id ?? ''} and revoked_at is null and refreshed_at > now() - make_interval(days => ${IDLE_DAYS})
      and (refresh_hash = ${hashOf(secret)} or (previous_hash = ${hashOf(secret)} and refreshed_at > now() - ${sql.lit(LOST_ANSWER)}::interval))
    returning id, user_id, client_id, scopes, resource`.execute(ctx.db)
  const grant = rows[0]
  if (!grant) {
    await endCopied(ctx, id, client_id ?? '')
    throw badGrant('This refresh token is no longer good. Connect the app again.')
  }
  const user = await findUser(ctx.db, { id: grant.user_id })
  if (!user || isBanned(user)) throw badGrant('This account cannot be used.')
  if (resource && resource.replace(/\/$/, '') !== grant.resource)
    throw oauthError('invalid_target', `The resource here is ${grant.resource}`)
  return tokenAnswer(ctx, grant, next)
}

async function endCopied(ctx: AuthCtx, id: string, clientId: string): Promise<void> {
  await inTransaction(ctx.db, async (trx: Trx) => {
    const grant = await trx
      .selectFrom('oauth_grants')
      .select('user_id')
      .where('id', '=', id)
      .where(sql<boolean>`client_id::text = ${clientId}`)
      .executeTakeFirst()
    if (grant) await endGrants(trx, ctx, grant.user_id, { id })
  })
}

const newSecret = () => randomBytes(32).toString('base64url')

function tokenAnswer(ctx: AuthCtx, grant: Grant, secret: string) {
  const issuedAt = Math.floor(now() / 1000)
  const scope = grant.scopes.join(' ')
  const access_token = ctx.deps.keys.sign({
    iss: issuerOf(ctx),
    sub: grant.user_id,
    aud: grant.resource,
    exp: issuedAt + TOKEN_S,
    iat: issuedAt,
    jti: newId(),
    client_id: grant.client_id,
    session_id: grant.id,
    scope,
  })
  return { access_token, token_type: 'Bearer', expires_in: TOKEN_S, refresh_token: `opr_${grant.id}_${secret}`, scope }
}

/** Ends what apps were allowed, and every token of theirs: all of a person's, those of one app, or one. */
export async function endGrants(trx: Trx, ctx: AuthCtx, userId: string, which: { clientId?: string; id?: string } = {}): Promise<number> {
  const ended = await trx
    .updateTable('oauth_grants')
    .set({ revoked_at: new Date(now()) })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(which.clientId !== undefined, (query) => query.where('client_id', '=', which.clientId!))
    .$if(which.id !== undefined, (query) => query.where('id', '=', which.id!))
    .returning(['id', 'user_id'])
    .execute()
  afterCommit(trx, () => announceRevoked(ctx.deps, ended))
  return ended.length
}

/** The app itself lets go. It answers the same for a token that nobody knows. */
export async function revokeAppToken(
  ctx: AuthCtx,
  { token, client_id }: { token?: string | null | undefined; client_id?: string | null | undefined },
) {
  await limitByAddress(ctx, 'oauth-token', 60)
  const given = TOKEN_FORM.exec(token ?? '')
  if (!given) return {}
  await inTransaction(ctx.db, async (trx: Trx) => {
    const grant = await trx
      .selectFrom('oauth_grants')
      .select(['id', 'user_id'])
      .where('id', '=', given[1]!)
      .where('refresh_hash', '=', hashOf(given[2]!))
      .where(sql<boolean>`(${client_id ?? null}::text is null or client_id::text = ${client_id ?? null})`)
      .executeTakeFirst()
    if (grant) await endGrants(trx, ctx, grant.user_id, { id: grant.id })
  })
  return {}
}

export async function listGrants(ctx: AuthCtx, _input: unknown) {
  const { user } = await currentUser(ctx)
  const rows = await ctx.db
    .selectFrom('oauth_grants as g')
    .innerJoin('oauth_clients as c', 'c.id', 'g.client_id')
    .select(['c.id', 'c.name', 'c.uri', 'g.scopes', 'g.created_at', 'g.refreshed_at'])
    .where('g.user_id', '=', user.id)
    .where('g.revoked_at', 'is', null)
    .orderBy('g.created_at', 'desc')
    .limit(200)
    .execute()
  return rows.map(({ id, name, uri, scopes, created_at, refreshed_at }) => ({
    client: { id, name, uri, logo_uri: '' },
    scopes,
    granted_at: created_at.toISOString(),
    last_used_at: refreshed_at.toISOString(),
  }))
}

export async function endAppGrants(ctx: AuthCtx, { client_id: clientId }: { client_id: string }): Promise<void> {
  const { user } = await currentUser(ctx)
  await inTransaction(ctx.db, async (trx: Trx) => {
    if (await endGrants(trx, ctx, user.id, { clientId })) await audit(trx, ctx, user.id, 'app_disconnected', { client_id: clientId })
  })
}
