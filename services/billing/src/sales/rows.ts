import type { Selectable } from 'kysely'
import type { Trx } from '../deps.ts'
import type { SaleMoney, Terms } from '../ledger/selling.ts'
import { keepTax } from '../ledger/tax.ts'
import type { BillingDb } from '../schema.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'

export type SaleRow = Selectable<BillingDb['sales']>
/** A sale while all that is known of its charge is booked. */
export type Booking = { trx: Trx; charge: ProviderCharge; sale: SaleRow; buyerId: string | null }

export const termsOf = (sale: SaleRow): Terms => ({
  seller: sale.seller_id,
  currency: sale.currency,
  grossCents: sale.gross_cents,
  taxCents: sale.tax_cents,
  shareCents: sale.share_cents,
})
export const moneyOf = (sale: SaleRow): SaleMoney => ({
  heldCents: sale.held_cents,
  reservedCents: sale.reserved_cents,
  returnedCents: sale.refunded_cents,
})
/** The rest of a sale, in its row and in the caller's. */
export async function keepMoney(trx: Trx, sale: SaleRow, money: SaleMoney): Promise<void> {
  sale.held_cents = money.heldCents
  sale.reserved_cents = money.reservedCents
  sale.refunded_cents = money.returnedCents
  sale.version += 1
  const { held_cents, reserved_cents, refunded_cents, version } = sale
  await trx.updateTable('sales').set({ held_cents, reserved_cents, refunded_cents, version }).where('id', '=', sale.id).execute()
}

export const toldOf = (sale: SaleRow) => ({
  version: sale.version,
  sale_id: sale.id,
  kind: sale.kind,
  reference: sale.reference,
  seller_id: sale.seller_id,
  buyer_id: sale.buyer_id,
  email: sale.email,
  title: sale.title,
  // Of the price: the tax is the authorities', and whoever sold it compares with what was asked.
  amount_cents: sale.gross_cents - sale.tax_cents,
  currency: sale.currency,
  paid_cents: sale.gross_cents,
  refunded_cents: sale.refunded_cents - taxOf(sale, sale.refunded_cents),
})

/** The terms that all documents about a sale repeat. */
export const paperOf = (sale: SaleRow) => ({
  ...{ saleId: sale.id, charge: sale.charge, title: sale.title, currency: sale.currency },
  place: sale.tax_country
    ? { country: sale.tax_country, state: sale.tax_state, taxId: sale.buyer_tax_id, isReverseCharge: sale.reverse_charge }
    : null,
})

/** The tax in an amount that went back. */
export const taxOf = ({ tax_cents, gross_cents }: SaleRow, returnedCents: number): number =>
  Math.floor((tax_cents * returnedCents) / gross_cents)

/** The part of a sale that went back, for the authorities. */
export async function keepTaxReturned(
  trx: Trx,
  sale: SaleRow,
  reference: string,
  { taxCents, cents, at }: { taxCents: number; cents: number; at: Date },
) {
  if (!sale.tax_country) return
  const place = { country: sale.tax_country, state: sale.tax_state, isReverseCharge: sale.reverse_charge }
  await keepTax(trx, { reference, place, currency: sale.currency, taxableCents: taxCents - cents, taxCents: -taxCents, at })
}
