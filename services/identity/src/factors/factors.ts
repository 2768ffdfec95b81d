import type { Input } from '@operon/contracts/contract'
import type * as auth from '@operon/contracts/identity/auth'
import * as identity from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { type AuthCtx, type Deps, invalid, refuse } from '../deps.ts'
import { takeGuess } from '../limits.ts'
import { notify } from '../mail/notices.ts'
import { isFamiliar } from '../sessions/familiar.ts'
import { announceRevoked, endSessions, type SessionJson, strengthenSession } from '../sessions/sessions.ts'
import { audit, noteFailedSignIn } from '../users/audit.ts'
import { demandFreshProof } from '../users/step-up.ts'
import { currentUser, type FactorRow, hasSecondFactor, type Trx, type User } from '../users/users.ts'
import { askDevice, useDevice } from './device.ts'

const MAX_FACTORS = 10
const CHALLENGE_SECONDS = 300
const PERIOD = 30

export async function enrolFactor(ctx: AuthCtx, input: Input<typeof auth.enrolFactor>) {
  const { user, session } = await currentUser(ctx)
  const { rt } = ctx.deps
  if (user.is_anonymous) throw refuse(403, 'no_authorization', 'Anonymous user not allowed to perform these actions')
  if (input.factor_type === 'phone') throw refuse(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
  if (input.factor_type !== 'totp' && input.factor_type !== 'webauthn') throw invalid('factor_type needs to be totp, phone, or webauthn')
  const name = input.friendly_name?.trim() ?? ''
  if (name && user.factors.some((factor) => factor.friendly_name === name))
    throw refuse(422, 'mfa_factor_name_conflict', `A factor with the friendly name "${name}" for this user already exists`)
  if (user.factors.length >= MAX_FACTORS)
    throw refuse(422, 'too_many_enrolled_mfa_factors', 'Maximum number of verified factors reached, unenroll to continue')
  if (hasSecondFactor(user) && session.aal !== 'aal2') throw refuse(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
  await demandFreshProof(ctx, user, session, 'enroll a new factor')
  const id = newId()
  const begin = (type: 'totp' | 'webauthn', sealedSecret: string | null) =>
    inTransaction(ctx.db, async (trx: Trx) => {
      await trx
        .insertInto('factors')
        .values({ id, user_id: user.id, friendly_name: name, factor_type: type, sealed_secret: sealedSecret })
        .execute()
      await audit(trx, ctx, user.id, 'factor_enrolled', { factor_id: id })
    })
  if (input.factor_type === 'webauthn') {
    await begin('webauthn', null)
    return { id, type: 'webauthn', friendly_name: name }
  }
  const totp = new TOTP({
    issuer: input.issuer || rt.kit.PRODUCT_NAME,
    label: user.email ?? user.phone ?? id,
    secret: new Secret({ size: 20 }),
    digits: 6,
    period: PERIOD,
    algorithm: 'SHA1',
  })
  const secret = totp.secret.base32
  await begin('totp', rt.vault.seal(secret, `factors:${id}:${user.id}`))
  const uri = totp.toString()
  const { default: qrcode } = await import('qrcode')
  return { id, type: 'totp', friendly_name: name, totp: { qr_code: await qrcode.toString(uri, { type: 'svg', margin: 2 }), secret, uri } }
}

async function ownFactor(ctx: AuthCtx, factorId: string) {
  const { user, session } = await currentUser(ctx)
  const factor = user.factors.find(({ id }) => id === factorId)
  if (!factor) throw refuse(404, 'mfa_factor_not_found', 'Factor not found')
  return { user, session, factor }
}

export async function challengeFactor(ctx: AuthCtx, input: { factor_id: string }) {
  const { user, factor } = await ownFactor(ctx, input.factor_id)
  const id = newId()
  const asked = factor.factor_type === 'webauthn' ? await askDevice(ctx, user, factor) : null
  const expiresAt = Math.floor(now() / 1000) + CHALLENGE_SECONDS
  await inTransaction(ctx.db, async (trx: Trx) => {
    await trx
      .insertInto('factor_challenges')
      .values({
        id,
        factor_id: factor.id,
        ip: ctx.ip,
        expires_at: new Date(expiresAt * 1000),
        ...(asked && { challenge: asked.credential_options.publicKey.challenge }),
      })
      .execute()
    await trx
      .updateTable('factors')
      .set({ last_challenged_at: new Date() })
      .where('id', '=', factor.id)
      .where('user_id', '=', user.id)
      .execute()
    await audit(trx, ctx, user.id, 'factor_challenged', { factor_id: factor.id })
  })
  return { id, type: factor.factor_type, expires_at: expiresAt, ...(asked && { webauthn: asked }) }
}

/** A right code lifts the session to aal2. A new factor counts from then on, and ends the other sessions of the account and every older token. */
export async function verifyFactor(ctx: AuthCtx, input: Input<typeof auth.verifyFactor>): Promise<SessionJson> {
  const { user, session, factor } = await ownFactor(ctx, input.factor_id)
  const isDevice = factor.factor_type === 'webauthn'
  if (isDevice ? !input.webauthn : !input.code)
    throw invalid(isDevice ? 'webauthn needs the answer of the device' : 'Code needs to be non-empty')
  const giveBack = await takeGuess(ctx, 'factor', factor.id, await isFamiliar(ctx, 'id', user.id))
  const taken = await takeChallenge(ctx, factor, input.challenge_id)
  const isNew = factor.status !== 'verified'
  const verifiedAt = new Date(now())
  const { json, ended } = await inTransaction(ctx.db, async (trx: Trx) => {
    if (isDevice) await useDevice(trx, ctx, factor, taken.challenge ?? '', input.webauthn!.credential_response)
    else await useCode(trx, ctx, factor, user.id, input.code!)
    // Each challenge is answered once: of two answers at the same moment, the second waits for this row and finds it used.
    const answered = await trx
      .updateTable('factor_challenges')
      .set({ used_at: new Date() })
      .where('factor_id', '=', factor.id)
      .where('used_at', 'is', null)
      .returning('id')
      .execute()
    if (!answered.some(({ id }) => id === taken.id)) throw unknownChallenge()
    if (isNew)
      await trx
        .updateTable('factors')
        .set({ status: 'verified', updated_at: verifiedAt })
        .where('id', '=', factor.id)
        .where('user_id', '=', user.id)
        .execute()
    await trx.deleteFrom('factors').where('user_id', '=', user.id).where('status', '=', 'unverified').execute()
    await audit(trx, ctx, user.id, 'factor_verified', { factor_id: factor.id })
    if (isNew) await notify(trx, ctx, user, 'factor_added', { factor: factor.friendly_name })
    const json = await strengthenSession(trx, ctx, session.id, isDevice ? 'mfa/webauthn' : 'totp', { aal: 'aal2', factorId: factor.id })
    // A first factor leaves no session behind that never showed one.
    const weaker = isNew ? await endSessions(trx, user.id, { except: session.id }) : []
    return { json, ended: weaker }
  })
  await giveBack()
  await announceRevoked(ctx.deps, ended)
  if (isNew) await announceProtected(ctx.deps, user.id, verifiedAt)
  return json
}

/** The session lives on with its new token; the one from before it had a factor must not. */
async function announceProtected({ rt }: Deps, userId: string, at: Date): Promise<void> {
  const since = Math.floor(at.getTime() / 1000)
  rt.verifier.protect(userId, since)
  await rt.broadcast(identity.secondFactorAdded, { user_id: userId, since })
}

const unknownChallenge = () => refuse(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')

async function takeChallenge(ctx: AuthCtx, factor: FactorRow, challengeId: string | null | undefined) {
  const valid = challengeId && /^[0-9a-f-]{36}$/i.test(challengeId)
  const row = valid
    ? await ctx.db
        .updateTable('factor_challenges')
        .set({ attempts: sql`attempts + 1` })
        .where('id', '=', challengeId)
        .where('factor_id', '=', factor.id)
        .where('used_at', 'is', null)
        .where('attempts', '<', 5)
        .returning(['id', 'ip', 'expires_at', 'challenge'])
        .executeTakeFirst()
    : undefined
  if (!row) throw unknownChallenge()
  if (row.ip !== ctx.ip) throw refuse(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
  if (row.expires_at.getTime() < now())
    throw refuse(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${challengeId} has expired, verify against another challenge or create a new challenge.`,
    )
  return row
}

/** A code counts once: the time step moves forward in the `where`, so that whoever looked over a shoulder comes too late. */
async function useCode(trx: Trx, ctx: AuthCtx, factor: FactorRow, userId: string, code: string): Promise<void> {
  const { sealed_secret } = await trx
    .selectFrom('factors')
    .select('sealed_secret')
    .where('id', '=', factor.id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const secret = Secret.fromBase32(ctx.deps.rt.vault.open(sealed_secret!, `factors:${factor.id}:${userId}`))
  const at = now()
  const delta = /^\d{6}$/.test(code)
    ? new TOTP({ secret, digits: 6, period: PERIOD, algorithm: 'SHA1' }).validate({ token: code, window: 1, timestamp: at })
    : null
  const step = delta === null ? 0 : Math.floor(at / 1000 / PERIOD) + delta
  const used = await trx
    .updateTable('factors')
    .set({ last_step: step })
    .where('id', '=', factor.id)
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('id')
    .executeTakeFirst()
  if (delta === null || !used) {
    void noteFailedSignIn(ctx, userId, 'second factor')
    throw refuse(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
  }
}

export async function removeFactor(ctx: AuthCtx, input: { factor_id: string }): Promise<{ id: string }> {
  const { user, session, factor } = await ownFactor(ctx, input.factor_id)
  if (factor.status === 'verified' && session.aal !== 'aal2')
    throw refuse(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
  if (factor.status === 'verified') await demandFreshProof(ctx, user, session, 'unenroll a factor')
  await inTransaction(ctx.db, (trx: Trx) => deleteFactor(trx, ctx, user, factor.id))
  return { id: factor.id }
}

export async function deleteFactor(trx: Trx, ctx: AuthCtx, user: User, factorId: string): Promise<void> {
  const { id: userId } = user
  const gone = await trx
    .deleteFrom('factors')
    .where('id', '=', factorId)
    .where('user_id', '=', userId)
    .returning(['status', 'friendly_name'])
    .executeTakeFirst()
  if (!gone) throw refuse(404, 'mfa_factor_not_found', 'Factor not found')
  await trx
    .updateTable('sessions')
    .set({ aal: 'aal1', factor_id: null })
    .where('user_id', '=', userId)
    .where('factor_id', '=', factorId)
    .execute()
  const left = await trx
    .selectFrom('factors')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  if (!left) await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (gone.status === 'verified') await notify(trx, ctx, user, 'factor_removed', { factor: gone.friendly_name })
  await audit(trx, ctx, userId, 'factor_removed', { factor_id: factorId })
}
