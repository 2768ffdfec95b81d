import { saleDisputeClosed, saleDisputed as saleDisputedEvent, saleInquired } from '@operon/contracts/billing/selling-events'
import { publish } from '@operon/kit/tx'
import { wantDocument } from '../documents/documents.ts'
import { keepDisputeRow, nameOf } from '../ledger/disputes.ts'
import { disputeOpened, feeTaken } from '../ledger/entries.ts'
import { reserveFreed, returnedOf, saleDisputeLost } from '../ledger/selling.ts'
import { lockBalance, postOf } from '../sellers/balance.ts'
import type { ProviderDispute } from '../stripe-shapes.ts'
import { reserve } from './reserve.ts'
import { type Booking, keepMoney, keepTaxReturned, moneyOf, paperOf, termsOf, toldOf } from './rows.ts'

/** Books the disputes of a sale and the bank's decisions. A share that was due already is set aside until then. */
export async function bookDisputes(booking: Booking): Promise<void> {
  for (const dispute of booking.charge.disputes) {
    await bookMovements(booking, dispute)
    if (dispute.status === 'open')
      await reserve(booking.trx, booking.sale, { reference: `reserve:${dispute.id}`, at: dispute.createdAt, buyerId: booking.buyerId })
    if (dispute.status === 'lost') await lose(booking, dispute)
    if (dispute.status === 'won' || dispute.status === 'lost') await free(booking, dispute)
    await keep(booking, dispute)
  }
}

const entryOf = ({ sale, buyerId }: Booking, reference: string, kind: string, occurredAt: Date, description: string) => ({
  ...{ reference, kind, occurredAt, description },
  userId: buyerId,
  saleId: sale.id,
})

async function bookMovements(booking: Booking, dispute: ProviderDispute) {
  const { trx, sale } = booking
  for (const [index, moved] of dispute.movements.entries()) {
    const { name, kind } = nameOf(dispute, index)
    const entry = entryOf(booking, name, kind, moved.createdAt, `Dispute of ${sale.title}`)
    await postOf(trx, sale.seller_id, { ...entry, lines: disputeOpened(sale.currency, -moved.amountCents) })
    const fee = index === 0 ? `dispute_fee:${dispute.id}` : `dispute_fee:${moved.id}`
    const ours = { ...entryOf(booking, fee, 'dispute_fee', moved.createdAt, 'Dispute fee'), userId: null }
    await postOf(trx, sale.seller_id, { ...ours, lines: feeTaken(sale.currency, moved.feeCents) })
  }
}

async function lose(booking: Booking, dispute: ProviderDispute) {
  const { trx, sale } = booking
  const cents = -dispute.movements.reduce((sum, { amountCents }) => sum + amountCents, 0)
  const parts = returnedOf(termsOf(sale), moneyOf(sale), cents, await lockBalance(trx, sale.seller_id, sale.currency))
  const entry = entryOf(booking, `dispute_lost:${dispute.id}`, 'dispute_lost', dispute.createdAt, `Dispute of ${sale.title} lost`)
  if (await postOf(trx, sale.seller_id, { ...entry, lines: saleDisputeLost(termsOf(sale), cents, parts) })) {
    const back = { taxCents: parts.taxCents, cents: cents - parts.beyond, at: dispute.createdAt }
    await wantDocument(trx, {
      ...paperOf(sale),
      ...{ kind: 'credit_note', reference: entry.reference, grossCents: back.cents, taxCents: back.taxCents, at: back.at },
    })
    await keepTaxReturned(trx, sale, entry.reference, back)
    await keepMoney(trx, sale, {
      returnedCents: sale.refunded_cents + cents - parts.beyond,
      heldCents: sale.held_cents - parts.fromHeld,
      reservedCents: sale.reserved_cents - parts.fromReserve,
    })
  }
}

async function free(booking: Booking, dispute: ProviderDispute) {
  const { trx, sale } = booking
  const balance = await lockBalance(trx, sale.seller_id, sale.currency)
  const entry = entryOf(booking, `reserve_freed:${dispute.id}`, 'reserve_freed', dispute.createdAt, `${sale.title}, dispute decided`)
  if (await postOf(trx, sale.seller_id, { ...entry, lines: reserveFreed(sale.seller_id, sale.currency, sale.reserved_cents, balance) }))
    await keepMoney(trx, sale, { ...moneyOf(sale), reservedCents: 0 })
}

async function keep({ trx, sale, charge }: Booking, dispute: ProviderDispute) {
  const change = await keepDisputeRow(trx, { userId: sale.buyer_id, saleId: sale.id }, charge, dispute)
  if (!change) return
  sale.dispute = change.state
  sale.version += 1
  await trx.updateTable('sales').set({ dispute: change.state, version: sale.version }).where('id', '=', sale.id).execute()
  const about = { dispute: dispute.id, disputed_cents: dispute.amountCents, reason: dispute.reason }
  const begun = { ...toldOf(sale), ...about, evidence_due_at: dispute.evidenceDueAt?.toISOString() ?? null }
  if (change.isAsked) await publish(trx, saleInquired, sale.seller_id, begun)
  if (change.isOpened) await publish(trx, saleDisputedEvent, sale.seller_id, begun)
  if (change.isClosed) await publish(trx, saleDisputeClosed, sale.seller_id, { ...toldOf(sale), ...about, outcome: change.isClosed })
}
