import { z } from 'zod'
import { fn } from '../contract.ts'
import { Currency, reason, time } from './shapes.ts'

// The books of a month, for staff and their bookkeeper.

const month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
  .meta({ examples: ['2026-11'] })

export const staffMonth = fn('staff-month', {
  access: 'staff',
  rate: 'read',
  summary: 'The books of a month: what moved each account, and the tax by country and state',
  description: 'A month closes three days after its end. What is told later belongs to the month in which it comes.',
  body: z.object({ month, reason }),
  reply: z.object({
    closed_at: time.nullable(),
    accounts: z.array(
      z.object({
        account: z.string(),
        kind: z.enum(['asset', 'liability', 'income', 'expense']),
        currency: Currency,
        debit_cents: z.int(),
        credit_cents: z.int(),
      }),
    ),
    tax: z.array(
      z.object({
        country: z.string(),
        state: z.string().nullable(),
        currency: Currency,
        /** The businesses that bought owe it themselves. */
        reverse_charge: z.boolean(),
        taxable_cents: z.int(),
        tax_cents: z.int(),
      }),
    ),
  }),
})
export const staffJournal = fn('staff-journal', {
  access: 'staff',
  rate: 'read',
  summary: 'The journal of a month for a bookkeeper: CSV, QuickBooks, or plain text accounting',
  description: 'The movements of a day and kind are one entry; the accounts of all sellers are one account each.',
  body: z.object({ month, format: z.enum(['csv', 'quickbooks', 'ledger']).default('csv'), reason }),
  reply: z.object({ filename: z.string(), text: z.string() }),
})
