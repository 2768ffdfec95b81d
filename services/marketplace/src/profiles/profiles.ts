import type { Envelope, Payload } from '@operon/contracts/contract'
import type { userUpdated } from '@operon/contracts/identity/events'
import { type Ctx, userIdOf } from '@operon/kit/context'
import { exactValue, type Query } from '@operon/kit/data/query'
import type { KitDb } from '@operon/kit/schema'
import { sql, type Transaction } from 'kysely'
import { claimOrders } from '../buyers/claim.ts'
import type { MarketplaceDb } from '../schema.ts'

type Trx = Transaction<MarketplaceDb & KitDb>

/** One's own, or the storefront whose slug is named: sellers are public, a list of them is not. */
export function visibleProfiles(ctx: Ctx, query: Query) {
  return sql<boolean>`(deleted_at is null and (user_id = ${userIdOf(ctx.actor)} or marketplace_slug = ${exactValue(query, 'marketplace_slug')}))`
}

export async function ownerOf({ db }: Ctx<MarketplaceDb>, { slug }: { slug: string }) {
  const seller = await db
    .selectFrom('profiles')
    .select('display_name')
    .where('marketplace_slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return seller ? { name: seller.display_name ?? slug } : null
}

export async function rememberPerson(trx: Trx, { user_id, payload }: Envelope<Payload<typeof userUpdated>>): Promise<void> {
  if (!user_id) return
  const { name, version } = payload
  const email = payload.email_verified && payload.email ? payload.email.toLowerCase() : null
  const kept = await trx
    .insertInto('profiles')
    .values({ user_id, display_name: name, marketplace_slug: null, version, deleted_at: null, email })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ display_name: name, version, email })
        .where('profiles.version', '<', version)
        .where('profiles.deleted_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst()
  if (kept && email) await claimOrders(trx, user_id, email)
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
