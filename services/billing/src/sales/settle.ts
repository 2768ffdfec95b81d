import { sellerShare } from '@operon/contracts/billing/rates'
import { saleRefunded as saleRefundedEvent, saleRefundReturned, saleSettled } from '@operon/contracts/billing/selling-events'
import { isUuid } from '@operon/kit/ids'
import { publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { Deps, Trx } from '../deps.ts'
import { wantDocument } from '../documents/documents.ts'
import { feeTaken, refundFailed } from '../ledger/entries.ts'
import { returnedOf, saleRefunded, sold } from '../ledger/selling.ts'
import { keepTax } from '../ledger/tax.ts'
import type { BillingDb } from '../schema.ts'
import { lockBalance, postOf } from '../sellers/balance.ts'
import type { SaleLine } from '../sellers/schema.ts'
import { closeMatter, openRefundFailed } from '../staff/matters.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'
import { bookDisputes } from './disputes.ts'
import { type Booking, keepMoney, keepTaxReturned, moneyOf, paperOf, type SaleRow, termsOf, toldOf } from './rows.ts'

type CheckoutRow = Selectable<BillingDb['sale_checkouts']>

/**
 * The one way in for a payment of a sale: webhook, return page and sweep all end here with the charge as it is now, so that late, doubled
 * and shuffled news come to the same. False where nothing here was sold for it.
 */
export async function settle(trx: Trx, charge: ProviderCharge): Promise<boolean> {
  const checkout = await checkoutOf(trx, charge)
  if (!checkout) return false
  if (!charge.succeeded) return keepFailed(trx, checkout, charge)
  // The seller before the sale, everywhere.
  const balance = await lockBalance(trx, checkout.seller_id, checkout.currency)
  const known = await saleOf(trx, checkout.id)
  if (known?.status === 'completed' && known.charge !== charge.id) return false

  const share = sellerShare(checkout.amount_cents)
  const terms = {
    seller: checkout.seller_id,
    currency: checkout.currency,
    grossCents: charge.amountCents,
    taxCents: charge.tax?.cents ?? 0,
    shareCents: share,
  }
  const { lines, heldCents } = sold(terms, balance)
  const isNew = await postOf(trx, checkout.seller_id, {
    reference: `charge:${charge.id}`,
    kind: 'sale',
    userId: checkout.buyer_id,
    saleId: checkout.id,
    description: titleOf(checkout),
    occurredAt: charge.createdAt,
    lines,
  })
  const sale = isNew ? await complete(trx, checkout, charge, heldCents) : known
  if (!sale) return false
  if (isNew)
    await wantDocument(trx, {
      ...paperOf(sale),
      ...{ kind: 'invoice', reference: `charge:${charge.id}`, at: charge.createdAt },
      ...{ grossCents: sale.gross_cents, taxCents: sale.tax_cents },
    })
  if (isNew && charge.tax) {
    const { cents: taxCents } = charge.tax
    const line = { place: charge.tax, currency: sale.currency, taxableCents: checkout.amount_cents, taxCents, at: charge.createdAt }
    await keepTax(trx, { reference: `charge:${charge.id}`, ...line })
  }
  const booking: Booking = { trx, charge, sale, buyerId: checkout.buyer_id }

  for (const { reference, feeCents, createdAt } of charge.fees)
    await postOf(trx, sale.seller_id, {
      reference: `fee:${reference}`,
      kind: 'fee',
      userId: null,
      saleId: sale.id,
      description: 'Provider fee',
      occurredAt: createdAt,
      lines: feeTaken(sale.currency, feeCents),
    })
  const { returned, cameBack } = await bookRefunds(booking)
  await bookDisputes(booking)
  if (isNew) await publish(trx, saleSettled, sale.seller_id, { ...toldOf(sale), ...soldOf(sale, checkout) })
  for (const returned_cents of returned) await publish(trx, saleRefundedEvent, sale.seller_id, { ...toldOf(sale), returned_cents })
  for (const returned_cents of cameBack) await publish(trx, saleRefundReturned, sale.seller_id, { ...toldOf(sale), returned_cents })
  return true
}

/** Only what was asked for, and the tax on it: another amount, currency or checkout is not a sale of ours. */
async function checkoutOf(trx: Trx, { saleCheckout, amountCents, currency, tax }: ProviderCharge): Promise<CheckoutRow | null> {
  if (!isUuid(saleCheckout)) return null
  const checkout = await trx.selectFrom('sale_checkouts').selectAll().where('id', '=', saleCheckout).executeTakeFirst()
  return checkout && checkout.amount_cents + (tax?.cents ?? 0) === amountCents && checkout.currency === currency ? checkout : null
}

const saleOf = (trx: Trx, id: string) => trx.selectFrom('sales').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

async function complete(trx: Trx, checkout: CheckoutRow, charge: ProviderCharge, heldCents: number): Promise<SaleRow> {
  await trx.updateTable('sale_checkouts').set({ state: 'settled' }).where('id', '=', checkout.id).execute()
  const paid = { ...paymentOf(checkout, charge), status: 'completed' as const, held_cents: heldCents }
  return trx
    .insertInto('sales')
    .values(paid)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(paid).where('sales.status', '<>', 'completed'))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A payment that the bank refused; a later one of the same checkout takes its place. */
async function keepFailed(trx: Trx, checkout: CheckoutRow, charge: ProviderCharge): Promise<true> {
  const failed = { ...paymentOf(checkout, charge), status: 'failed' as const }
  await trx
    .insertInto('sales')
    .values(failed)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(failed).where('sales.status', '<>', 'completed').where('sales.paid_at', '<=', charge.createdAt),
    )
    .execute()
  return true
}

const titleOf = ({ lines }: { lines: unknown }) => (lines as SaleLine[]).map(({ title }) => title).join(', ')

const paymentOf = (checkout: CheckoutRow, { id, payer, method, createdAt, amountCents, tax }: ProviderCharge) => ({
  id: checkout.id,
  kind: checkout.kind,
  reference: checkout.reference,
  seller_id: checkout.seller_id,
  buyer_id: checkout.buyer_id,
  email: checkout.email ?? payer.email,
  customer: payer.name,
  buyer_address: payer.address,
  title: titleOf(checkout),
  charge: id,
  method,
  currency: checkout.currency,
  gross_cents: amountCents,
  tax_cents: tax?.cents ?? 0,
  tax_country: tax?.country ?? null,
  tax_state: tax?.state ?? null,
  buyer_tax_id: tax?.taxId ?? null,
  reverse_charge: tax?.isReverseCharge ?? false,
  share_cents: sellerShare(checkout.amount_cents),
  dispute: null,
  paid_at: createdAt,
  delivered_at: null,
  hold_until: null,
})

async function bookRefunds({ trx, charge, sale, buyerId }: Booking): Promise<{ returned: number[]; cameBack: number[] }> {
  const returned: number[] = []
  const cameBack: number[] = []
  for (const { id, amountCents, state, createdAt } of charge.refunds) {
    const parts = returnedOf(termsOf(sale), moneyOf(sale), amountCents, await lockBalance(trx, sale.seller_id, sale.currency))
    const about = { userId: buyerId, saleId: sale.id, occurredAt: createdAt }
    const lines = saleRefunded(termsOf(sale), amountCents, parts)
    const isNew = await postOf(trx, sale.seller_id, {
      ...{ ...about, lines, reference: `refund:${id}`, kind: 'sale_refund' },
      description: `Refund of ${sale.title}`,
    })
    await keepRefund(trx, sale.id, { id, amountCents, state, createdAt })
    if (isNew) {
      await keepMoney(trx, sale, {
        returnedCents: sale.refunded_cents + amountCents - parts.beyond,
        heldCents: sale.held_cents - parts.fromHeld,
        reservedCents: sale.reserved_cents - parts.fromReserve,
      })
      await wantDocument(trx, {
        ...paperOf(sale),
        ...{ kind: 'credit_note', reference: `refund:${id}`, at: createdAt },
        ...{ grossCents: amountCents - parts.beyond, taxCents: parts.taxCents },
      })
      await keepTaxReturned(trx, sale, `refund:${id}`, { taxCents: parts.taxCents, cents: amountCents - parts.beyond, at: createdAt })
      await closeMatter(trx, 'payout', sale.id)
      returned.push(amountCents)
    }
    if (state !== 'failed') continue
    const hasFailed = await postOf(trx, sale.seller_id, {
      ...{ ...about, reference: `refund_failed:${id}`, kind: 'refund_failed', lines: refundFailed(sale.currency, amountCents) },
      description: `Refund of ${sale.title} was not accepted`,
    })
    if (!hasFailed) continue
    await openRefundFailed(trx, id, charge.id, { amount_cents: amountCents, currency: sale.currency })
    cameBack.push(amountCents)
  }
  return { returned, cameBack }
}

type Refund = ProviderCharge['refunds'][number]
const keepRefund = (trx: Trx, sale: string, { id, amountCents, state, createdAt }: Refund) =>
  trx
    .insertInto('sale_refunds')
    .values({ id, sale_id: sale, amount_cents: amountCents, state, reason: null, at: createdAt })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ state }).where('sale_refunds.state', '=', 'sent'))
    .execute()

const soldOf = (sale: SaleRow, { lines }: CheckoutRow) => ({
  email: sale.email,
  tax_cents: sale.tax_cents,
  share_cents: sale.share_cents,
  lines: lines as SaleLine[],
})

type SeenCheckout = { id: string; charge: ProviderCharge | null; isExpired: boolean }
/** The state of a payment page. Null where it is not ours. */
export async function lookAtCheckout({ provider }: Deps, session: string): Promise<SeenCheckout | null> {
  const found = await provider.getSaleCheckout(session)
  if (!found?.checkout) return null
  const charge = found.intent ? await provider.chargeOfIntent(found.intent) : null
  return { id: found.checkout, charge: charge ? await provider.getCharge(charge) : null, isExpired: found.status === 'expired' }
}
export async function keepCheckout(trx: Trx, { id, charge, isExpired }: SeenCheckout): Promise<void> {
  if (charge) await settle(trx, charge)
  const looked = { looked_at: sql<Date>`now()`, ...(isExpired && { state: 'expired' as const }) }
  await trx.updateTable('sale_checkouts').set(looked).where('id', '=', id).where('state', '=', 'open').execute()
}
