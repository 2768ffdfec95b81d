import type * as contract from '@operon/contracts/billing/documents'
import type { Input, Output } from '@operon/contracts/contract'
import { signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { z } from 'zod'
import type { BillingCtx, Db } from '../deps.ts'
import type { SaleLine } from '../sellers/schema.ts'
import { type DocumentRow, documentOf, documentsOfSale, mayOpen, numberOf, paperJson } from './documents.ts'
import { drawDocument, type Party } from './draw.ts'

/** The platform as its invoices name it. */
export type Issuer = { name: string; address: string[]; taxId: string | null }
type File = Output<typeof contract.openDocument>

export const openDocument =
  (issuer: Issuer) =>
  async (ctx: BillingCtx, { document_id }: Input<typeof contract.openDocument>): Promise<File> => {
    const row = await documentOf(ctx.db, document_id)
    if (!row || !(await mayOpen(ctx, row, signedIn(ctx).id))) throw new DomainError('not_found')
    return fileOf(ctx.db, issuer, row)
  }

type OfSale = z.output<(typeof contract.saleDocuments)['input']>
const saleOf = (db: Db, { kind, reference }: OfSale) =>
  db.selectFrom('sales').select('id').where('kind', '=', kind).where('reference', '=', reference).executeTakeFirst()

export async function saleDocuments({ db }: BillingCtx, asked: OfSale): Promise<z.input<(typeof contract.saleDocuments)['reply']>> {
  const sale = await saleOf(db, asked)
  return { documents: sale ? (await documentsOfSale(db, sale.id)).map(paperJson) : [] }
}

export const saleDocument =
  (issuer: Issuer) =>
  async (
    { db }: BillingCtx,
    { document, ...asked }: z.output<(typeof contract.saleDocument)['input']>,
  ): Promise<z.input<(typeof contract.saleDocument)['reply']>> => {
    const [sale, row] = [await saleOf(db, asked), await documentOf(db, document)]
    return { file: sale && row?.sale_id === sale.id ? await fileOf(db, issuer, row) : null }
  }

async function fileOf(db: Db, issuer: Issuer, row: DocumentRow): Promise<File> {
  const sale = row.sale_id ? await saleDetails(db, row.sale_id) : null
  const invoice = row.kind === 'credit_note' && row.sale_id ? await invoiceOf(db, row.sale_id) : null
  const plan = sale ? null : await customerOf(db, row.user_id)
  const net = row.gross_cents - row.tax_cents
  const pdf = drawDocument({
    ...{ kind: row.kind, number: numberOf(row), at: row.at, currency: row.currency },
    from: { title: 'From', name: issuer.name, lines: [...issuer.address, ...(issuer.taxId ? [`Tax ID: ${issuer.taxId}`] : [])] },
    seller: sale?.seller ?? null,
    to: { title: 'To', ...nameAndLines(sale?.buyer ?? plan, row) },
    lines: row.kind === 'invoice' ? (sale?.lines ?? [{ title: row.title, cents: net }]) : [{ title: `Refund of ${row.title}`, cents: net }],
    ...{ taxCents: row.tax_cents, grossCents: row.gross_cents, place: row.region ? `${row.country}-${row.region}` : row.country },
    isReverseCharge: row.reverse_charge,
    about: [
      ...(invoice ? [`Corrects invoice ${numberOf(invoice)} of ${dayOf(invoice.at)}.`] : []),
      ...(row.kind === 'credit_note' && !row.sale_id ? [`Corrects the payment ${row.charge}.`] : []),
      ...(row.kind === 'invoice' && sale
        ? [`Paid by ${sale.method.replaceAll('•', '*')} on ${dayOf(row.at)}. Supplied electronically.`]
        : []),
      ...(row.kind === 'invoice' && !sale ? [`Paid on ${dayOf(row.at)}, payment ${row.charge}. Supplied electronically.`] : []),
      ...(sale ? [`Order ${sale.reference}`] : []),
    ],
  })
  return { filename: `${numberOf(row)}.pdf`, content_type: 'application/pdf', pdf: pdf.toString('base64') }
}

const invoiceOf = (db: Db, saleId: string) =>
  db.selectFrom('documents').selectAll().where('sale_id', '=', saleId).where('kind', '=', 'invoice').executeTakeFirst()

async function saleDetails(db: Db, id: string) {
  const row = await db
    .selectFrom('sales as s')
    .innerJoin('sale_checkouts as c', 'c.id', 's.id')
    .select(['s.customer', 's.email', 's.buyer_address', 's.method', 's.reference', 'c.lines', 'c.seller'])
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow()
  const seller = row.seller as { name: string; details: string[] } | null
  return {
    ...{ method: row.method, reference: row.reference },
    seller: seller && { title: 'Sold for', name: seller.name, lines: seller.details },
    buyer: { name: row.customer, email: row.email, address: row.buyer_address },
    lines: (row.lines as SaleLine[]).map(({ title, amount_cents }) => ({ title, cents: amount_cents })),
  }
}

async function customerOf(db: Db, userId: string | null) {
  const account = userId
    ? await db.selectFrom('accounts').select(['name', 'email']).where('user_id', '=', userId).executeTakeFirst()
    : undefined
  return { name: account?.name ?? null, email: account?.email ?? null, address: null }
}

/** Erased with the buyer's account, a name is no longer there. */
function nameAndLines(
  buyer: { name: string | null; email: string | null; address: string | null } | null,
  row: DocumentRow,
): Omit<Party, 'title'> {
  const { name = null, email = null, address = null } = buyer ?? {}
  const lines = [name ? email : null, address ?? row.country, row.buyer_tax_id && `Tax ID: ${row.buyer_tax_id}`]
  return { name: name ?? email ?? 'Customer', lines: lines.filter((line): line is string => Boolean(line)) }
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)
