import { createHmac } from 'node:crypto'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/buyers'
import { MOST_SEARCHES, searchLetter } from '@operon/contracts/marketplace/buyers'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Mailer } from '@operon/kit/mail/mailer'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction } from '@operon/kit/tx'
import type { Vault } from '@operon/kit/vault'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { foundOf } from '../letters/letters.ts'
import { poster } from '../letters/send.ts'
import { bytesOf, macOf, uuidOf } from '../orders/links.ts'
import type { MarketplaceDb } from '../schema.ts'
import { newOffers } from '../storefront/offers.ts'

type Rt = Runtime<MarketplaceDb, Config>

export async function saveSearch(
  ctx: Ctx<MarketplaceDb>,
  { q, category }: Input<typeof contract.saveSearch>,
): Promise<Output<typeof contract.saveSearch>> {
  const { id: user_id } = signedIn(ctx)
  if (!q && !category) throw new DomainError('invalid', { message: 'A saved search needs words or a category.' })
  return inTransaction(ctx.db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`searches ${user_id}`}, 0))`.execute(trx)
    const known = await trx.selectFrom('saved_searches').select(['id', 'q', 'category']).where('user_id', '=', user_id).execute()
    const same = known.find((each) => each.q === q && each.category === category)
    if (same) return { search_id: same.id }
    if (known.length >= MOST_SEARCHES) throw new DomainError('searches_full')
    const id = newId()
    await trx.insertInto('saved_searches').values({ id, user_id, q, category }).execute()
    return { search_id: id }
  })
}

const MOST_FRESH = 100
export async function mySearches(ctx: Ctx<MarketplaceDb>): Promise<Output<typeof contract.mySearches>> {
  const rows = await ctx.db
    .selectFrom('saved_searches')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .orderBy('id', 'desc')
    .limit(MOST_SEARCHES)
    .execute()
  const searches = await Promise.all(
    rows.map(async ({ id, q, category, mails, seen_at, created_at }) => ({
      ...{ id, q, category, mails, at: created_at.toISOString() },
      fresh: (await newOffers(ctx.db, { q, category }, seen_at, MOST_FRESH)).length,
    })),
  )
  return { searches }
}

export async function changeSearch(
  ctx: Ctx<MarketplaceDb>,
  { search_id, mails, looked_at, deleted }: Input<typeof contract.changeSearch>,
): Promise<Output<typeof contract.changeSearch>> {
  const { id: userId } = signedIn(ctx)
  const mine = { id: search_id, user_id: userId }
  const changed = deleted
    ? (await ctx.db.deleteFrom('saved_searches').where('id', '=', mine.id).where('user_id', '=', mine.user_id).executeTakeFirst())
        .numDeletedRows
    : (
        await ctx.db
          .updateTable('saved_searches')
          // Switched on again it does not tell of what came meanwhile.
          .set({ ...(mails !== undefined && { mails, looked_at: sql`now()` }), ...(looked_at && { seen_at: sql`now()` }), id: mine.id })
          .where('id', '=', mine.id)
          .where('user_id', '=', mine.user_id)
          .executeTakeFirst()
      ).numUpdatedRows
  if (!changed) throw new DomainError('not_found')
  return { changed: true }
}

const SWEPT = 200
/** At most one letter a day for each search: it is looked through again a day later, whether or not something was found. */
export async function sweepSearches({ db, signal }: Ctx<MarketplaceDb>): Promise<void> {
  for (let count = SWEPT; count === SWEPT; ) {
    signal.throwIfAborted()
    count = await inTransaction(db, async (trx) => {
      const due = await trx
        .selectFrom('saved_searches')
        .select(['id', 'q', 'category', 'looked_at', 'user_id'])
        .where('mails', '=', true)
        .where('looked_at', '<', sql<Date>`now() - interval '1 day'`)
        .orderBy('looked_at')
        .limit(SWEPT)
        .forUpdate()
        .skipLocked()
        .execute()
      for (const { id, q, category, looked_at, user_id } of due) {
        const found = await newOffers(trx, { q, category }, looked_at, 1)
        await trx.updateTable('saved_searches').set({ looked_at: sql`now()` }).where('id', '=', id).execute()
        if (found.length) await enqueue(trx, searchLetter, { search_id: id, since: looked_at.toISOString() }, { userId: user_id })
      }
      return due.length
    })
  }
}

const NAMED = 6
export const sendSearchLetter = (rt: Rt, mailer: Mailer) => {
  const post = poster(rt, mailer)
  return async ({ db }: Ctx<MarketplaceDb>, id: string, { search_id, since }: { search_id: string; since: string }): Promise<void> => {
    const search = await db
      .selectFrom('saved_searches as s')
      .innerJoin('profiles as p', 'p.user_id', 's.user_id')
      .select(['s.q', 's.category', 'p.email'])
      .where('s.id', '=', search_id)
      .where('s.mails', '=', true)
      .where('p.deleted_at', 'is', null)
      .executeTakeFirst()
    if (!search?.email) return
    const { q, category, email } = search
    const found = await newOffers(db, { q, category }, new Date(since), MOST_FRESH)
    if (!found.length) return
    const home = rt.kit.PUBLIC_URL
    const words = [q, category].filter(Boolean).join(' in ')
    const titles = found.slice(0, NAMED).map(({ title, seller }) => `${title} by ${seller.name}`)
    const link = `${home}/marketplace?${new URLSearchParams(Object.entries({ q, category }).filter(([, value]) => value))}`
    const stop = `${home}/functions/v1/search-unsubscribe?token=${stopToken(rt.vault, search_id)}`
    await post(db, id, email, foundOf({ words, titles, count: found.length, link, stop }))
  }
}

function stopToken(vault: Vault, searchId: string): string {
  const id = bytesOf(searchId)
  return Buffer.concat([id, macOf(vault, 'search emails', id)]).toString('base64url')
}

/** Opened without a session, by whoever has the letter. A link that was cut short is answered in words. */
export const stopSearch =
  ({ vault }: Pick<Rt, 'vault'>) =>
  async ({ db }: Ctx<MarketplaceDb>, token: string): Promise<{ ok: boolean; message: string }> => {
    const given = Buffer.from(token, 'base64url')
    const id = given.length >= 16 ? uuidOf(given.subarray(0, 16)) : null
    if (!id || !sameText(stopToken(vault, id), token))
      throw new DomainError('not_found', { message: 'The link may be mistyped. Open it from the email again.' })
    await db.updateTable('saved_searches').set({ mails: false }).where('id', '=', id).execute()
    return { ok: true, message: 'You will get no more emails about this search. It stays in your dashboard.' }
  }

const sameText = (a: string, b: string) =>
  createHmac('sha256', 'same').update(a).digest().equals(createHmac('sha256', 'same').update(b).digest())
