import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Db, Trx } from '../deps.ts'
import { reserveFor, setAside } from '../ledger/selling.ts'
import { lockBalance, postOf } from '../sellers/balance.ts'
import { keepMoney, moneyOf, type SaleRow, termsOf } from './rows.ts'

type Setting = { reference: string; at: Date; buyerId: string | null }
/** Sets aside what a disputed sale's share still is, as far as it is due. */
export async function reserve(trx: Trx, sale: SaleRow, { reference, at, buyerId }: Setting): Promise<boolean> {
  const cents = reserveFor(termsOf(sale), moneyOf(sale), await lockBalance(trx, sale.seller_id, sale.currency))
  const isNew = await postOf(trx, sale.seller_id, {
    ...{ reference, kind: 'reserve', userId: buyerId, saleId: sale.id, occurredAt: at },
    description: `${sale.title}, set aside for its dispute`,
    lines: setAside(sale.seller_id, sale.currency, cents),
  })
  if (isNew) await keepMoney(trx, sale, { ...moneyOf(sale), reservedCents: sale.reserved_cents + cents })
  return isNew
}

const TOGETHER = 200
/** A share that was paid out before its dispute is set aside from what becomes due later, so that a lost one need not be asked back. */
export async function reserveDisputed(db: Db): Promise<number> {
  let reserved = 0
  for (let after = { seller: nobody, id: nobody }; ; ) {
    const { rows } = await sql<{ id: string; seller_id: string; currency: string }>`
      select s.id, s.seller_id, s.currency from sales s
      join seller_balances b on b.seller_id = s.seller_id and b.currency = s.currency and b.due_cents > 0
      where s.dispute = 'open' and (s.seller_id, s.id) > (${after.seller}, ${after.id})
        and s.share_cents - (s.share_cents * s.refunded_cents / s.gross_cents) > s.held_cents + s.reserved_cents
      order by s.seller_id, s.id limit ${TOGETHER}`.execute(db)
    for (const row of rows) if (await reserveOne(db, row)) reserved++
    const last = rows.at(-1)
    if (rows.length < TOGETHER || !last) return reserved
    after = { seller: last.seller_id, id: last.id }
  }
}
const nobody = '00000000-0000-0000-0000-000000000000'

const reserveOne = (db: Db, { id, seller_id, currency }: { id: string; seller_id: string; currency: string }): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    await lockBalance(trx, seller_id, currency)
    const sale = await trx.selectFrom('sales').selectAll().where('id', '=', id).where('dispute', '=', 'open').forUpdate().executeTakeFirst()
    if (!sale) return false
    // Its version rises with each change, so that no two of them have one name.
    return reserve(trx, sale, { reference: `reserve:${id}:${sale.version}`, at: new Date(), buyerId: sale.buyer_id })
  })
