import { type Board as BoardShape, MOST_BOARDS, MOST_COUNTED } from '@operon/contracts/media/boards'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { thumbAt } from './picture.ts'

type Board = z.output<typeof BoardShape>
type OfBoard = { board_id: string }

export async function listBoards({ storage }: Deps, ctx: Ctx<MediaDb>): Promise<{ boards: Board[] }> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<{ id: string; name: string; created_at: Date; pictures: number; cover: string | null }>`
    select b.id, b.name, b.created_at, counted.pictures, newest.id as cover from boards b
    cross join lateral (
      select count(*)::int as pictures from (
        select from board_pictures bp join pictures p on p.id = bp.picture_id where bp.board_id = b.id and p.deleted_at is null limit ${MOST_COUNTED}) few
    ) counted
    left join lateral (
      select p.id from board_pictures bp join pictures p on p.id = bp.picture_id
      where bp.board_id = b.id and p.deleted_at is null order by bp.picture_id desc limit 1) newest on true
    where b.user_id = ${userId} and b.deleted_at is null order by lower(b.name) limit ${MOST_BOARDS}`.execute(ctx.db)
  return {
    boards: rows.map(({ cover, created_at, ...row }) => ({
      ...row,
      cover_url: cover && thumbAt(storage, { id: cover, user_id: userId }),
      created_at: created_at.toISOString(),
    })),
  }
}

export async function createBoard(ctx: Ctx<MediaDb>, { name }: { name: string }): Promise<Board & OfBoard> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await demandRoom(trx as never, userId)
    const row = await trx
      .insertInto('boards')
      .values({ id: newId(), user_id: userId, name, deleted_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'created_at'])
      .executeTakeFirst()
    if (!row) throw new DomainError('board_exists')
    return { id: row.id, board_id: row.id, name, pictures: 0, cover_url: null, created_at: row.created_at.toISOString() }
  })
}

/** One at a time, so that the limit is one. */
async function demandRoom(trx: Ctx<MediaDb>['db'], userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`boards ${userId}`}, 0))`.execute(trx)
  const { n } = await trx
    .selectFrom('boards')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (n >= MOST_BOARDS) throw new DomainError('too_many_boards')
}

const unlessTaken = (error: unknown): never => {
  throw (error as { code?: string }).code === '23505' ? new DomainError('board_exists') : error
}

export async function renameBoard(ctx: Ctx<MediaDb>, { board_id, name }: OfBoard & { name: string }): Promise<{ name: string }> {
  const row = await ctx.db
    .updateTable('boards')
    .set({ name })
    .where('id', '=', board_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('deleted_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
    .catch(unlessTaken)
  if (!row) throw new DomainError('not_found')
  return row
}

export async function deleteBoard(ctx: Ctx<MediaDb>, { board_id }: OfBoard): Promise<{ deleted: boolean } & OfBoard> {
  const row = await ctx.db
    .updateTable('boards')
    .set({ deleted_at: sql`now()` as never })
    .where('id', '=', board_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return { deleted: row !== undefined, board_id }
}

export async function restoreBoard(ctx: Ctx<MediaDb>, { board_id }: OfBoard): Promise<{ restored: boolean }> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await demandRoom(trx as never, userId)
    const row = await trx
      .updateTable('boards')
      .set({ deleted_at: null })
      .where('id', '=', board_id)
      .where('user_id', '=', userId)
      .where(sql<boolean>`deleted_at > now() - interval '1 day'`)
      .returning('id')
      .executeTakeFirst()
    return { restored: row !== undefined }
  }).catch(unlessTaken)
}

/** Board and picture have to be one's own, both of them. */
export async function putOnBoard(
  ctx: Ctx<MediaDb>,
  { board_id, picture_id, on }: OfBoard & { picture_id: string; on: boolean },
): Promise<{ on: boolean }> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<{ found: boolean }>`
    select true as found from boards b join pictures p on p.user_id = b.user_id
    where b.id = ${board_id} and b.user_id = ${userId} and b.deleted_at is null
      and p.id = ${picture_id} and p.state = 'done' and p.deleted_at is null`.execute(ctx.db)
  if (!rows.length) throw new DomainError('not_found')
  if (on)
    await ctx.db
      .insertInto('board_pictures')
      .values({ board_id, picture_id, user_id: userId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  else
    await ctx.db
      .deleteFrom('board_pictures')
      .where('board_id', '=', board_id)
      .where('picture_id', '=', picture_id)
      .where('user_id', '=', userId)
      .execute()
  return { on }
}

export async function boardsOf(ctx: Ctx<MediaDb>, { picture_id }: { picture_id: string }): Promise<{ board_ids: string[] }> {
  const rows = await ctx.db
    .selectFrom('board_pictures as bp')
    .innerJoin('boards as b', 'b.id', 'bp.board_id')
    .select('b.id')
    .where('bp.picture_id', '=', picture_id)
    .where('b.user_id', '=', signedIn(ctx).id)
    .where('b.deleted_at', 'is', null)
    .limit(MOST_BOARDS)
    .execute()
  return { board_ids: rows.map(({ id }) => id) }
}

/** A board that was deleted a day ago goes, with what was on it. */
export const dropBoards = (ctx: Ctx<MediaDb>, batch: number) =>
  sql`
    delete from boards where id in (select id from boards where deleted_at < now() - interval '1 day' limit ${batch})`.execute(ctx.db)
