import type { Input } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/identity/passkeys'
import { PASSKEY_REMOVED } from '@operon/contracts/identity/words'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { type AuthCtx, refuse } from '../deps.ts'
import { announce } from '../mail/notices.ts'
import { beginSession, type SessionJson, strengthenSession } from '../sessions/sessions.ts'
import { audit } from '../users/audit.ts'
import { demandFreshProof } from '../users/step-up.ts'
import { currentUser, hasSecondFactor, type Trx, type User } from '../users/users.ts'
import { CHALLENGE_SECONDS, checkAnswer, creationOptions, readNewKey, requestOptions } from './webauthn.ts'

const MAX_PASSKEYS = 20

export async function beginPasskey(ctx: AuthCtx, _input: unknown) {
  const { user, session } = await currentUser(ctx)
  if (user.is_anonymous) throw refuse(403, 'no_authorization', 'Anonymous user not allowed to perform these actions')
  await demandFreshProof(ctx, user, session, 'add a passkey')
  const known = await ctx.db.selectFrom('passkeys').selectAll().where('user_id', '=', user.id).limit(MAX_PASSKEYS).execute()
  if (known.length >= MAX_PASSKEYS)
    throw refuse(422, 'too_many_passkeys', `An account has at most ${MAX_PASSKEYS} passkeys: remove one first`)
  const options = await creationOptions(ctx.deps, user, known, 'passkey')
  return keepChallenge(ctx, options, user.id)
}

export async function askPasskey(ctx: AuthCtx, _input: unknown) {
  return keepChallenge(ctx, await requestOptions(ctx.deps), null)
}

async function keepChallenge<T extends { challenge: string }>(ctx: AuthCtx, options: T, userId: string | null) {
  const id = newId()
  const expiresAt = Math.floor(now() / 1000) + CHALLENGE_SECONDS
  await ctx.db
    .insertInto('passkey_challenges')
    .values({ id, user_id: userId, challenge: options.challenge, expires_at: new Date(expiresAt * 1000) })
    .execute()
  return { challenge_id: id, options: options as Record<string, unknown>, expires_at: expiresAt }
}

/** Goes with its first use, whatever comes of it. */
async function takeChallenge(ctx: AuthCtx, id: string, userId: string | null): Promise<string> {
  const taken = await ctx.db
    .deleteFrom('passkey_challenges')
    .where('id', '=', id)
    .where('user_id', userId ? '=' : 'is', userId)
    .returning(['challenge', 'expires_at'])
    .executeTakeFirst()
  if (!taken) throw refuse(400, 'webauthn_challenge_not_found', 'This attempt is not known, or was used: begin again')
  if (taken.expires_at.getTime() < now()) throw refuse(400, 'webauthn_challenge_expired', 'This attempt took too long: begin again')
  return taken.challenge
}

export async function addPasskey(ctx: AuthCtx, { challenge_id, credential }: Input<typeof contract.addPasskey>) {
  const { user, session } = await currentUser(ctx)
  await demandFreshProof(ctx, user, session, 'add a passkey')
  const key = await readNewKey(ctx.deps, await takeChallenge(ctx, challenge_id, user.id), credential, true)
  const row = await inTransaction(ctx.db, async (trx: Trx) => {
    const added = await trx
      .insertInto('passkeys')
      .values({
        ...key,
        public_key: Buffer.from(key.public_key),
        id: newId(),
        user_id: user.id,
        friendly_name: 'Passkey',
        // The level of the session that added it: a passkey from before a second factor does not stand in for it.
        aal: session.aal,
      })
      .onConflict((conflict) => conflict.column('credential_id').doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!added) throw refuse(422, 'webauthn_credential_exists', 'This device has a passkey for an account here already')
    await audit(trx, ctx, user.id, 'passkey_added', { passkey_id: added.id })
    await announce(trx, ctx, user, 'passkey_added')
    return added
  })
  return passkeyJson(row)
}

/** The device has checked who holds it, so this is two proofs in one, where the passkey was added by somebody who had shown both. */
export async function signInWithPasskey(
  ctx: AuthCtx,
  { challenge_id, credential }: Input<typeof contract.signInWithPasskey>,
): Promise<SessionJson> {
  const challenge = await takeChallenge(ctx, challenge_id, null)
  const key = await ctx.db.selectFrom('passkeys').selectAll().where('credential_id', '=', credential.id).executeTakeFirst()
  if (!key) throw unknown()
  const counter = await checkAnswer(ctx.deps, challenge, credential, key, true)
  return inTransaction(ctx.db, async (trx: Trx) => {
    const used = await trx
      .updateTable('passkeys')
      .set({ counter, last_used_at: new Date(now()) })
      .where('id', '=', key.id)
      .where('user_id', '=', key.user_id)
      // A device that does not count stays at zero.
      .where(sql<boolean>`(counter < ${counter} or counter = 0 and ${counter} = 0)`)
      .returning('id')
      .executeTakeFirst()
    if (!used) throw unknown()
    const session = await beginSession(trx, ctx, key.user_id, 'passkey')
    const { factors } = session.user
    const guarded = hasSecondFactor({ factors: (factors ?? []) as never })
    if (!guarded || key.aal !== 'aal2') return session
    return strengthenSession(trx, ctx, sessionIdOf(session), 'passkey', { aal: 'aal2' })
  })
}

const sessionIdOf = ({ access_token }: SessionJson): string =>
  JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString()).session_id

export async function listPasskeys(ctx: AuthCtx, _input: unknown) {
  const { user } = await currentUser(ctx)
  return passkeysOf(ctx, user.id)
}

export async function passkeysOf(ctx: AuthCtx, userId: string) {
  const rows = await ctx.db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').limit(MAX_PASSKEYS).execute()
  return rows.map(passkeyJson)
}

export async function renamePasskey(ctx: AuthCtx, { passkey_id, friendly_name }: Input<typeof contract.renamePasskey>) {
  const { user } = await currentUser(ctx)
  const row = await ctx.db
    .updateTable('passkeys')
    .set({ friendly_name })
    .where('id', '=', passkey_id)
    .where('user_id', '=', user.id)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw notFound()
  return passkeyJson(row)
}

export async function removePasskey(ctx: AuthCtx, { passkey_id }: Input<typeof contract.removePasskey>) {
  const { user, session } = await currentUser(ctx)
  await demandFreshProof(ctx, user, session, 'remove a passkey')
  await dropPasskey(ctx, user, passkey_id)
  return {}
}

export async function dropPasskey(ctx: AuthCtx, user: User, passkey_id: string): Promise<void> {
  await inTransaction(ctx.db, async (trx: Trx) => {
    const gone = await trx
      .deleteFrom('passkeys')
      .where('id', '=', passkey_id)
      .where('user_id', '=', user.id)
      .returning('friendly_name')
      .executeTakeFirst()
    if (!gone) throw notFound()
    await audit(trx, ctx, user.id, 'passkey_removed', { passkey_id })
    await announce(trx, ctx, user, 'passkey_removed', { passkey: gone.friendly_name })
  })
}

const unknown = () => refuse(400, 'webauthn_verification_failed', PASSKEY_REMOVED)
const notFound = () => refuse(404, 'webauthn_credential_not_found', 'Passkey not found')

type Row = { id: string; friendly_name: string; created_at: Date; last_used_at: Date | null }
const passkeyJson = ({ id, friendly_name, created_at, last_used_at }: Row) => ({
  id,
  friendly_name,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})
