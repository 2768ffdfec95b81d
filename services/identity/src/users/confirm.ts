import { now } from '@operon/kit/clock'
import { sql } from 'kysely'
import { buryUser } from '../account/account.ts'
import { type AuthCtx, refuse } from '../deps.ts'
import { notify, notifyAt } from '../mail/notices.ts'
import type { Claim, OneTimeType } from '../schema.ts'
import { isFamiliar } from '../sessions/familiar.ts'
import type { Ended } from '../sessions/sessions.ts'
import { keepOnlyProven } from './first-proof.ts'
import { addIdentity, changeUser, type Db, findUser, syncProviders, type Trx, type User } from './users.ts'

type Opened = { claim: Claim | null; passwordHash?: string | null; flowId?: string | null; isRecovery?: boolean }

/** The owner opened a letter that was sent to the address. */
export async function confirmEmail(trx: Trx, ctx: AuthCtx, user: User, opened: Opened): Promise<Ended[]> {
  if (user.email_proven && user.email_confirmed_at) return []
  const ended = user.email_proven ? [] : await keepOnlyProven(trx, ctx, user, { provider: 'email', ...opened })
  await changeUser(trx, user.id, { email_confirmed_at: user.email_confirmed_at ?? new Date(), email_proven: true })
  const verified = sql`identity_data || '{"email_verified": true}'` as never
  await trx
    .updateTable('identities')
    .set({ identity_data: verified, updated_at: new Date() })
    .where('user_id', '=', user.id)
    .where('provider', '=', 'email')
    .execute()
  return ended
}

/**
 * An address of staff opens the staff pages, and a letter to one that an unfinished sign-up or another account waits for may be taken for
 * theirs: only the person who read it comes along.
 */
export async function confirmEmailChange(
  trx: Trx,
  ctx: AuthCtx,
  user: User,
  { proven = true, flowId = null }: { proven?: boolean; flowId?: string | null } = {},
): Promise<Ended[]> {
  const email = user.email_change
  if (!email) throw refuse(403, 'otp_expired', 'Email link is invalid or has expired')
  const freed = await setFree(trx, ctx, 'email', email, user.id, proven)
  const isStaff = proven && ctx.deps.config.AUTH_STAFF_EMAILS.includes(email)
  const ended = freed ?? []
  const others = isStaff || freed !== null || (await mayBeAnothers(trx, ctx, user, 'email_change_new', email))
  if (others) ended.push(...(await keepOnlyProven(trx, ctx, { ...user, email }, { provider: 'email', claim: null, flowId })))
  await changeUser(trx, user.id, {
    email,
    email_confirmed_at: new Date(),
    email_proven: proven,
    email_change: null,
    email_change_confirmed: 0,
    is_anonymous: false,
  })
  await upsertOwnIdentity(trx, user, 'email', { email, email_verified: true })
  await tellOfNewEmail(trx, ctx, user, email)
  await trx
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', user.id)
    .where('type', 'in', ['email_change_current', 'email_change_new', 'recovery', 'confirmation'])
    .execute()
  return ended
}

/**
 * Where two accounts wait for the same address or number, its owner cannot tell their messages apart. Where the reader is says whose it was:
 * the owner reads where their own account was used before, and a stranger's account knows no such place.
 */
async function mayBeAnothers(trx: Trx, ctx: AuthCtx, user: User, type: OneTimeType, address: string): Promise<boolean> {
  const rival = await trx
    .selectFrom('one_time_tokens')
    .select('id')
    .where('relates_to', '=', address)
    .where('type', '=', type)
    .where('user_id', '!=', user.id)
    .where('expires_at', '>', new Date(now()))
    .executeTakeFirst()
  return rival !== undefined && !(await isFamiliar(ctx, 'account', user.id))
}

type Column = 'email' | 'phone'
const takenAs = {
  email: () => refuse(422, 'email_exists', 'A user with this email address has already been registered'),
  phone: () => refuse(422, 'phone_exists', 'A user with this phone number has already been registered'),
}

/**
 * An address or number that was typed and never confirmed is nobody's yet: it becomes free for `forId`, and an account that has nothing else
 * ends. Null where nobody has it.
 */
async function setFree(trx: Trx, ctx: AuthCtx, column: Column, value: string, forId: string, proven: boolean): Promise<Ended[] | null> {
  const other = await trx
    .selectFrom('users')
    .select(['id', 'email_confirmed_at', 'phone_confirmed_at', 'last_sign_in_at'])
    .where(column, '=', value)
    .where('id', '!=', forId)
    .forUpdate()
    .executeTakeFirst()
  if (!other) return null
  if (other[`${column}_confirmed_at`] || !proven) throw takenAs[column]()
  if (!other.last_sign_in_at && !other.email_confirmed_at && !other.phone_confirmed_at) return buryUser(trx, ctx, other.id)
  await changeUser(trx, other.id, column === 'email' ? { email: null, email_proven: false } : { phone: null })
  await trx.deleteFrom('identities').where('user_id', '=', other.id).where('provider', '=', column).execute()
  await trx.deleteFrom('one_time_tokens').where('user_id', '=', other.id).where('relates_to', '=', value).execute()
  await syncProviders(trx, other.id)
  return []
}

/** Refuses an address that somebody else has confirmed. One that was only typed can be requested, and becomes free when it is proven. */
export async function demandFree(db: Db, column: Column, value: string): Promise<void> {
  const other = await findUser(db, column === 'email' ? { email: value } : { phone: value })
  if (other?.[`${column}_confirmed_at`]) throw takenAs[column]()
}

/** Both addresses hear of it: the one that is left behind is the one that has to know. */
export async function tellOfNewEmail(trx: Trx, ctx: AuthCtx, { id, email: old_email }: User, new_email: string): Promise<void> {
  if (!old_email || old_email === new_email) return
  for (const to of [old_email, new_email]) await notifyAt(trx, ctx, id, to, 'email_changed', { old_email, new_email })
}

export async function tellOfNewPhone(trx: Trx, ctx: AuthCtx, user: User, new_phone: string): Promise<void> {
  const { phone: old_phone } = user
  if (old_phone !== new_phone) await notify(trx, ctx, user, 'phone_changed', { new_phone, ...(old_phone && { old_phone }) })
}

/** The owner typed the code of a sign-up or a sign-in. */
export async function confirmPhone(trx: Trx, ctx: AuthCtx, user: User, phone: string, claim: Claim | null): Promise<Ended[]> {
  // A number that the service key typed may be mistyped: its holder gets into nothing that an email proved. The owner confirms it by a change.
  const isOnlyTyped = !user.phone_confirmed_at && user.email_proven
  if (user.phone !== phone || isOnlyTyped) throw refuse(403, 'otp_expired', 'Token has expired or is invalid')
  const ended = user.phone_confirmed_at ? [] : await keepOnlyProven(trx, ctx, user, { provider: 'phone', claim })
  await changeUser(trx, user.id, { phone, phone_confirmed_at: new Date() })
  await upsertOwnIdentity(trx, user, 'phone', { phone, phone_verified: true })
  return ended
}

/**
 * The code of a change opens no sign-up and none of a sign-up a change, so two of these cannot be mistaken for each other, and an account
 * that takes over a number keeps what it had, unless nothing of it was proven before.
 */
export async function confirmPhoneChange(trx: Trx, ctx: AuthCtx, user: User, phone: string, { proven = true } = {}): Promise<Ended[]> {
  if (user.phone_change !== phone || (await mayBeAnothers(trx, ctx, user, 'phone_change', phone)))
    throw refuse(403, 'otp_expired', 'Token has expired or is invalid')
  const freed = await setFree(trx, ctx, 'phone', phone, user.id, proven)
  const ended = freed ?? []
  const isFirst = freed && !user.phone_confirmed_at && !user.email_proven
  if (isFirst) ended.push(...(await keepOnlyProven(trx, ctx, user, { provider: 'phone', claim: null })))
  await changeUser(trx, user.id, { phone, phone_confirmed_at: new Date(), phone_change: null, is_anonymous: false })
  await upsertOwnIdentity(trx, user, 'phone', { phone, phone_verified: true })
  await tellOfNewPhone(trx, ctx, user, phone)
  return ended
}

export async function upsertOwnIdentity(trx: Trx, user: User, provider: 'email' | 'phone', data: Record<string, unknown>): Promise<void> {
  const own = user.identities.find((identity) => identity.provider === provider)
  if (!own) await addIdentity(trx, user.id, provider, user.id, { sub: user.id, ...data })
  else
    await trx
      .updateTable('identities')
      .set({ identity_data: sql`identity_data || ${JSON.stringify(data)}::jsonb` as never, updated_at: new Date() })
      .where('id', '=', own.id)
      .execute()
  await syncProviders(trx, user.id)
}
