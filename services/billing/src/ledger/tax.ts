import { sql } from 'kysely'
import type { Trx } from '../deps.ts'
import type { ProviderCharge, ProviderInvoice, ProviderTax } from '../stripe-shapes.ts'
import { userOf } from './credits.ts'
import { type PaidFor, revenueOf, taxDue, taxReturned } from './entries.ts'
import { post } from './post.ts'

type TaxPlace = Pick<ProviderTax, 'country' | 'state' | 'isReverseCharge'>
type TaxLine = { reference: string; charge?: string; place: TaxPlace; currency: string; taxableCents: number; taxCents: number; at: Date }

/** Remembers where tax is owed, once for each entry that it belongs to. What goes back is negative. */
export async function keepTax(trx: Trx, { reference, charge, place, currency, taxableCents, taxCents, at }: TaxLine): Promise<void> {
  const { country, state, isReverseCharge } = place
  await trx
    .insertInto('tax_lines')
    .values({
      ...{ reference, charge: charge ?? null, country, state, currency },
      ...{ taxable_cents: taxableCents, tax_cents: taxCents, reverse_charge: isReverseCharge, at },
    })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .execute()
}

type Taxed = { userId: string | null; currency: string; tax: ProviderTax; at: Date; paidFor?: PaidFor }
/** The tax on a plan is owed by its invoice, whether a card or credit has paid it; on a top-up, by its payment page. */
export async function bookPlanTax(trx: Trx, { userId, currency, tax, at, paidFor = 'subscription' }: Taxed): Promise<void> {
  const reference = `tax:${tax.reference}`
  const what = paidFor === 'top_up' ? 'a top-up' : 'a plan'
  const entry = { kind: 'tax', userId, description: `Tax on ${what}, ${placeName(tax)}`, occurredAt: at }
  if (tax.cents > 0) await post(trx, { ...entry, reference, lines: taxDue(currency, tax.cents, revenueOf(paidFor)) })
  await keepTax(trx, { reference, place: tax, currency, taxableCents: tax.netCents, taxCents: tax.cents, at })
}

export async function bookInvoiceTax(trx: Trx, invoice: ProviderInvoice): Promise<void> {
  const { tax, currency, paidAt: at } = invoice
  if (tax && at && invoice.isOfPlan) await bookPlanTax(trx, { userId: await userOf(trx, invoice.customer), currency, tax, at })
}

/** Of all that went back of a plan's payment the tax goes back in its share, counted over everything so that no cent is lost to rounding. */
export async function bookTaxBack(trx: Trx, { id, amountCents, currency, tax, refunds, disputes }: ProviderCharge, userId: string | null) {
  if (!tax) return
  const lost = disputes.filter(({ status }) => status === 'lost')
  const goneCents = [...refunds, ...lost].reduce((sum, each) => sum + each.amountCents, 0)
  if (goneCents === 0) return
  const shareOf = (whole: number) => Math.floor((whole * Math.min(goneCents, amountCents)) / (tax.netCents + tax.cents))
  const { rows } = await sql<{ tax: number; taxable: number }>`
    select (0 - coalesce(sum(tax_cents), 0))::bigint as tax, (0 - coalesce(sum(taxable_cents), 0))::bigint as taxable
    from tax_lines where charge = ${id}`.execute(trx)
  const [backCents, taxableCents] = [shareOf(tax.cents) - rows[0]!.tax, shareOf(tax.netCents) - rows[0]!.taxable]
  if (backCents <= 0 && taxableCents <= 0) return
  const at = [...refunds, ...lost].reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), new Date(0))
  const reference = `tax_back:${id}:${goneCents}`
  const lines = taxReturned(currency, backCents, lost.length > 0 ? 'dispute_losses' : 'refunds')
  if (lines.length > 0)
    await post(trx, { reference, kind: 'tax_back', userId, description: `Tax on ${id} given back`, occurredAt: at, lines })
  await keepTax(trx, { reference, charge: id, place: tax, currency, taxableCents: -taxableCents, taxCents: -backCents, at })
}

const placeName = ({ country, state }: TaxPlace) => (state ? `${country}-${state}` : country)
