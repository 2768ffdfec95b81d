import type { Paper } from '@operon/contracts/billing/documents'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { BillingCtx, Db, Trx } from '../deps.ts'
import type { BillingDb } from '../schema.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'

export type DocumentRow = Selectable<BillingDb['documents']>
type Place = { country: string; state: string | null; taxId: string | null; isReverseCharge: boolean }
type Wanted = {
  kind: DocumentRow['kind']
  /** Of the entry that it is about: one document each. */
  reference: string
  saleId?: string
  userId?: string | null
  charge: string
  title: string
  currency: string
  grossCents: number
  taxCents: number
  place: Place | null
  at: Date
}

/** Writes a document down beside the entry that it is about. It gets its number once that has been committed. */
export async function wantDocument(trx: Trx, wanted: Wanted): Promise<void> {
  const { kind, reference, saleId, userId, charge, title, currency, grossCents, taxCents, place, at } = wanted
  if (grossCents <= 0) return
  await trx
    .insertInto('documents')
    .values({
      ...{ id: newId(), kind, year: at.getUTCFullYear(), number: null, reference, sale_id: saleId ?? null, user_id: userId ?? null },
      ...{ charge, title, currency, gross_cents: grossCents, tax_cents: taxCents, at },
      ...{ country: place?.country ?? null, region: place?.state ?? null, buyer_tax_id: place?.taxId ?? null },
      reverse_charge: place?.isReverseCharge ?? false,
    })
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .execute()
}

/** Of a plan's payment that goes back, the tax in its share, counted over all that went back so that no cent is lost to rounding. */
export function taxOfRefund(charge: Pick<ProviderCharge, 'amountCents' | 'tax'>, beforeCents: number, cents: number): number {
  const upTo = (returned: number) => Math.floor(((charge.tax?.cents ?? 0) * Math.min(returned, charge.amountCents)) / charge.amountCents)
  return upTo(beforeCents + cents) - upTo(beforeCents)
}

const TOGETHER = 500
/** Numbers what waits, the oldest first. One at a time does it, and a number that is taken back was never given: a series has no gaps. */
export async function numberDocuments(db: Db): Promise<number> {
  for (let numbered = 0; ; ) {
    const count = await inTransaction(db, async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtext('documents'))`.execute(trx)
      const { rows } = await sql`
        with waiting as (select id, kind, year, created_at from documents where number is null order by created_at, id limit ${TOGETHER}),
        ranked as (select id, kind, year, row_number() over (partition by kind, year order by created_at, id) as n from waiting),
        series as (
          select kind, year, (select coalesce(max(d.number), 0) from documents d where d.kind = s.kind and d.year = s.year) as last
          from (select distinct kind, year from ranked) s)
        update documents d set number = s.last + r.n from ranked r join series s on s.kind = r.kind and s.year = r.year
        where d.id = r.id and d.number is null returning d.id`.execute(trx)
      return rows.length
    })
    numbered += count
    if (count < TOGETHER) return numbered
  }
}

/** Those of a sale. One that is asked for before the sweep has come by is numbered now. */
export async function documentsOfSale(db: Db, saleId: string): Promise<DocumentRow[]> {
  const read = () => db.selectFrom('documents').selectAll().where('sale_id', '=', saleId).orderBy('at').orderBy('id').limit(100).execute()
  return numbered(db, read)
}

const LISTED = 50
/** Invoices of top-ups, and credit notes for what was given back of a plan or a top-up, newest first. */
export const documentsOfPerson = (db: Db, userId: string): Promise<DocumentRow[]> =>
  numbered(db, () =>
    db
      .selectFrom('documents')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(LISTED)
      .execute(),
  )

export async function documentOf(db: Db, id: string): Promise<DocumentRow | undefined> {
  const [row] = await numbered(db, () => db.selectFrom('documents').selectAll().where('id', '=', id).execute())
  return row
}

async function numbered(db: Db, read: () => Promise<DocumentRow[]>): Promise<DocumentRow[]> {
  const rows = await read()
  if (rows.every(({ number }) => number !== null)) return rows
  await numberDocuments(db)
  return read()
}

const series = { invoice: 'INV', credit_note: 'CN' }
export const numberOf = ({ kind, year, number }: DocumentRow) => `${series[kind]}-${year}-${String(number).padStart(6, '0')}`

export const paperJson = (row: DocumentRow): z.input<typeof Paper> => ({
  ...{ id: row.id, kind: row.kind, number: numberOf(row), at: row.at.toISOString() },
  ...{ amount_cents: row.gross_cents, currency: row.currency },
})

/** A document is its seller's and its buyer's, or the customer's whose plan it is about. */
export async function mayOpen(ctx: BillingCtx, row: DocumentRow, userId: string): Promise<boolean> {
  if (row.user_id === userId) return true
  if (!row.sale_id) return false
  const sale = await ctx.db.selectFrom('sales').select(['seller_id', 'buyer_id']).where('id', '=', row.sale_id).executeTakeFirst()
  return sale?.seller_id === userId || sale?.buyer_id === userId
}
