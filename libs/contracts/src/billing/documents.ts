import { z } from 'zod'
import { id, reading, request } from '../contract.ts'
import { SaleKind } from './selling.ts'
import { Currency, time } from './shapes.ts'

// Invoices and credit notes of the platform's own: for sales, and for what was given back of a plan.

export const Paper = z.object({
  id: z.uuid(),
  kind: z.enum(['invoice', 'credit_note']),
  /** In a series without gaps a kind and year. */
  number: z.string(),
  at: time,
  /** With tax. A credit note's is what went back. */
  amount_cents: z.int(),
  currency: Currency,
})
export const paperExample = {
  id: '0190a1b2-0000-7000-8000-000000000009',
  kind: 'invoice' as const,
  number: 'INV-2026-000001',
  at: '2026-11-24T10:00:00.000Z',
  amount_cents: 4900,
  currency: 'usd',
}
const File = z.object({
  filename: z.string(),
  content_type: z.literal('application/pdf'),
  pdf: z.base64().meta({ examples: ['JVBERi0x'] }),
})

export const openDocument = reading('open-document', {
  summary: 'An invoice or credit note as a PDF, for its buyer or seller',
  description: 'The PDF is in base64.',
  body: z.object({ document_id: id('document') }),
  reply: File,
  example: {
    request: { document_id: paperExample.id },
    reply: { filename: 'INV-2026-000001.pdf', content_type: 'application/pdf', pdf: 'JVBERi0x' },
  },
  errors: ['not_found'],
})

/** Asked by whoever sold it, for a buyer whose right to the order it has checked. */
export const saleDocuments = request(
  'billing.sale_documents',
  z.object({ kind: SaleKind, reference: z.uuid() }),
  z.object({ documents: z.array(Paper) }),
)
export const saleDocument = request(
  'billing.sale_document',
  z.object({ kind: SaleKind, reference: z.uuid(), document: z.uuid() }),
  z.object({ file: File.nullable() }),
)
