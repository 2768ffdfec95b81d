import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import { continueLinking as continueLinkingAt } from '@operon/contracts/identity/auth'
import { networkOf } from '@operon/kit/addresses'
import { now } from '@operon/kit/clock'
import type { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { issueAuthCode } from '../codes/flows.ts'
import { hashToken, readChallenge } from '../codes/one-time.ts'
import { withError, withQuery, withSession } from '../codes/verify.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { announceRevoked, beginSession, type Ended } from '../sessions/sessions.ts'
import { readRedirect } from '../users/redirects.ts'
import { demandFreshProof } from '../users/step-up.ts'
import { currentUser, type Trx } from '../users/users.ts'
import { linkPerson, personToUser } from './linking.ts'
import type { Provider } from './providers.ts'

type Asked = Input<typeof auth.authorize>
export type Began = { url: string; cookie: { name: string; value: string } }
const FLOW_MS = 10 * 60_000

const callbackOf = (ctx: AuthCtx) => `${ctx.deps.rt.kit.PUBLIC_URL}/auth/v1/callback`
const cookieName = (flowId: string) => `op-oauth-${flowId.slice(0, 8)}`

/** Begins a sign-in with a provider. The cookie binds it to this browser: a state that somebody else began is worth nothing here. */
export async function beginOAuth(ctx: AuthCtx, input: Asked, linkUserId: string | null = null): Promise<Began & { flowId: string }> {
  const { rt, oauth } = ctx.deps
  if (!input.provider) throw invalid('Unsupported provider: Provider could not be found')
  const provider = await oauth.open(input.provider)
  const challenge = readChallenge(input)
  const id = crypto.randomUUID()
  const verifier = randomBytes(48).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  await ctx.db
    .insertInto('flows')
    .values({
      id,
      kind: 'oauth',
      method: 'oauth',
      provider: provider.name,
      link_user_id: linkUserId,
      redirect_to: readRedirect(ctx.deps, input.redirect_to),
      code_challenge: challenge?.challenge ?? null,
      code_challenge_method: challenge?.method ?? null,
      sealed_verifier: rt.vault.seal(verifier, `flows:${id}`),
      browser_hash: hashToken(secret),
      expires_at: new Date(now() + FLOW_MS),
    })
    .execute()
  return { flowId: id, url: consentAt(ctx, provider, id, verifier, input), cookie: { name: cookieName(id), value: secret } }
}

const passedOn = ['prompt', 'access_type', 'login_hint'] as const
type PassedOn = Partial<Record<(typeof passedOn)[number] | 'scopes', string | null | undefined>>

function consentAt(ctx: AuthCtx, provider: Provider, state: string, verifier: string, input: PassedOn): string {
  const extra = Object.fromEntries(passedOn.flatMap((name) => (input[name] ? [[name, input[name]]] : [])))
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return provider.authorizeUrl({ state, challenge, redirectUri: callbackOf(ctx), scopes: input.scopes ?? '', extra })
}

/** Linking from an app on another site: the browser drops the cookie of its fetch, so it comes by an address that leaves one, once, from where it began. */
export async function beginLinkingElsewhere(ctx: AuthCtx, input: Asked): Promise<{ url: string }> {
  const { cookie, flowId } = await beginLinking(ctx, input)
  await ctx.db
    .updateTable('flows')
    .set({ browser_hash: hashToken(boundTo(ctx, cookie.value)) })
    .where('id', '=', flowId)
    .execute()
  const url = new URL(`${ctx.deps.rt.kit.PUBLIC_URL}${continueLinkingAt.path}`)
  for (const [name, value] of Object.entries({ flow: flowId, key: cookie.value, scopes: input.scopes, ...pick(input) }))
    if (value) url.searchParams.set(name, value)
  return { url: url.href }
}

const pick = (input: PassedOn) => Object.fromEntries(passedOn.map((name) => [name, input[name]]))
/** A stranger's link to this address, opened by somebody else, would connect their sign-in to the stranger's account. */
const boundTo = (ctx: AuthCtx, key: string) => `${key} ${networkOf(ctx.ip)} ${ctx.userAgent}`

export async function continueLinking(ctx: AuthCtx, input: Input<typeof auth.continueLinking>): Promise<Began | { url: string }> {
  const flow = await findFlow(ctx, input.flow)
  const secret = randomBytes(32).toString('base64url')
  const taken =
    flow?.link_user_id &&
    flow.provider &&
    (await ctx.db
      .updateTable('flows')
      .set({ browser_hash: hashToken(secret) })
      .where('id', '=', flow.id)
      .where('browser_hash', '=', hashToken(boundTo(ctx, input.key ?? '')))
      .returning('provider')
      .executeTakeFirst())
  if (!taken)
    return {
      url: withError(ctx.deps.rt.kit.PUBLIC_URL, refuse(400, 'bad_oauth_state', 'OAuth state was not begun in this browser'), true),
    }
  const provider = await ctx.deps.oauth.open(flow.provider!)
  const verifier = ctx.deps.rt.vault.open(flow.sealed_verifier!, `flows:${flow.id}`)
  return { url: consentAt(ctx, provider, flow.id, verifier, input), cookie: { name: cookieName(flow.id), value: secret } }
}

export async function beginLinking(ctx: AuthCtx, input: Asked): Promise<Began & { flowId: string }> {
  if (!ctx.deps.config.AUTH_MANUAL_LINKING) throw refuse(404, 'manual_linking_disabled', 'Manual linking is disabled')
  const { user, session } = await currentUser(ctx)
  await demandFreshProof(ctx, user, session, 'link an identity')
  return beginOAuth(ctx, input, user.id)
}

type Back = Input<typeof auth.oauthCallback>

/** The way back from a provider: always a redirect, to where the sign-in began. */
export async function finishOAuth(ctx: AuthCtx, input: Back & { cookies: Record<string, string> }): Promise<string> {
  const home = ctx.deps.rt.kit.PUBLIC_URL
  const flow = await findFlow(ctx, input.state)
  if (!flow) return withError(home, refuse(400, 'bad_oauth_state', 'OAuth state is invalid or has expired'), true)
  const pkce = flow.code_challenge !== null
  try {
    const given = input.cookies[cookieName(flow.id)]
    if (!given || !same(hashToken(given), flow.browser_hash ?? ''))
      throw refuse(400, 'bad_oauth_state', 'OAuth state was not begun in this browser')
    const taken = await ctx.db
      .updateTable('flows')
      .set({ used_at: new Date() })
      .where('id', '=', flow.id)
      .where('used_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!taken) throw refuse(400, 'flow_state_already_used', 'State has already been used')
    if (input.error) throw refuse(403, 'access_denied', input.error_description ?? input.error)
    return await complete(ctx, flow, input, pkce)
  } catch (error) {
    if ((error as DomainError).name !== 'DomainError') ctx.log.error({ err: error }, 'a provider sign-in failed')
    return withError(flow.redirect_to, error as DomainError, pkce)
  }
}

type Flow = {
  id: string
  provider: string | null
  link_user_id: string | null
  redirect_to: string
  code_challenge: string | null
  sealed_verifier: string | null
  browser_hash: string | null
}

async function findFlow(ctx: AuthCtx, state: string | null | undefined): Promise<Flow | null> {
  if (!isUuid(state)) return null
  const flow = await ctx.db
    .selectFrom('flows')
    .select(['id', 'provider', 'link_user_id', 'redirect_to', 'code_challenge', 'sealed_verifier', 'browser_hash'])
    .where('id', '=', state)
    .where('kind', '=', 'oauth')
    .where('used_at', 'is', null)
    // Its code for the client is out already.
    .where('code_hash', 'is', null)
    .where('expires_at', '>', new Date(now()))
    .executeTakeFirst()
  return flow ?? null
}

async function complete(ctx: AuthCtx, flow: Flow, { code, iss }: Back, pkce: boolean): Promise<string> {
  const { rt, oauth } = ctx.deps
  if (!code || !flow.provider) throw refuse(400, 'bad_oauth_callback', 'OAuth callback with missing authorization code missing')
  const provider = await oauth.open(flow.provider)
  if (iss && provider.issuer && iss !== provider.issuer) throw refuse(400, 'bad_oauth_callback', 'The answer came from another provider')
  const { person, tokens } = await provider.exchange(code, rt.vault.open(flow.sealed_verifier!, `flows:${flow.id}`), callbackOf(ctx))
  const ended: Ended[] = []
  const result = await inTransaction(ctx.db, async (trx: Trx) => {
    const userId = flow.link_user_id
      ? await linkPerson(trx, ctx, flow.link_user_id, provider.name, person)
      : await personToUser(trx, ctx, provider.name, person, flow.redirect_to, ended)
    if (userId === null) return null
    if (!pkce) return { session: await beginSession(trx, ctx, userId, 'oauth') }
    await trx
      .updateTable('flows')
      .set({ used_at: null, sealed_provider_tokens: rt.vault.seal(JSON.stringify(tokens), `flows:${flow.id}`) })
      .where('id', '=', flow.id)
      .execute()
    return { code: (await issueAuthCode(trx, flow.id, userId))! }
  })
  await announceRevoked(ctx.deps, ended)
  if (!result)
    throw refuse(
      422,
      'provider_email_needs_verification',
      `Unverified email with ${provider.name}. A confirmation email has been sent to your ${provider.name} email`,
    )
  if ('code' in result) return withQuery(flow.redirect_to, { code: result.code! })
  const { provider_token, provider_refresh_token } = tokens
  return withSession(flow.redirect_to, result.session, { provider_token, ...(provider_refresh_token && { provider_refresh_token }) })
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
