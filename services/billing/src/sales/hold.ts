import { HOLD_DAYS } from '@operon/contracts/billing/rates'
import type { Payload } from '@operon/contracts/contract'
import type { orderDelivered } from '@operon/contracts/marketplace/events'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Trx } from '../deps.ts'
import { holdReleased } from '../ledger/selling.ts'
import { reached } from '../provider-time.ts'
import { lockBalance, postOf } from '../sellers/balance.ts'
import { keepMoney, moneyOf } from './rows.ts'

/** From the first delivery on, by the provider's time for the seller. */
export async function startHold(trx: Trx, { kind, reference, seller_id }: Payload<typeof orderDelivered>): Promise<void> {
  const delivered = sql<Date>`provider_now(${seller_id}::uuid)`
  await trx
    .updateTable('sales')
    .set({ delivered_at: delivered, hold_until: sql<Date>`${delivered} + ${HOLD_DAYS} * interval '1 day'` })
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .where('seller_id', '=', seller_id)
    .where('delivered_at', 'is', null)
    .execute()
}

const TOGETHER = 200

/**
 * A share that was held long enough is due, unless a bank decides about it. Each sale in a transaction of its own, after its seller.
 * `before`: only what was over as the last Friday began, so that a run that comes late pays out what that Friday would have.
 */
export async function releaseHolds(db: Db, before?: 'friday'): Promise<number> {
  let released = 0
  for (let after: Date | null = null; ; ) {
    const ripe = await ripeSales(db, after, before === 'friday')
    const count = released
    for (const { id, seller_id, currency } of ripe) if (await release(db, id, seller_id, currency)) released++
    const last = ripe.at(-1)
    if (ripe.length < TOGETHER || !last || released === count) return released
    after = last.hold_until
  }
}

const isHeld = sql<boolean>`held_cents > 0 and hold_until is not null and (dispute is null or dispute in ('won', 'lost'))`
const isOver = reached(sql`hold_until`, { person: sql`seller_id` })

/** Sales passed over stay for the next sweep: `>=`, since many may end at one moment. */
const ripeSales = (db: Db, after: Date | null, beforeFriday: boolean) =>
  db
    .selectFrom('sales')
    .select(['id', 'seller_id', 'currency', 'hold_until'])
    .where(isHeld)
    .where(isOver)
    .$if(beforeFriday, (query) => query.where(sql<boolean>`hold_until < (friday_of(provider_now(seller_id)) || 'T00:00:00Z')::timestamptz`))
    .$if(after !== null, (query) => query.where('hold_until', '>=', after))
    .orderBy('hold_until')
    .limit(TOGETHER)
    .execute()

const release = (db: Db, id: string, seller: string, currency: string): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const balance = await lockBalance(trx, seller, currency)
    const sale = await trx.selectFrom('sales').selectAll().where('id', '=', id).where(isHeld).forUpdate().executeTakeFirst()
    if (!sale) return false
    const isNew = await postOf(trx, seller, {
      reference: `hold_released:${id}`,
      kind: 'hold_released',
      userId: null,
      saleId: id,
      description: `${sale.title}, hold ended`,
      occurredAt: sale.hold_until!,
      lines: holdReleased(seller, currency, moneyOf(sale), balance),
    })
    if (isNew) await keepMoney(trx, sale, { ...moneyOf(sale), heldCents: 0 })
    return isNew
  })
