import * as identity from '@operon/contracts/identity/events'
import type * as shapes from '@operon/contracts/identity/shapes'
import { now } from '@operon/kit/clock'
import { runStatement, type Statement } from '@operon/kit/db'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import { publish } from '@operon/kit/tx'
import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely'
import type { z } from 'zod'
import { type AuthCtx, refuse } from '../deps.ts'
import type { IdentityDb } from '../schema.ts'
import { termsIn } from './terms.ts'

export type Trx = Transaction<IdentityDb & KitDb>
export type Db = Kysely<IdentityDb & KitDb>
export type User = Selectable<IdentityDb['users']> & { identities: IdentityRow[]; factors: FactorRow[] }
export type IdentityRow = {
  id: string
  user_id: string
  provider: string
  provider_id: string
  identity_data: Record<string, any>
  last_sign_in_at: string | null
  created_at: string
  updated_at: string
}
export type FactorRow = {
  id: string
  user_id: string
  friendly_name: string
  factor_type: string
  status: 'verified' | 'unverified'
  last_challenged_at: string | null
  created_at: string
  updated_at: string
}
export type UserJson = z.input<typeof shapes.userShape>

/** A user with identities and factors in one read; `u` is the users table of the surrounding query. Columns by name, for prepared statements. */
export const wholeUserText = `u.id, u.email, u.phone, u.password_hash, u.email_confirmed_at, u.email_proven, u.phone_confirmed_at, u.invited_at,
  u.confirmation_sent_at, u.recovery_sent_at, u.email_change, u.email_change_sent_at, u.email_change_confirmed, u.phone_change, u.phone_change_sent_at,
  u.reauthentication_sent_at, u.last_sign_in_at, u.app_metadata, u.user_metadata, u.is_anonymous, u.terms_version, u.terms_accepted_at, u.banned_until, u.demo_ends_at, u.deleted_at, u.version, u.created_at, u.updated_at,
  (select coalesce(json_agg(i order by i.created_at), '[]') from identities i where i.user_id = u.id) as identities,
  (select coalesce(json_agg(json_build_object('id', f.id, 'user_id', f.user_id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'status', f.status,
    'last_challenged_at', f.last_challenged_at, 'created_at', f.created_at, 'updated_at', f.updated_at) order by f.created_at), '[]') from factors f where f.user_id = u.id) as factors`
export const wholeUser = sql.raw(wholeUserText)

type Key = { id: string } | { email: string } | { phone: string }

export async function findUser(db: Db, key: Key): Promise<User | null> {
  const [column, value] = Object.entries(key)[0]!
  const { rows } =
    await sql<User>`select ${wholeUser} from users u where ${sql.ref(`u.${column}`)} = ${value} and u.deleted_at is null`.execute(db)
  return rows[0] ?? null
}

const CURRENT_USER: Statement = {
  name: 'identity_current_user',
  text: `select ${wholeUserText},
    (select json_build_object('id', s.id, 'created_at', s.created_at, 'aal', s.aal, 'amr', s.amr) from sessions s
      where s.id = $2 and s.user_id = u.id and s.revoked_at is null) as session
    from users u where u.id = $1 and u.deleted_at is null`,
}

/** The caller with the session that the token names: a session that was ended is refused even while its token lives. */
export async function currentUser(
  ctx: AuthCtx,
): Promise<{ user: User; session: { id: string; created_at: Date; aal: 'aal1' | 'aal2'; amr: { method: string; timestamp: number }[] } }> {
  if (ctx.actor.kind !== 'user') throw refuse(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  const [row] = await runStatement<User & { session: { id: string; created_at: string; aal: 'aal1' | 'aal2'; amr: [] } | null }>(
    ctx.db,
    CURRENT_USER,
    [ctx.actor.id, ctx.actor.sessionId],
  )
  if (!row) throw refuse(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (!row.session) throw refuse(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  const { session, ...user } = row
  return { user, session: { ...session, created_at: new Date(session.created_at) } }
}

export const getUser = async (ctx: AuthCtx, _input: unknown): Promise<UserJson> => userJson((await currentUser(ctx)).user)

type NewUser = {
  email?: string | null | undefined
  phone?: string | null | undefined
  passwordHash?: string | null
  provider: string
  data?: Record<string, unknown>
  confirmed?: boolean
  proven?: boolean
  anonymous?: boolean
  invited?: boolean
  demoEndsAt?: Date
  id?: string
}

/** Adds an account with its first identity and says so. Null when the address was taken in the meantime. */
export async function createUser(trx: Trx, { email = null, phone = null, provider, data = {}, ...rest }: NewUser): Promise<string | null> {
  const at = rest.confirmed ? new Date() : null
  const created = await trx
    .insertInto('users')
    .values({
      id: rest.id ?? newId(),
      email,
      phone,
      password_hash: rest.passwordHash ?? null,
      email_confirmed_at: email ? at : null,
      phone_confirmed_at: phone && !email ? at : null,
      email_proven: rest.proven ?? false,
      invited_at: rest.invited ? new Date() : null,
      app_metadata: JSON.stringify(rest.anonymous ? {} : { provider, providers: [provider] }),
      user_metadata: JSON.stringify(data),
      is_anonymous: rest.anonymous ?? false,
      demo_ends_at: rest.demoEndsAt ?? null,
      ...termsIn(data),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) return null
  if (!rest.anonymous && (provider === 'email' || provider === 'phone')) {
    await addIdentity(trx, created.id, provider, created.id, {
      ...data,
      sub: created.id,
      ...(email && { email }),
      ...(phone && { phone }),
      email_verified: Boolean(email && at),
      phone_verified: Boolean(phone && at),
    })
  }
  await publish(trx, identity.userCreated, created.id, {
    email,
    email_verified: Boolean(email && rest.proven),
    name: nameOf(data),
    referral_code: textOf(data.referral_code),
    role: null,
    version: 1,
  })
  return created.id
}

export async function addIdentity(
  trx: Trx,
  userId: string,
  provider: string,
  providerId: string,
  data: Record<string, unknown>,
): Promise<string> {
  const id = newId()
  await trx
    .insertInto('identities')
    .values({ id, user_id: userId, provider, provider_id: providerId, identity_data: JSON.stringify(data), last_sign_in_at: new Date() })
    .execute()
  return id
}

/** Changes an account, counts its version up and tells whoever keeps a copy. */
export async function changeUser(trx: Trx, userId: string, set: Updateable<IdentityDb['users']>): Promise<void> {
  const row = await trx
    .updateTable('users')
    .set({ ...set, version: sql`version + 1`, updated_at: new Date() })
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
    .returning([
      'email',
      'email_proven',
      'user_metadata',
      'version',
      'banned_until',
      (eb) => eb.selectFrom('user_roles').select('role').whereRef('user_roles.user_id', '=', 'users.id').as('role'),
    ])
    .executeTakeFirst()
  if (!row) throw refuse(404, 'user_not_found', 'User not found')
  const { email, email_proven: email_verified, user_metadata: data, version, role } = row
  const banned_until = row.banned_until?.toISOString() ?? null
  const told = { email, email_verified, name: nameOf(data), referral_code: textOf(data.referral_code), role, banned_until, version }
  await publish(trx, identity.userUpdated, userId, told)
}

/** `app_metadata.provider` and `providers` follow the identities. */
export async function syncProviders(trx: Trx, userId: string): Promise<void> {
  const rows = await trx.selectFrom('identities').select('provider').distinct().where('user_id', '=', userId).orderBy('provider').execute()
  const providers = rows.map((row) => row.provider)
  if (!providers.length) return
  await trx
    .updateTable('users')
    .set({
      app_metadata:
        sql`app_metadata || jsonb_build_object('providers', ${JSON.stringify(providers)}::jsonb, 'provider', case when app_metadata->>'provider' = any(${providers}) then app_metadata->'provider' else to_jsonb(${providers[0]}::text) end)` as never,
    })
    .where('id', '=', userId)
    .execute()
}

export function userJson(user: User): UserJson {
  const confirmed = user.email_confirmed_at ?? user.phone_confirmed_at
  return dropNulls({
    id: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: user.phone ?? '',
    email_confirmed_at: iso(user.email_confirmed_at),
    invited_at: iso(user.invited_at),
    phone_confirmed_at: iso(user.phone_confirmed_at),
    confirmation_sent_at: iso(user.confirmation_sent_at),
    confirmed_at: iso(confirmed),
    recovery_sent_at: iso(user.recovery_sent_at),
    new_email: user.email_change,
    email_change_sent_at: iso(user.email_change_sent_at),
    new_phone: user.phone_change,
    phone_change_sent_at: iso(user.phone_change_sent_at),
    reauthentication_sent_at: iso(user.reauthentication_sent_at),
    last_sign_in_at: iso(user.last_sign_in_at),
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    identities: user.identities.map(identityJson),
    factors: user.factors.length ? user.factors.map(factorJson) : null,
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
    banned_until: iso(user.banned_until),
    is_anonymous: user.is_anonymous,
  }) as UserJson
}

const identityJson = (row: IdentityRow) =>
  dropNulls({
    identity_id: row.id,
    id: row.provider_id,
    user_id: row.user_id,
    identity_data: row.identity_data,
    provider: row.provider,
    last_sign_in_at: iso(row.last_sign_in_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    email: row.identity_data.email ?? null,
  })

export const factorJson = (row: FactorRow) => ({
  id: row.id,
  created_at: iso(row.created_at)!,
  updated_at: iso(row.updated_at)!,
  status: row.status,
  friendly_name: row.friendly_name,
  factor_type: row.factor_type,
  last_challenged_at: iso(row.last_challenged_at),
})

export const hasSecondFactor = (user: Pick<User, 'factors'>) => user.factors.some((factor) => factor.status === 'verified')
/** A change of email, phone or password needs the second factor, where the account has one. */
export function demandSecondFactor(user: Pick<User, 'factors'>, { aal }: { aal: 'aal1' | 'aal2' }, what: string): void {
  if (hasSecondFactor(user) && aal !== 'aal2')
    throw refuse(401, 'insufficient_aal', `AAL2 session is required to ${what} when MFA is enabled.`)
}
export const isBanned = (user: Pick<User, 'banned_until'>) => user.banned_until !== null && user.banned_until.getTime() > now()
export const nameOf = (data: Record<string, any>): string | null => textOf(data.name) ?? textOf(data.full_name)
const textOf = (value: unknown): string | null => (typeof value === 'string' && value ? value.slice(0, 200) : null)
const iso = (at: Date | string | null): string | null => (at === null ? null : new Date(at).toISOString())
const dropNulls = (record: Record<string, unknown>) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))

export async function lookUpUser(ctx: AuthCtx, { user_id: id }: { user_id: string }) {
  const user = await findUser(ctx.db, { id })
  return user && { id, email: user.email, name: nameOf(user.user_metadata), created_at: user.created_at.toISOString() }
}

/** Proven addresses alone, as for the claim. A deleted account has none. */
export async function staffPeople({ db }: AuthCtx, emails: string[]): Promise<{ ids: string[] }> {
  if (emails.length === 0) return { ids: [] }
  const found = await db.selectFrom('users').select('id').where('email', 'in', emails).where('email_proven', '=', true).execute()
  return { ids: found.map(({ id }) => id) }
}

const KEPT_OUT_AT_ONCE = 500
export async function keptOut({ db }: AuthCtx, { after }: { after: string | null }) {
  const found = await db
    .selectFrom('users')
    .select(['id', 'banned_until', 'version'])
    .where('banned_until', '>', new Date(now()))
    .where('deleted_at', 'is', null)
    .$if(after !== null, (query) => query.where('id', '>', after!))
    .orderBy('id')
    .limit(KEPT_OUT_AT_ONCE + 1)
    .execute()
  const accounts = found
    .slice(0, KEPT_OUT_AT_ONCE)
    .map(({ id, banned_until, version }) => ({ user_id: id, banned_until: banned_until!.toISOString(), version }))
  return { accounts, more: found.length > KEPT_OUT_AT_ONCE }
}

/** One look at the whole table, for who asks every few minutes. */
export async function countPeople({ db }: AuthCtx) {
  const { people } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('deleted_at', 'is', null)
    .where('is_anonymous', '=', false)
    .where('demo_ends_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { people: Number(people) }
}
