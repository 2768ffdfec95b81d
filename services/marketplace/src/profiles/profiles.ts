import type { Envelope, Payload } from '@operon/contracts/contract'
import type { userUpdated } from '@operon/contracts/identity/events'
import { type AskKeptOut, keptOutPages } from '@operon/kit/banned'
import { type Ctx, signedIn, userIdOf } from '@operon/kit/context'
import { exactValue, type Query } from '@operon/kit/data/query'
import type { KitDb } from '@operon/kit/schema'
import { inTransaction } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { claimOrders } from '../buyers/claim.ts'
import type { MarketplaceDb } from '../schema.ts'
import { ensureSlug } from './slug.ts'

type Trx = Transaction<MarketplaceDb & KitDb>

/** One's own, or the storefront whose slug is named: sellers are public, a list of them is not. */
export function visibleProfiles(ctx: Ctx, query: Query) {
  return sql<boolean>`(deleted_at is null and (user_id = ${userIdOf(ctx.actor)} or marketplace_slug = ${exactValue(query, 'marketplace_slug')}))`
}

export async function ownerOf({ db }: Ctx<MarketplaceDb>, { slug }: { slug: string }) {
  const seller = await db.selectFrom('profiles').select('display_name').where('marketplace_slug', '=', slug).executeTakeFirst()
  return seller ? { name: seller.display_name ?? slug } : null
}

export async function claimOwnSlug(ctx: Ctx<MarketplaceDb>) {
  const userId = signedIn(ctx).id
  return inTransaction(ctx.db, async (trx) => {
    const slug = await ensureSlug(trx, userId)
    const profile = await trx.selectFrom('profiles').select('display_name').where('user_id', '=', userId).executeTakeFirst()
    return { slug, name: profile?.display_name ?? slug }
  })
}

export async function rememberPerson(trx: Trx, { user_id, payload }: Envelope<Payload<typeof userUpdated>>): Promise<void> {
  if (!user_id) return
  const { name, version } = payload
  // The version before says nothing of it.
  const ban =
    payload.banned_until === undefined ? {} : { banned_until: payload.banned_until === null ? null : new Date(payload.banned_until) }
  const email = payload.email_verified && payload.email ? payload.email.toLowerCase() : null
  const kept = await trx
    .insertInto('profiles')
    .values({ user_id, display_name: name, marketplace_slug: null, version, deleted_at: null, email, ...ban })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ display_name: name, version, email, ...ban })
        .where('profiles.version', '<', version)
        .where('profiles.deleted_at', 'is', null),
    )
    .returning(sql<boolean>`old.banned_until is distinct from new.banned_until`.as('banned'))
    .executeTakeFirst()
  if (kept?.banned) await putInStep(trx, [user_id])
  if (kept && email) await claimOrders(trx, user_id, email)
}

/**
 * Their products go off sale, or those that were on sale come back: a trigger looks at the seller. Orders are not touched, so buyers keep what
 * they bought.
 */
const putInStep = (trx: Trx, userIds: string[]) =>
  sql`update items set status = status where user_id = any(${userIds}::uuid[]) and status = 'active'`.execute(trx)

/** Where a person has changed since the ban, an event on its way says more. */
export async function learnBans({ db }: Ctx<MarketplaceDb>, ask: AskKeptOut): Promise<void> {
  for await (const accounts of keptOutPages(ask))
    await inTransaction(db, async (trx) => {
      const { rows } = await sql<{ user_id: string }>`
        update profiles p set banned_until = b.banned_until
        from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb) as b (user_id uuid, banned_until timestamptz, version int)
        where p.user_id = b.user_id and p.version <= b.version and p.banned_until is distinct from b.banned_until and p.deleted_at is null
        returning p.user_id`.execute(trx)
      if (rows.length)
        await putInStep(
          trx,
          rows.map(({ user_id }) => user_id),
        )
    })
}

const BANS_AT_ONCE = 100
/** Bans end by themselves. */
export async function endBans({ db }: Ctx<MarketplaceDb>): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ user_id: string }>`
      update profiles set banned_until = null where user_id in (
        select user_id from profiles where banned_until <= now() limit ${BANS_AT_ONCE} for update skip locked) returning user_id`.execute(
      trx,
    )
    if (rows.length)
      await putInStep(
        trx,
        rows.map(({ user_id }) => user_id),
      )
  })
}

/** The row stays, empty, so that an event that arrives late brings nobody back. */
export async function forgetPerson(trx: Trx, userId: string): Promise<void> {
  const empty = {
    business_name: '',
    contact_email: '',
    phone: '',
    website: '',
    location: '',
    business_category: '',
    business_description: '',
  }
  const nobody = { ...empty, display_name: null, marketplace_slug: null, picture_id: null, email: null, deleted_at: new Date() }
  await trx
    .insertInto('profiles')
    .values({ user_id: userId, version: 0, ...nobody })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(nobody))
    .execute()
}
