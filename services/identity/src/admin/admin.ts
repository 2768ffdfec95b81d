import type { Input } from '@operon/contracts/contract'
import type * as admin from '@operon/contracts/identity/admin'
import * as identity from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql, type Updateable } from 'kysely'
import { eraseUser } from '../account/account.ts'
import { type AuthCtx, invalid, refuse } from '../deps.ts'
import { deleteFactor } from '../factors/factors.ts'
import { notify } from '../mail/notices.ts'
import { dropPasskey, passkeysOf } from '../passkeys/passkeys.ts'
import { isPasswordHash } from '../passwords/hashing.ts'
import { checkStrength } from '../passwords/strength.ts'
import type { IdentityDb } from '../schema.ts'
import { announceRevoked, endSessions } from '../sessions/sessions.ts'
import { readEmail, readPhone } from '../users/addresses.ts'
import { audit } from '../users/audit.ts'
import { tellOfNewEmail, tellOfNewPhone, upsertOwnIdentity } from '../users/confirm.ts'
import { readProfile } from '../users/profile.ts'
import { merged } from '../users/update-user.ts'
import { changeUser, createUser, factorJson, findUser, type Trx, type User, type UserJson, userJson, wholeUser } from '../users/users.ts'
import { anywhere, COUNTED_AT_MOST, type Page, pageUpTo, readDirection, readPage } from './pages.ts'

type Body = Input<typeof admin.adminCreateUser>

async function knownUser(ctx: AuthCtx, id: string): Promise<User> {
  const user = await findUser(ctx.db, { id })
  if (!user) throw refuse(404, 'user_not_found', 'User not found')
  return user
}

export const adminGetUser = async (ctx: AuthCtx, { user_id: id }: { user_id: string }): Promise<UserJson> =>
  userJson(await knownUser(ctx, id))

/** A page of accounts, the newest first where nothing else is asked for. */
export async function adminListUsers(ctx: AuthCtx, input: Input<typeof admin.adminListUsers>): Promise<Page & { users: UserJson[] }> {
  const { page, perPage } = readPage(input)
  const [direction, ofSame] = readDirection(input.sort) === 'desc' ? [sql`desc`, sql`asc`] : [sql`asc`, sql`desc`]
  const like = input.filter ? anywhere(input.filter) : null
  const fits = like === null ? sql`` : sql`and (u.email ilike ${like} or u.user_metadata->>'name' ilike ${like})`
  // Whoever is passed over is read from the index alone.
  const listed = sql`select u.id from users u where u.deleted_at is null ${fits} order by u.created_at ${direction}, u.id ${ofSame}`
  const [{ rows }, { rows: counted }] = await Promise.all([
    sql<User>`select ${wholeUser} from users u join (${listed} limit ${perPage} offset ${(page - 1) * perPage}) listed using (id)
      order by u.created_at ${direction}, u.id ${ofSame}`.execute(ctx.db),
    sql<{ total: number }>`select count(*) as total from (${listed} limit ${COUNTED_AT_MOST}) counted`.execute(ctx.db),
  ])
  return { ...pageUpTo(counted[0]!.total, rows.length, page, perPage), users: rows.map(userJson) }
}

export async function adminCreateUser(ctx: AuthCtx, input: Body): Promise<UserJson> {
  const email = input.email ? readEmail(input.email) : null
  const phone = input.phone ? readPhone(input.phone) : null
  if (!email && !phone) throw invalid('Cannot create a user without either an email or phone')
  if (input.password && input.password_hash) throw invalid('Only a password or a password hash should be provided')
  if (email && (await findUser(ctx.db, { email })))
    throw refuse(422, 'email_exists', 'A user with this email address has already been registered')
  if (phone && (await findUser(ctx.db, { phone }))) throw refuse(422, 'phone_exists', 'Phone number already registered by another user')
  const passwordHash = await readPassword(ctx, input)
  const bannedUntil = readBan(input.ban_duration)
  const id = input.id ? readId(input.id) : newId()
  return inTransaction(ctx.db, async (trx: Trx) => {
    const made = await createUser(trx, {
      id,
      email,
      phone,
      passwordHash,
      provider: email ? 'email' : 'phone',
      data: readProfile(input.user_metadata ?? {}),
      confirmed: email ? input.email_confirm === true : input.phone_confirm === true,
    })
    if (!made) throw refuse(422, 'email_exists', 'A user with this email address has already been registered')
    const set: Updateable<IdentityDb['users']> = {
      ...(phone && input.phone_confirm && { phone_confirmed_at: new Date() }),
      ...(email && input.email_confirm && { email_proven: true }),
      ...(bannedUntil && { banned_until: bannedUntil }),
      ...(input.app_metadata && { app_metadata: merged(input.app_metadata, 'app_metadata') }),
    }
    if (Object.keys(set).length) await trx.updateTable('users').set(set).where('id', '=', id).execute()
    await audit(trx, ctx, id, 'user_created_by_admin')
    return userJson((await findUser(trx, { id }))!)
  })
}

export async function adminUpdateUser(ctx: AuthCtx, input: Body & { user_id: string }): Promise<UserJson> {
  const user = await knownUser(ctx, input.user_id)
  const email = input.email ? readEmail(input.email) : null
  const phone = input.phone ? readPhone(input.phone) : null
  for (const [code, other] of [
    ['email_exists', email && (await findUser(ctx.db, { email }))],
    ['phone_exists', phone && (await findUser(ctx.db, { phone }))],
  ] as const) {
    if (other && other.id !== user.id)
      throw refuse(422, code, `A user with this ${code === 'email_exists' ? 'email address' : 'phone number'} has already been registered`)
  }
  const passwordHash = await readPassword(ctx, input)
  const bannedUntil = readBan(input.ban_duration)
  const set: Updateable<IdentityDb['users']> = {
    ...(email && { email, ...(email !== user.email && { email_proven: false }) }),
    ...(phone && { phone, ...(phone !== user.phone && { phone_confirmed_at: null }) }),
    ...(passwordHash && { password_hash: passwordHash }),
    ...(input.email_confirm && { email_confirmed_at: user.email_confirmed_at ?? new Date(), email_proven: true, is_anonymous: false }),
    ...(input.phone_confirm && { phone_confirmed_at: new Date() }),
    ...(bannedUntil !== undefined && { banned_until: bannedUntil }),
    ...(input.user_metadata && { user_metadata: merged(readProfile(input.user_metadata, user.user_metadata)) }),
    ...(input.app_metadata && { app_metadata: merged(input.app_metadata, 'app_metadata') }),
  }
  const ended = await inTransaction(ctx.db, async (trx: Trx) => {
    await changeUser(trx, user.id, set)
    if (email) await upsertOwnIdentity(trx, user, 'email', { email, email_verified: input.email_confirm === true })
    if (phone) await upsertOwnIdentity(trx, user, 'phone', { phone, phone_verified: input.phone_confirm === true })
    if (email) await tellOfNewEmail(trx, ctx, user, email)
    if (phone) await tellOfNewPhone(trx, ctx, user, phone)
    if (passwordHash) await notify(trx, ctx, { ...user, email: email ?? user.email }, 'password_changed')
    await audit(trx, ctx, user.id, bannedUntil ? 'user_banned' : 'user_modified', { fields: Object.keys(set) })
    return passwordHash || bannedUntil ? endSessions(trx, user.id) : []
  })
  await announceRevoked(ctx.deps, ended)
  if (bannedUntil !== undefined) await ctx.deps.rt.broadcast(identity.userSuspended, { user_id: user.id, suspended: bannedUntil !== null })
  return adminGetUser(ctx, { user_id: user.id })
}

export async function adminDeleteUser(ctx: AuthCtx, { user_id: id }: { user_id: string }): Promise<Record<string, never>> {
  await knownUser(ctx, id)
  await eraseUser(ctx, id)
  return {}
}

export const adminListFactors = async (ctx: AuthCtx, { user_id: id }: { user_id: string }) =>
  (await knownUser(ctx, id)).factors.map(factorJson)

function factorOf({ factors }: User, id: string) {
  const factor = factors.find((each) => each.id === id)
  if (!factor) throw refuse(404, 'mfa_factor_not_found', 'Factor not found')
  return factorJson(factor)
}

export async function adminDeleteFactor(ctx: AuthCtx, { user_id: userId, factor_id: id }: Input<typeof admin.adminDeleteFactor>) {
  const user = await knownUser(ctx, userId)
  const factor = factorOf(user, id)
  await inTransaction(ctx.db, (trx: Trx) => deleteFactor(trx, ctx, user, id))
  return factor
}

export async function adminUpdateFactor(ctx: AuthCtx, input: Input<typeof admin.adminUpdateFactor>) {
  const { user_id: userId, factor_id: id, friendly_name } = input
  factorOf(await knownUser(ctx, userId), id)
  await inTransaction(ctx.db, async (trx: Trx) => {
    if (friendly_name)
      await trx
        .updateTable('factors')
        .set({ friendly_name, updated_at: new Date() })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .execute()
    await audit(trx, ctx, userId, 'factor_updated', { factor_id: id })
  })
  return factorOf(await knownUser(ctx, userId), id)
}

export async function adminDeletePasskey(ctx: AuthCtx, { user_id: userId, passkey_id: id }: Input<typeof admin.adminDeletePasskey>) {
  await dropPasskey(ctx, await knownUser(ctx, userId), id)
  return {}
}

export async function adminListPasskeys(ctx: AuthCtx, { user_id: id }: { user_id: string }) {
  await knownUser(ctx, id)
  return passkeysOf(ctx, id)
}

async function readPassword(ctx: AuthCtx, { password, password_hash: hash, email }: Body): Promise<string | null> {
  if (password) {
    checkStrength(ctx, password, [email])
    return ctx.deps.hasher.hash(password)
  }
  if (hash && !isPasswordHash(hash)) throw invalid('The password hash must be bcrypt or argon2')
  return hash ?? null
}

function readId(id: string): string {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) || /^[0-]+$/.test(id)) throw invalid('ID must conform to the uuid v4 format')
  return id.toLowerCase()
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Go's form of a duration, as the protocol has it: `24h`, `1h30m`; `none` lifts a ban. */
function readBan(duration: string | null | undefined): Date | null | undefined {
  if (!duration) return undefined
  if (duration === 'none') return null
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (!parts.length || parts.map(([part]) => part).join('') !== duration)
    throw invalid(`invalid format for ban duration: time: invalid duration "${duration}"`)
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0)
  return new Date(Math.min(now() + ms, 8.64e15 / 10))
}
