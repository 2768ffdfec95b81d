import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/threads'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import type { Vault } from '@operon/kit/vault'
import { type Selectable, sql } from 'kysely'
import type { Config } from '../config.ts'
import { orderOf } from '../orders/access.ts'
import { nameOfSeller } from '../orders/cart.ts'
import type { MarketplaceDb } from '../schema.ts'

type Db = Ctx<MarketplaceDb>['db']
export type Side = 'buyer' | 'seller'
export type ThreadRow = Selectable<MarketplaceDb['threads']>
type MessageRow = Selectable<MarketplaceDb['thread_messages']>

const unreadOf = (side: Side) => (side === 'seller' ? ('seller_unread' as const) : ('buyer_unread' as const))

const threadJson = (row: ThreadRow, side: Side, from: string) => ({
  ...{
    id: row.id,
    from,
    subject: row.subject,
    preview: row.preview,
    last_from: row.last_from,
    order_id: row.order_id,
    product_id: row.item_id,
  },
  time: row.last_at.toISOString(),
  unread: row[unreadOf(side)],
})

const COUNTED = 1_000
async function unreadCount(db: Db, side: Side, userId: string): Promise<number> {
  const mine = sql.ref(side === 'seller' ? 'seller_id' : 'buyer_id')
  const unread = sql.ref(unreadOf(side))
  const { rows } = await sql<{ unread: number }>`
    select least(${COUNTED}, coalesce(sum(unread), 0))::int as unread from (
      select ${unread} as unread from threads where ${mine} = ${userId} and ${unread} > 0 limit ${COUNTED}) few`.execute(db)
  return rows[0]!.unread
}
export const unreadOfBuyer = (db: Db, userId: string) => unreadCount(db, 'buyer', userId)

type Asked = Input<typeof contract.listThreads>
async function listOf(db: Db, side: Side, userId: string, { unread, limit, cursor }: Asked) {
  const rows = await db
    .selectFrom('threads')
    .selectAll()
    // Its own text, since a Date has milliseconds alone.
    .select(sql<string>`last_at::text`.as('place'))
    .where(side === 'seller' ? 'seller_id' : 'buyer_id', '=', userId)
    .$if(unread, (query) => query.where(unreadOf(side), '>', 0))
    .$if(cursor !== undefined, (query) => query.where(placeAfter(cursor!)))
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const names = await namesOf(db, side, page)
  const last = rows.length > limit ? page.at(-1)! : null
  return {
    threads: page.map((row) => threadJson(row, side, names(row))),
    cursor: last && Buffer.from(`${last.place}|${last.id}`).toString('base64url'),
    unread: await unreadCount(db, side, userId),
  }
}

function placeAfter(cursor: string) {
  const [at, id] = Buffer.from(cursor, 'base64url').toString().split('|')
  if (!at || !/^\d{4}-[\d-]+ [\d:.]+[+-]\d\d(:\d\d)?$/.test(at) || !isUuid(id))
    throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  return sql<boolean>`(last_at, id) < (${at}::timestamptz, ${id}::uuid)`
}

/** The other side's name: a seller's profile; a buyer's, else the address of their order. */
async function namesOf(db: Db, side: Side, threads: ThreadRow[]): Promise<(thread: ThreadRow) => string> {
  const otherOf = (thread: ThreadRow) => (side === 'seller' ? thread.buyer_id : thread.seller_id)
  const ids = [...new Set(threads.map(otherOf).filter((id) => id !== null))]
  const profiles = ids.length
    ? await db
        .selectFrom('profiles')
        .select(['user_id', 'business_name', 'display_name', 'marketplace_slug'])
        .where('user_id', 'in', ids)
        .execute()
    : []
  return (thread) => {
    const known = profiles.find(({ user_id }) => user_id === otherOf(thread))
    if (side === 'buyer') return nameOfSeller(known)
    return known?.display_name ?? thread.email ?? 'A buyer'
  }
}

const MEDIAN_OF = 100
export async function listThreads(ctx: Ctx<MarketplaceDb>, asked: Asked): Promise<Output<typeof contract.listThreads>> {
  const { id: seller } = signedIn(ctx)
  const { rows } = await sql<{ minutes: number | null }>`
    select round(percentile_cont(0.5) within group (order by extract(epoch from answered_at - created_at) / 60))::int as minutes from (
      select answered_at, created_at from threads where seller_id = ${seller} and answered_at is not null
      order by answered_at desc limit ${MEDIAN_OF}) newest`.execute(ctx.db)
  return { ...(await listOf(ctx.db, 'seller', seller, asked)), response_minutes: rows[0]?.minutes ?? null }
}
export const listOwnThreads = (ctx: Ctx<MarketplaceDb>, asked: Asked): Promise<Output<typeof contract.listOwnThreads>> =>
  listOf(ctx.db, 'buyer', signedIn(ctx).id, asked)

/** The conversation of this person, and on which side they are. Nobody else's is there. */
export async function threadOf({ db, actor }: Ctx<MarketplaceDb>, id: string | undefined): Promise<{ thread: ThreadRow; side: Side }> {
  const { id: userId } = signedIn({ actor } as Ctx)
  if (!id) throw new DomainError('not_found')
  const thread = await db
    .selectFrom('threads')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('seller_id', '=', userId), eb('buyer_id', '=', userId)]))
    .executeTakeFirst()
  if (!thread) throw new DomainError('not_found')
  return { thread, side: thread.seller_id === userId ? 'seller' : 'buyer' }
}

const SHOWN = 50
export async function showThread(
  ctx: Ctx<MarketplaceDb>,
  { thread_id, cursor }: Input<typeof contract.showThread>,
): Promise<Output<typeof contract.showThread>> {
  if (cursor !== undefined && !isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  const { thread, side } = await threadOf(ctx, thread_id)
  const { messages, more } = await messagesOf(ctx.db, thread.id, cursor)
  const order = thread.order_id
    ? await ctx.db.selectFrom('orders').select('state').where('id', '=', thread.order_id).executeTakeFirst()
    : undefined
  await markRead(ctx.db, thread, side)
  const names = await namesOf(ctx.db, side, [thread])
  return {
    thread: { ...threadJson({ ...thread, [unreadOf(side)]: 0 }, side, names(thread)), side, order_state: order?.state ?? null },
    messages,
    cursor: more,
  }
}

async function markRead(db: Db, thread: ThreadRow, side: Side): Promise<void> {
  if (thread[unreadOf(side)] === 0) return
  await db
    .updateTable('threads')
    .set({ [unreadOf(side)]: 0 })
    .where('id', '=', thread.id)
    .execute()
}

type Message = Output<typeof contract.orderMessages>['messages'][number]
async function messagesOf(db: Db, threadId: string, before?: string): Promise<{ messages: Message[]; more: string | null }> {
  const rows = await db
    .selectFrom('thread_messages')
    .selectAll()
    .where('thread_id', '=', threadId)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(SHOWN + 1)
    .execute()
  const page = rows.slice(0, SHOWN)
  return { messages: await messagesJson(db, page.toReversed()), more: rows.length > SHOWN ? page.at(-1)!.id : null }
}

/** A file that its owner has deleted since is no longer offered. */
export async function messagesJson(db: Db, rows: MessageRow[]): Promise<Message[]> {
  const ids = rows.map(({ id }) => id)
  const files = ids.length
    ? await db
        .selectFrom('message_files as m')
        .innerJoin('files as f', 'f.id', 'm.file_id')
        .select(['m.message_id', 'm.file_id', 'm.name', 'm.bytes', 'm.type'])
        .where('m.message_id', 'in', ids)
        .where('f.scan', '!=', 'infected')
        .orderBy('m.position')
        .execute()
    : []
  return rows.map(({ id, side, text, via, created_at, files_left }) => ({
    ...{ id, from: side, text, via, at: created_at.toISOString(), files_left },
    files: files
      .filter(({ message_id }) => message_id === id)
      .map(({ file_id, name, bytes, type }) => ({ file_id, name, bytes: Number(bytes), type })),
  }))
}

export const orderMessages =
  ({ vault }: Pick<Runtime<MarketplaceDb, Config>, 'vault'>) =>
  async (ctx: Ctx<MarketplaceDb>, ref: Input<typeof contract.orderMessages>): Promise<Output<typeof contract.orderMessages>> => {
    const order = await orderOf(vault, ctx, ref)
    const thread = await ctx.db.selectFrom('threads').selectAll().where('order_id', '=', order.id).executeTakeFirst()
    if (!thread) return { thread_id: null, messages: [] }
    await markRead(ctx.db, thread, 'buyer')
    return { thread_id: thread.id, messages: (await messagesOf(ctx.db, thread.id)).messages }
  }

async function threadByLink(vault: Vault, ctx: Ctx<MarketplaceDb>, token: string): Promise<{ id: string }> {
  const { id } = await orderOf(vault, ctx, { token })
  const thread = await ctx.db.selectFrom('threads').select('id').where('order_id', '=', id).executeTakeFirst()
  if (!thread) throw new DomainError('not_found')
  return thread
}

const FIVE_MINUTES_S = 300
export const threadFile =
  ({ storage, vault, config }: Pick<Runtime<MarketplaceDb, Config>, 'storage' | 'vault' | 'config'>) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { thread_id, token, file_id }: Input<typeof contract.threadFile>,
  ): Promise<Output<typeof contract.threadFile>> => {
    // Anybody may ask, but only a side of the conversation or the order's link finds something.
    if (!token && ctx.actor.kind !== 'user') throw new DomainError('not_found')
    const { thread, side } = token ? { thread: await threadByLink(vault, ctx, token), side: 'buyer' } : await threadOf(ctx, thread_id)
    const file = await ctx.db
      .selectFrom('message_files as m')
      .innerJoin('thread_messages as t', 't.id', 'm.message_id')
      .innerJoin('files as f', 'f.id', 'm.file_id')
      .select(['f.key', 'm.name', 'f.scan', 't.side'])
      .where('t.thread_id', '=', thread.id)
      .where('m.file_id', '=', file_id)
      .where('f.state', '=', 'ready')
      .where('f.scan', '!=', 'infected')
      .executeTakeFirst()
    if (!file) throw new DomainError('not_found')
    if (config.CLAMAV && file.scan === 'none' && file.side !== side) throw new DomainError('attachment_unchecked')
    return { url: storage.signedUrl(file.key, { expiresInS: FIVE_MINUTES_S, downloadAs: file.name }) }
  }
