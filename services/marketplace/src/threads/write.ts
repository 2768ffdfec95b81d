import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/threads'
import { buyerWrote, filesLeftLetter, messageLetter, messageText, sellerWrote } from '@operon/contracts/marketplace/threads'
import { type Ctx, signedIn, userIdOf } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { isForbidden } from '../items/forbidden.ts'
import { type OrderRow, orderOf } from '../orders/access.ts'
import { sellerOf } from '../orders/cart.ts'
import type { MarketplaceDb } from '../schema.ts'
import { attach, dropWhole, keeperOf, keepWhole, storeWhole } from './attachments.ts'
import { firstField, formOf } from './form.ts'
import { messagesJson, type Side, type ThreadRow, threadOf } from './threads.ts'

type Trx = Transaction<MarketplaceDb & KitDb>
type Written = { text: string; fileIds?: string[]; keeper?: string | null; mailId?: string; filesLeft?: number }
const PREVIEW = 160
/** From one side of one conversation, an hour. */
const MOST_AN_HOUR = 30
/** Sellers that one person begins to write to, an hour. */
const MOST_QUESTIONS_AN_HOUR = 20

export async function answerMessage(
  ctx: Ctx<MarketplaceDb>,
  { thread_id, text, file_ids }: Input<typeof contract.answerMessage>,
): Promise<Output<typeof contract.answerMessage>> {
  const { thread, side } = await threadOf(ctx, thread_id)
  return inTransaction(ctx.db, async (trx) => ({
    message: await write(trx, thread, side, { text, fileIds: file_ids, keeper: userIdOf(ctx.actor) }),
  }))
}

export const messageSeller =
  ({ vault }: Pick<Runtime<MarketplaceDb, Config>, 'vault'>) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { text, file_ids, ...ref }: Input<typeof contract.messageSeller>,
  ): Promise<Output<typeof contract.messageSeller>> => {
    const order = await orderOf(vault, ctx, ref)
    // Before it is paid there is nothing to speak of, and nobody who was asked for an address.
    if (order.state === 'open') throw new DomainError('not_found')
    return inTransaction(ctx.db, async (trx) => ({
      message: await write(trx, await threadOfOrder(trx, order), 'buyer', { text, fileIds: file_ids, keeper: userIdOf(ctx.actor) }),
    }))
  }

/** By the first field of a guest's form, so that megabytes are received from the holder of an order's link alone. */
export async function orderOfGuest(vault: Runtime['vault'], ctx: Ctx<MarketplaceDb>, form: unknown): Promise<OrderRow> {
  const token = firstField(form, 'token')
  if (!token) throw new DomainError('invalid')
  const order = await orderOf(vault, ctx, { token })
  if (order.state === 'open') throw new DomainError('not_found')
  return order
}

type Raw = Parameters<Parameters<typeof serveRaw>[2]>
/** A guest's message with its files, in one piece: what is not sent leaves nothing behind. */
export const messageSellerFiles =
  ({ vault, storage }: Pick<Runtime<MarketplaceDb, Config>, 'vault' | 'storage'>) =>
  async (ctx: Ctx<MarketplaceDb>, body: unknown, reply: Raw[2], request: Raw[3]): Promise<unknown> => {
    const order = await orderOfGuest(vault, ctx, body)
    const form = await formOf(body, request.headers['content-type'])
    const said = z.object({ text: messageText }).safeParse({ text: form.get('text') })
    if (!said.success) throw new DomainError('invalid')
    const thread = await inTransaction(ctx.db, (trx) => threadOfOrder(trx, order))
    // A person with the link is a guest here, also where the order belongs to an account by now.
    const keeper = await keeperOf(ctx.db, { ...thread, buyer_id: null }, 'buyer')
    const { stored, left } = await storeWhole(storage, keeper, form.files)
    try {
      if (left)
        throw new DomainError(form.files.some(({ name, type }) => isForbidden(name, type)) ? 'attachment_forbidden' : 'attachment_too_many')
      const message = await inTransaction(ctx.db, async (trx) => {
        // Counted again one at a time: messages at the same moment each saw the same room.
        await trx.selectFrom('threads').select('id').where('id', '=', thread.id).forUpdate().execute()
        const now = await keeperOf(trx, { ...thread, buyer_id: null }, 'buyer')
        if (stored.length > now.most) throw new DomainError('attachment_too_many')
        const fileIds = await keepWhole(trx, keeper.owner, stored)
        if (fileIds.length < stored.length) throw new DomainError('attachment_no_room')
        return write(trx, thread, 'buyer', { text: said.data.text, fileIds, keeper: keeper.owner })
      })
      return reply.send({ message })
    } catch (error) {
      await dropWhole(storage, stored)
      throw error
    }
  }

async function threadOfOrder(trx: Trx, order: OrderRow): Promise<ThreadRow> {
  await trx
    .insertInto('threads')
    .values({
      ...{ id: newId(), seller_id: order.seller_id, order_id: order.id, item_id: order.item_id, buyer_id: order.buyer_id },
      ...{ email: order.email, subject: order.title },
    })
    .onConflict((conflict) => conflict.column('order_id').doNothing())
    .execute()
  return trx.selectFrom('threads').selectAll().where('order_id', '=', order.id).executeTakeFirstOrThrow()
}

export async function askSeller(
  ctx: Ctx<MarketplaceDb>,
  { item_id, text }: Input<typeof contract.askSeller>,
): Promise<Output<typeof contract.askSeller>> {
  const buyer = signedIn(ctx)
  if (buyer.anonymous) throw new DomainError('anonymous_no_messages')
  const item = await ctx.db
    .selectFrom('items')
    .select(['user_id', 'title'])
    .where('id', '=', item_id)
    .where('is_active', '=', true)
    .executeTakeFirst()
  if (!item || item.user_id === buyer.id) throw new DomainError('not_found')
  return inTransaction(ctx.db, async (trx) => {
    await refuseManyQuestions(trx, buyer.id, item_id)
    await trx
      .insertInto('threads')
      .values({
        id: newId(),
        seller_id: item.user_id,
        order_id: null,
        item_id,
        buyer_id: buyer.id,
        email: buyer.email,
        subject: item.title,
      })
      .onConflict((conflict) => conflict.columns(['buyer_id', 'item_id']).where('order_id', 'is', null).doNothing())
      .execute()
    const thread = await trx
      .selectFrom('threads')
      .selectAll()
      .where('buyer_id', '=', buyer.id)
      .where('item_id', '=', item_id)
      .where('order_id', 'is', null)
      .executeTakeFirstOrThrow()
    await write(trx, thread, 'buyer', { text, keeper: buyer.id })
    return { thread_id: thread.id }
  })
}

/** The one way in for a message: from the app, or as an answer to a letter. One email that comes twice is one message. */
export async function write(
  trx: Trx,
  thread: ThreadRow,
  side: Side,
  { text, fileIds = [], keeper = null, mailId, filesLeft = 0 }: Written,
) {
  // One at a time, so that the limit is one and the newest message is the last that was written.
  await trx.selectFrom('threads').select('id').where('id', '=', thread.id).forUpdate().execute()
  await refuseFlood(trx, thread.id, side)
  const message = await trx
    .insertInto('thread_messages')
    .values({ id: newId(), thread_id: thread.id, side, text, via: mailId ? 'mail' : 'app', mail_id: mailId ?? null, files_left: filesLeft })
    .onConflict((conflict) => conflict.column('mail_id').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!message) throw new DomainError('conflict')
  await attach(trx, message.id, fileIds, keeper)
  const preview = text.replaceAll(/\s+/g, ' ').slice(0, PREVIEW)
  const count = sql<number>`1 + ${sql.ref(side === 'buyer' ? 'seller_unread' : 'buyer_unread')}`
  await trx
    .updateTable('threads')
    .set({
      ...{ preview, last_from: side, last_at: message.created_at, [side === 'buyer' ? 'seller_unread' : 'buyer_unread']: count },
      ...(side === 'seller' && { answered_at: sql`coalesce(answered_at, now())` }),
    })
    .where('id', '=', thread.id)
    .execute()
  await tell(trx, thread, side, message.id, preview)
  if (filesLeft) await enqueue(trx, filesLeftLetter, { message_id: message.id })
  return (await messagesJson(trx, [message]))[0]!
}

async function tell(trx: Trx, thread: ThreadRow, side: Side, message_id: string, preview: string): Promise<void> {
  const about = { thread_id: thread.id, message_id, order_id: thread.order_id, subject: thread.subject, preview }
  if (side === 'buyer') await publish(trx, buyerWrote, thread.seller_id, { ...about, from: await nameOfBuyer(trx, thread) })
  else if (thread.buyer_id)
    await publish(trx, sellerWrote, thread.buyer_id, { ...about, from: (await sellerOf(trx, thread.seller_id)).name })
  await enqueue(trx, messageLetter, { message_id })
}

export async function nameOfBuyer(db: Ctx<MarketplaceDb>['db'], { buyer_id, email }: ThreadRow): Promise<string> {
  const profile = buyer_id
    ? await db.selectFrom('profiles').select('display_name').where('user_id', '=', buyer_id).executeTakeFirst()
    : undefined
  return profile?.display_name ?? email ?? 'A buyer'
}

/** One account must not write to every seller there is. */
async function refuseManyQuestions(trx: Trx, buyer: string, itemId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`questions ${buyer}`}, 0))`.execute(trx)
  const { rows } = await sql<{ begun: number }>`
    select count(*)::int as begun from (
      select item_id, created_at from threads where buyer_id = ${buyer} and order_id is null order by last_at desc limit 1000) newest
    where item_id <> ${itemId} and created_at > now() - interval '1 hour'`.execute(trx)
  if (rows[0]!.begun >= MOST_QUESTIONS_AN_HOUR) throw new DomainError('too_many_questions')
}

async function refuseFlood(trx: Trx, threadId: string, side: Side): Promise<void> {
  const { rows } = await sql<{ written: number }>`
    select count(*)::int as written from (
      select side, created_at from thread_messages where thread_id = ${threadId} order by id desc limit ${MOST_AN_HOUR * 2}) newest
    where side = ${side} and created_at > now() - interval '1 hour'`.execute(trx)
  if (rows[0]!.written >= MOST_AN_HOUR) throw new DomainError('too_many_messages')
}
