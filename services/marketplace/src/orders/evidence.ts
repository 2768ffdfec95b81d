import type { orderEvidence } from '@operon/contracts/marketplace/evidence'
import type { Ctx } from '@operon/kit/context'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { MarketplaceDb } from '../schema.ts'

const MESSAGES = 30
/** As much of a message as a bank reads. */
const LETTERS = 600
type Reply = z.input<(typeof orderEvidence)['reply']>
type Line = NonNullable<Reply['order']>['lines'][number]
type Found = { title: string; version: number | null; files: number; activations: number; rating: number | null }

/** All that is on record of an order: what was delivered, opened and used, and what both sides wrote. */
export async function evidenceOfOrder(
  { db }: Ctx<MarketplaceDb>,
  { reference }: z.output<(typeof orderEvidence)['input']>,
): Promise<Reply> {
  const order = await db.selectFrom('orders').selectAll().where('id', '=', reference).executeTakeFirst()
  if (!order) return { order: null }
  const [{ rows: lines }, { rows: messages }, refund] = await Promise.all([
    sql<Found & { first_download_at: Date | null; reviewed_at: Date | null }>`
      select l.title, v.number as version, l.downloaded_at as first_download_at, r.created_at as reviewed_at, r.rating,
        (select count(*)::int from version_files f where f.version_id = l.version_id) as files,
        (select count(*)::int from license_keys k join activations a on a.key_id = k.id
          where k.order_id = l.order_id and k.item_id = l.item_id) as activations
      from order_lines l left join item_versions v on v.id = l.version_id
        left join reviews r on r.order_id = l.order_id and r.item_id = l.item_id
      where l.order_id = ${order.id} order by l.position`.execute(db),
    sql<{ side: 'buyer' | 'seller'; text: string; created_at: Date }>`
      select m.side, m.text, m.created_at from thread_messages m join threads t on t.id = m.thread_id
      where t.order_id = ${order.id} order by m.id desc limit ${MESSAGES}`.execute(db),
    db.selectFrom('refund_requests').selectAll().where('order_id', '=', order.id).executeTakeFirst(),
  ])
  return {
    order: {
      ...{ ordered_at: order.created_at.toISOString(), delivered_at: order.delivered_at?.toISOString() ?? null },
      ...{ email: order.email, has_account: order.buyer_id !== null },
      lines: lines.map(
        (line): Line => ({
          ...line,
          first_download_at: line.first_download_at?.toISOString() ?? null,
          reviewed_at: line.reviewed_at?.toISOString() ?? null,
        }),
      ),
      messages: messages
        .reverse()
        .map(({ side, text, created_at }) => ({ from: side, at: created_at.toISOString(), text: text.slice(0, LETTERS) })),
      refund: refund
        ? {
            ...{ asked_at: refund.created_at.toISOString(), reason: refund.reason, text: refund.text.slice(0, LETTERS) },
            ...{ state: refund.state, answer: refund.answer?.slice(0, LETTERS) ?? null },
          }
        : null,
    },
  }
}
