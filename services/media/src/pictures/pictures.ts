import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { removeFiles } from '@operon/kit/files/files'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MediaDb } from '../schema.ts'
import { dropBoards } from './boards.ts'
import type { Deps } from './deps.ts'
import { fail } from './draw.ts'
import { dropInputs } from './inputs.ts'
import { dropObjects, type Picture, select, shown, thumbKeyOf } from './picture.ts'
import { giveBack } from './stopped.ts'

type OfPicture = { picture_id: string }
const DAY = sql`interval '1 day'`

/** The newest are looked through before the index of all words is asked: a word that stands in every prompt must not read every picture. */
const LATELY = 2_000
export async function listPictures(
  deps: Deps,
  ctx: Ctx<MediaDb>,
  {
    q,
    saved,
    board_id,
    after,
    limit,
  }: {
    q?: string | undefined
    saved?: boolean | undefined
    board_id?: string | undefined
    after?: string | null | undefined
    limit: number
  },
): Promise<{ pictures: Picture[]; next: string | null }> {
  const words = wordsOf(q ?? '')
  let query = select(ctx.db as never)
    .where('p.user_id', '=', signedIn(ctx).id)
    .where('p.state', '=', 'done')
    .where('p.deleted_at', 'is', null)
  if (saved) query = query.where('p.saved', '=', true)
  if (board_id)
    query = query.where(
      sql<boolean>`exists (select from board_pictures bp join boards b on b.id = bp.board_id
        where bp.board_id = ${board_id} and bp.picture_id = p.id and b.user_id = p.user_id and b.deleted_at is null)`,
    )
  if (after) query = query.where('p.id', '<', after)
  const page = (among: typeof query) =>
    among
      .orderBy('p.id', 'desc')
      .limit(limit + 1)
      .execute()
  let rows: Awaited<ReturnType<typeof page>>
  if (words) {
    const fits = sql<boolean>`p.words @@ to_tsquery('simple', ${words})`
    const newest = query
      .clearSelect()
      .select(['p.id', sql`p.words`.as('words')])
      .orderBy('p.id', 'desc')
      .limit(LATELY)
    const lately = ctx.db
      .selectFrom(newest.as('p'))
      .select('p.id')
      .where(fits)
      .orderBy('p.id', 'desc')
      .limit(limit + 1)
    rows = await page(query.where('p.id', 'in', lately as never))
    if (rows.length <= limit) rows = await page(query.where(fits))
  } else rows = await page(query)
  return {
    pictures: rows.slice(0, limit).map((row) => shown(deps, row)),
    next: rows.length > limit ? rows[limit - 1]!.id : null,
  }
}

/** Each word as the beginning of one; signs mean nothing. */
const wordsOf = (q: string) =>
  (q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .slice(0, 8)
    .map((word) => `${word}:*`)
    .join(' & ')

export async function findPictures(
  deps: Deps,
  ctx: Ctx<MediaDb>,
  { ids }: { ids?: string[] | undefined },
): Promise<{ pictures: Picture[] }> {
  const own = select(ctx.db as never)
    .where('p.user_id', '=', signedIn(ctx).id)
    .where('p.deleted_at', 'is', null)
  const asked = ids ? own.where('p.id', 'in', ids.length ? ids : [signedIn(ctx).id]) : own.where('p.state', 'in', ['queued', 'running'])
  const rows = await asked.orderBy('p.id').limit(60).execute()
  return { pictures: rows.map((row) => shown(deps, row)) }
}

export async function cancelPicture(deps: Deps, ctx: Ctx<MediaDb>, { picture_id }: OfPicture): Promise<{ cancelled: boolean }> {
  const { progress } = deps
  const { id: userId } = signedIn(ctx)
  const stopped = await inTransaction(ctx.db, async (trx) => {
    const row = await trx
      .updateTable('pictures')
      .set({ state: 'cancelled', problem: 'image_stopped', finished_at: sql`now()` as never })
      .where('id', '=', picture_id)
      .where('user_id', '=', userId)
      .where('state', 'in', ['queued', 'running'])
      .returning(['id', 'reservation_id', 'percent', 'asked_at', 'used_model', 'size'])
      .executeTakeFirst()
    if (row) await giveBack(trx, deps, row)
    return row
  })
  if (stopped) {
    progress.stop(picture_id)
    progress.tell({ user_id: userId, picture_id, state: 'cancelled', percent: stopped.percent, fell_back: false })
  }
  return { cancelled: stopped !== undefined }
}

export async function savePicture(ctx: Ctx<MediaDb>, { picture_id, saved }: OfPicture & { saved: boolean }): Promise<{ saved: boolean }> {
  const row = await ctx.db
    .updateTable('pictures')
    .set({ saved })
    .where('id', '=', picture_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'done')
    .where('deleted_at', 'is', null)
    .returning('saved')
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

/** Its public link ends in the same moment; the file goes a day later, so that a slip can be undone. */
export async function deletePicture(ctx: Ctx<MediaDb>, { picture_id }: OfPicture): Promise<{ deleted: boolean }> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const row = await trx
      .updateTable('pictures')
      .set({ deleted_at: sql`now()` as never })
      .where('id', '=', picture_id)
      .where('user_id', '=', userId)
      .where('state', '=', 'done')
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (row)
      await trx
        .updateTable('picture_shares')
        .set({ revoked_at: sql`now()` as never })
        .where('picture_id', '=', picture_id)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .execute()
    return { deleted: row !== undefined }
  })
}

export async function restorePicture(ctx: Ctx<MediaDb>, { picture_id }: OfPicture): Promise<{ restored: boolean }> {
  const row = await ctx.db
    .updateTable('pictures')
    .set({ deleted_at: null })
    .where('id', '=', picture_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where(sql<boolean>`deleted_at > now() - ${DAY}`)
    .returning('id')
    .executeTakeFirst()
  return { restored: row !== undefined }
}

export async function pictureStats(ctx: Ctx<MediaDb>) {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<{ total: number; this_month: number; saved: number; average_seconds: number | null }>`
    select coalesce(sum(shown), 0)::int as total, coalesce(sum(saved), 0)::int as saved,
      coalesce(sum(shown) filter (where month = date_trunc('month', now() at time zone 'utc')::date), 0)::int as this_month,
      (select round(extract(epoch from avg(finished_at - created_at))::numeric, 1)::float8 from (
        select created_at, finished_at from pictures where user_id = ${userId} and state = 'done' and deleted_at is null
        order by id desc limit 100) lately) as average_seconds
    from picture_months where user_id = ${userId}`.execute(ctx.db)
  return rows[0]!
}

const BATCH = 200
const LOST_AFTER = sql`interval '2 hours'`

/** Ends what no worker will end, and removes what was deleted a day ago. */
export async function sweep(deps: Deps, ctx: Ctx<MediaDb>): Promise<void> {
  const lost = await ctx.db
    .selectFrom('pictures')
    .select(['id', 'fence'])
    .where('state', 'in', ['queued', 'running'])
    .where(sql<boolean>`created_at < now() - ${LOST_AFTER}`)
    .limit(BATCH)
    .execute()
  for (const row of lost)
    await fail(deps, row, new DomainError('image_failed', { cause: new Error('no worker ended it within two hours') }))
  const gone = await ctx.db
    .selectFrom('pictures')
    .select(['id', 'user_id'])
    .where(sql<boolean>`deleted_at < now() - ${DAY}`)
    .limit(BATCH)
    .execute()
  for (const row of gone) {
    ctx.signal.throwIfAborted()
    await removeFiles(deps.rt, ctx.db as never, (query) => query.where('id', '=', row.id).where('user_id', '=', row.user_id))
    await deps.storage.delete(thumbKeyOf(row))
    await ctx.db.deleteFrom('pictures').where('id', '=', row.id).where(sql<boolean>`deleted_at < now() - ${DAY}`).execute()
  }
  await dropInputs(deps, ctx, BATCH)
  await dropBoards(ctx, BATCH)
  const ended = await ctx.db
    .selectFrom('pictures')
    .select(['id', 'user_id'])
    .where('state', 'in', ['failed', 'cancelled'])
    .where(sql<boolean>`finished_at < now() - interval '90 days'`)
    .limit(BATCH)
    .execute()
  for (const row of ended) {
    ctx.signal.throwIfAborted()
    // Written by a worker that died before it could say so.
    await dropObjects(deps, row)
    await ctx.db.deleteFrom('pictures').where('id', '=', row.id).where('user_id', '=', row.user_id).execute()
  }
}
