import { receiptLetter, versionLetter } from '@operon/contracts/marketplace/orders'
import { refundLetter } from '@operon/contracts/marketplace/refunds'
import { filesLeftLetter, messageLetter } from '@operon/contracts/marketplace/threads'
import type { Ctx } from '@operon/kit/context'
import type { Letter } from '@operon/kit/mail/frame'
import type { Email, Mailer } from '@operon/kit/mail/mailer'
import type { Pace } from '@operon/kit/mail/paces'
import { ownersPaces, strangersPaces, waitForTurn } from '@operon/kit/mail/turns'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { sellerOf } from '../orders/cart.ts'
import { orderLink } from '../orders/links.ts'
import type { MarketplaceDb } from '../schema.ts'
import { inboundOf, replyAddress } from '../threads/relay.ts'
import type { Side, ThreadRow } from '../threads/threads.ts'
import { nameOfBuyer } from '../threads/write.ts'
import { filesLeftOf, messageOf, receiptOf, refundAnswerOf, versionOf } from './letters.ts'

type Rt = Runtime<MarketplaceDb, Config>
type Db = Ctx<MarketplaceDb>['db']

/** Letters to buyers and sellers about an order. Each is made when it is sent, from what stands in the rows then. */
export function letterJobs(rt: Rt, mailer: Mailer) {
  const post = poster(rt, mailer)
  rt.job(receiptLetter, async ({ db }, { id, payload }) => {
    const order = await db.selectFrom('orders').selectAll().where('id', '=', payload.order_id).executeTakeFirst()
    if (!order?.email || order.state !== 'delivered') return
    const { name: seller } = await sellerOf(db, order.seller_id)
    const { files } = await db
      .selectFrom('order_lines as l')
      .innerJoin('version_files as f', 'f.version_id', 'l.version_id')
      .select(sql<number>`count(*)::int`.as('files'))
      .where('l.order_id', '=', order.id)
      .executeTakeFirstOrThrow()
    const { title, currency, tax_cents } = order
    const about = { id: order.id, title, currency, tax_cents, seller, files, link: linkTo(rt, order) }
    await post(db, id, order.email, receiptOf({ ...about, amount_cents: order.amount_cents + tax_cents, paid_at: order.delivered_at! }))
  })
  rt.job(messageLetter, async ({ db }, { id, payload }) => {
    const found = await messageIn(db, payload.message_id)
    if (!found) return
    const { thread, message } = found
    const to = message.side === 'buyer' ? 'seller' : 'buyer'
    const address = await addressIn(db, thread, to)
    if (!address) return
    const from = await nameIn(db, thread, message.side)
    const inbound = inboundOf(rt)
    const link = linkIn(rt, thread, to)
    const letter = messageOf({
      from,
      subject: thread.subject,
      text: message.text,
      link,
      label: 'Answer in the app',
      answerable: inbound !== null,
    })
    const writer = message.side === 'seller' ? thread.seller_id : (thread.buyer_id ?? thread.id)
    const paces = [{ scope: `email by ${writer}`, perHour: rt.config.LIMIT_MARKET_MAIL_PER_WRITER }, ...strangersPaces(rt.config, address)]
    await post(db, id, address, letter, { paces, ...(inbound && { replyTo: replyAddress(rt.vault, inbound, thread.id, to) }) })
  })
  rt.job(filesLeftLetter, async ({ db }, { id, payload }) => {
    const found = await messageIn(db, payload.message_id)
    if (!found?.message.files_left) return
    const { thread, message } = found
    const address = await addressIn(db, thread, message.side)
    if (!address) return
    const to = await nameIn(db, thread, message.side === 'buyer' ? 'seller' : 'buyer')
    const hasAccount = message.side === 'seller' || thread.buyer_id !== null
    const link = linkIn(rt, thread, message.side)
    await post(db, id, address, filesLeftOf({ to, subject: thread.subject, files: message.files_left, link, hasAccount }))
  })
  rt.job(refundLetter, async ({ db }, { id, payload }) => {
    const asked = await db
      .selectFrom('refund_requests as r')
      .innerJoin('orders as o', 'o.id', 'r.order_id')
      .select(['r.state', 'r.decided_by', 'r.answer', 'o.id', 'o.title', 'o.currency', 'o.email', 'o.seller_id', 'o.buyer_id'])
      .select(sql<number>`o.amount_cents + o.tax_cents`.as('amount_cents'))
      .where('r.id', '=', payload.request_id)
      .executeTakeFirst()
    if (!asked?.email || asked.state === 'open') return
    const { name: seller } = await sellerOf(db, asked.seller_id)
    await post(db, id, asked.email, refundAnswerOf({ ...asked, by: asked.decided_by, seller, link: linkTo(rt, asked) }))
  })
  rt.job(versionLetter, async ({ db }, { id, payload }) => {
    const update = await db
      .selectFrom('order_lines as l')
      .innerJoin('orders as o', 'o.id', 'l.order_id')
      .innerJoin('items as i', 'i.id', 'l.item_id')
      .innerJoin('item_versions as v', 'v.id', 'i.current_version_id')
      .select(['o.id', 'o.email', 'o.seller_id', 'o.buyer_id', 'i.title', 'v.number as version', 'v.notes'])
      .where('o.id', '=', payload.order_id)
      .where('v.id', '=', payload.version_id)
      .where('o.state', '=', 'delivered')
      // No letter to a buyer who has it already.
      .where(sql<boolean>`l.kept_version_id is distinct from v.id`)
      .executeTakeFirst()
    if (!update?.email) return
    const { name: seller } = await sellerOf(db, update.seller_id)
    // Of a seller who publishes every minute, buyers get one letter an hour, about the version of that moment.
    const paces = [{ scope: `email versions ${update.id}`, perHour: 1 }, ...strangersPaces(rt.config, update.email)]
    await post(db, id, update.email, versionOf({ ...update, seller, link: linkTo(rt, update) }), { paces })
  })
}

/** Buyers with an account open their orders in their dashboard; guests by the order's own link. */
const linkTo = (rt: Rt, { id, buyer_id }: { id: string; buyer_id: string | null }) =>
  buyer_id ? `${rt.kit.PUBLIC_URL}/buyer-dashboard/orders/${id}` : orderLink(rt.kit.PUBLIC_URL, rt.vault, id)
const buyersLink = (rt: Rt, { order_id, buyer_id }: { order_id: string | null; buyer_id: string | null }) =>
  order_id ? linkTo(rt, { id: order_id, buyer_id }) : `${rt.kit.PUBLIC_URL}/buyer-dashboard/messages`

const linkIn = (rt: Rt, thread: ThreadRow, side: Side) =>
  side === 'seller' ? `${rt.kit.PUBLIC_URL}/dashboard/marketplace?tab=messages&thread=${thread.id}` : buyersLink(rt, thread)
const nameIn = async (db: Db, thread: ThreadRow, side: Side) =>
  side === 'buyer' ? nameOfBuyer(db, thread) : (await sellerOf(db, thread.seller_id)).name
const addressIn = async (db: Db, thread: ThreadRow, side: Side) =>
  side === 'seller' ? addressOf(db, thread.seller_id) : ((await addressOf(db, thread.buyer_id)) ?? thread.email)

async function messageIn(db: Db, id: string) {
  const message = await db.selectFrom('thread_messages').selectAll().where('id', '=', id).executeTakeFirst()
  const thread = message && (await db.selectFrom('threads').selectAll().where('id', '=', message.thread_id).executeTakeFirst())
  return message && thread ? { message, thread } : null
}

async function addressOf(db: Db, userId: string | null): Promise<string | null> {
  if (!userId) return null
  const profile = await db
    .selectFrom('profiles')
    .select('email')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return profile?.email ?? null
}

/** Nobody gets more than a bounded number of letters an hour, whoever writes them: what is beyond it waits. `paces`: where others can cause the letter. */
export const poster =
  ({ config }: Pick<Rt, 'config'>, mailer: Mailer) =>
  async (
    db: Db,
    id: string,
    to: string,
    letter: Letter,
    { paces = ownersPaces(config), ...more }: Pick<Email, 'replyTo'> & { paces?: Pace[] } = {},
  ) => {
    await waitForTurn(db, id, [{ scope: `email ${to.toLowerCase()}`, perHour: config.LIMIT_MARKET_MAIL_PER_ADDRESS }, ...paces])
    await mailer.send({ id, to, letter, sender: 'orders', ...more })
  }
