import { createHash, randomBytes } from 'node:crypto'
import type { Input } from '@operon/contracts/contract'
import { type AppId, appOf } from '@operon/contracts/integrations/apps'
import type * as api from '@operon/contracts/integrations/connections'
import { isAppPath } from '@operon/contracts/links'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { definitionOf } from '../apps/all.ts'
import type { Held } from '../apps/app.ts'
import { CUSTOM } from '../apps/custom.ts'
import type { Place, Places } from '../apps/place.ts'
import { type VendorId, vendors } from '../apps/vendors.ts'
import type { Config } from '../config.ts'
import type { IntegrationsDb } from '../schema.ts'
import { sendTo } from './call.ts'
import { resume } from './due.ts'
import { type ConnectionRow, oneAtATime, seal, showIntegration, shown, type Trx } from './keep.ts'
import { exchange, type Granted, lifeOf, mint, NotGranted } from './tokens.ts'

type Call = Ctx<IntegrationsDb>
export type Connecting = Pick<Runtime<IntegrationsDb, Config>, 'vault' | 'kit'> & { places: Places }

const ATTEMPT_MINUTES = 10
const MOST_CONNECTIONS = 100
const MOST_ATTEMPTS = 20

const hashOf = (state: string) => createHash('sha256').update(state).digest('base64url')
const verifierContext = (stateHash: string) => `oauth_attempts:${stateHash}`
/** One exact address an app, as vendors ask to have it registered. */
export const redirectOf = (publicUrl: string, app: AppId) => `${publicUrl}/connect/${app}`

export async function connect(ctx: Call, input: Input<typeof api.connectApp>, at: Connecting) {
  const { app, return_to } = input
  const place = at.places.of(app)
  if (!place) throw new DomainError('app_not_set_up', { message: notSetUp(app) })
  await demandRoom(ctx)
  if (definitionOf(app).vendor) return { auth_url: await begin(ctx, app, place, return_to, at) }
  return { connection_id: (await connectByKey(ctx, input, place, at)).id }
}

/** The specified pages begin with the name of the vendor, and read the address under either name. */
export async function initiate(ctx: Call, app: AppId, { return_to }: { return_to?: string | undefined }, at: Connecting) {
  const begun = await connect(ctx, { app, return_to }, at)
  const url = (begun as { auth_url: string }).auth_url
  return { auth_url: url, authUrl: url }
}

const notSetUp = (app: AppId) => `OAuth not yet implemented for ${appOf(app)!.name}`

export async function demandRoom(ctx: Call): Promise<void> {
  const last = await ctx.db
    .selectFrom('connections')
    .select('id')
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '<>', 'disconnected')
    .offset(MOST_CONNECTIONS - 1)
    .limit(1)
    .executeTakeFirst()
  if (last) throw new DomainError('connection_limit')
}

/** Counted again once it is sure to be a further one; of two at once the second sees the first. */
export async function takeRoom(ctx: Call, trx: Trx): Promise<void> {
  await oneAtATime(trx, signedIn(ctx).id, 'room')
  await demandRoom({ ...ctx, db: trx as never })
}

/** The state is kept as a hash and belongs to this person: a code that somebody else's browser brings connects nothing. */
async function begin(ctx: Call, app: AppId, place: Place, returnTo: string | undefined, { vault, kit }: Connecting): Promise<string> {
  const vendor = vendors[definitionOf(app).vendor as VendorId]
  const verifier = vendor.pkce ? randomBytes(32).toString('base64url') : null
  const state = await keepAttempt(ctx, vault, { app, secret: verifier, sandbox: place.sandbox, returnTo })
  const scopes = definitionOf(app).scopes ?? []
  const url = new URL(place.page(vendor.authorize))
  url.search = new URLSearchParams({
    ...vendor.extra,
    client_id: place.client.id,
    redirect_uri: redirectOf(kit.PUBLIC_URL, app),
    response_type: 'code',
    ...(scopes.length && { scope: scopes.join(vendor.separator ?? ' ') }),
    state,
    ...(verifier && { code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' }),
  }).toString()
  return url.href
}

type Attempt = { app: AppId; secret: string | null; sandbox: boolean; returnTo: string | undefined }
/** Answers the state to travel with. */
export async function keepAttempt(ctx: Call, vault: Connecting['vault'], { app, secret, sandbox, returnTo }: Attempt): Promise<string> {
  const user = signedIn(ctx)
  const state = randomBytes(32).toString('base64url')
  const stateHash = hashOf(state)
  await sql`
    with few as (
      delete from oauth_attempts where state_hash in (
        select state_hash from oauth_attempts where user_id = ${user.id} order by created_at desc offset ${MOST_ATTEMPTS})
    )
    insert into oauth_attempts (state_hash, user_id, app, sealed_verifier, sandbox, return_to, expires_at)
    values (${stateHash}, ${user.id}, ${app}, ${secret && vault.seal(secret, verifierContext(stateHash))}, ${sandbox},
      ${isAppPath(returnTo) ? returnTo : null}, now() + ${ATTEMPT_MINUTES} * interval '1 minute')`.execute(ctx.db)
  return state
}

/** Of this person alone, and good once. */
export async function takeAttempt(ctx: Call, vault: Connecting['vault'], state: string, isCustom: boolean) {
  const stateHash = hashOf(state)
  const attempt = await ctx.db
    .deleteFrom('oauth_attempts')
    .where('state_hash', '=', stateHash)
    .where('user_id', '=', signedIn(ctx).id)
    .where('app', isCustom ? '=' : '<>', CUSTOM)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
  if (!attempt) throw new DomainError('connection_attempt')
  return { ...attempt, secret: attempt.sealed_verifier && vault.open(attempt.sealed_verifier, verifierContext(stateHash)) }
}

export async function finish(ctx: Call, { state, code, error, realm_id }: Input<typeof api.finishConnection>, at: Connecting) {
  const { app, sandbox, return_to, secret: verifier } = await takeAttempt(ctx, at.vault, state, false)
  if (!code)
    throw new DomainError(error === 'access_denied' || error === 'user_cancelled_authorize' ? 'connection_denied' : 'connection_refused')
  const place = at.places.at(app, sandbox)
  if (!place) throw new DomainError('app_not_set_up', { message: notSetUp(app) })
  await demandRoom(ctx)
  const vendor = vendors[definitionOf(app).vendor as VendorId]
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectOf(at.kit.PUBLIC_URL, app),
    ...(verifier && { code_verifier: verifier }),
  }
  const granted = await exchange(at.places, place, vendor, grant).catch(refusedInWords)
  if (realm_id) granted.held.fields = { ...granted.held.fields, realm_id }
  const row = await keep(ctx, app, place, granted, at)
  return { app, connection: shown(row), return_to }
}

function refusedInWords(error: unknown): never {
  if (error instanceof NotGranted)
    throw new DomainError('connection_refused', { message: `It answered: ${error.message.slice(0, 200)}`, cause: error })
  throw error
}

async function connectByKey(ctx: Call, input: Input<typeof api.connectApp>, place: Place, at: Connecting): Promise<ConnectionRow> {
  const { app } = input
  const given = input as Record<string, string | undefined>
  const fields: Record<string, string> = {}
  for (const { name, label, options } of appOf(app)?.key ?? []) {
    const value = given[name]?.trim()
    if (!value) throw new DomainError('app_key_missing', { message: `Enter the ${label.toLowerCase()}.`, details: { field: name } })
    if (options && !options.includes(value)) throw new DomainError('app_key_missing', { details: { field: name } })
    if (name !== 'key') fields[name] = value
  }
  const key = given.key!.trim()
  // Anything else cannot stand in a header, and is no key of anybody's.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new DomainError('app_key_refused')
  const { mint: buys } = definitionOf(app)
  const held: Held = { access: key, ...(buys && { refresh: key }), ...(Object.keys(fields).length && { fields }) }
  const bought = buys?.(held)
  const granted: Granted = bought
    ? await mint(at.places, place, bought, held).catch((error: unknown) => {
        throw error instanceof NotGranted ? new DomainError('app_key_refused', { cause: error }) : error
      })
    : { held, scopes: [], seconds: null }
  return keep(ctx, app, place, granted, at)
}

/**
 * Asks whose account it is, which is the test call as well, then keeps the connection. The same account again takes the place of its older
 * one, whose token is left to run out: at some vendors revoking it would end the new one too.
 */
async function keep(ctx: Call, app: AppId, place: Place, { held, scopes, seconds }: Granted, { places, vault }: Connecting) {
  const user = signedIn(ctx)
  const definition = definitionOf(app)
  const { status, answer } = await sendTo(places, place, definition, held, definition.who, ctx.signal)
  const refusal = status >= 400 ? String(status) : definition.refusal?.(answer)
  if (refusal) throw new DomainError(status >= 500 ? 'upstream_failed' : definition.vendor ? 'connection_refused' : 'app_key_refused')
  const who = whoIn(definition.who.read, answer, held)
  const whole: Held = { ...held, fields: { ...held.fields, account: who.id } }
  return inTransaction(ctx.db, async (trx) => {
    // Two windows may finish at once, and a value sealed for one row does not open in another.
    await oneAtATime(trx, user.id, app)
    const before = await trx
      .selectFrom('connections')
      .selectAll()
      .where('user_id', '=', user.id)
      .where('app', '=', app)
      .where('account_id', '=', who.id)
      .executeTakeFirst()
    if (!before || before.state === 'disconnected') await takeRoom(ctx, trx)
    const id = before?.id ?? newId()
    const values = {
      account: who.name,
      scopes: scopes.length ? scopes : [...(definition.scopes ?? [])],
      sealed: seal(vault, id, whole),
      sandbox: place.sandbox,
      ...lifeOf(seconds),
      state: 'connected' as const,
      failure: null,
      lease_until: null,
      // To ask whose account it is was a call: a connection is in use from its first minute on.
      last_call_at: sql<Date>`now()`,
      checked_at: sql<Date>`now()`,
      updated_at: sql<Date>`now()`,
    }
    const row = await trx
      .insertInto('connections')
      .values({ id, user_id: user.id, app, account_id: who.id, ...values })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'app', 'account_id']).doUpdateSet({ ...values, generation: sql`connections.generation + 1` }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    if (before?.state === 'broken') await resume(trx, id)
    await showIntegration(trx, user.id, app)
    return row
  })
}

function whoIn(read: (answer: any, held: Held) => { id: string; name: string }, answer: any, held: Held) {
  try {
    const { id, name } = read(answer, held)
    if (id) return { id: String(id).slice(0, 200), name: String(name ?? id).slice(0, 200) }
  } catch {
    // An answer of another shape than the vendor documents.
  }
  throw new DomainError('upstream_failed', { message: 'The app did not say whose account this is. Try again in a moment.' })
}
