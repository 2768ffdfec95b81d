import type { Part } from './address.ts'

// How states and parts are named on this page.

export const partNames: Record<Part, string> = {
  held: 'Held',
  due: 'Due',
  reserved: 'Set aside',
  on_its_way: 'On its way',
  owed: 'Owed',
}
export const partNotes: Record<Part, string> = {
  held: 'Until seven days after delivery',
  due: 'For the next payout',
  reserved: 'While a bank decides a dispute',
  on_its_way: 'Sent to your bank',
  owed: 'Your next sales settle it',
}

export const statusTone = { completed: 'good', pending: 'warn', failed: 'bad' } as const
export const payoutTone = { paid: 'good', scheduled: 'info', pending: 'warn', returned: 'bad' } as const

const disputeReasons: Record<string, string> = {
  fraudulent: 'The cardholder says they did not make this payment.',
  product_not_received: 'The buyer says the product did not arrive.',
  product_unacceptable: 'The buyer says the product is not as described.',
  duplicate: 'The buyer says they were charged twice.',
  subscription_canceled: 'The buyer says they had canceled.',
  credit_not_processed: 'The buyer says a refund they were promised did not come.',
  unrecognized: 'The cardholder does not recognize this payment.',
}
export const disputeReason = (reason: string) => disputeReasons[reason] ?? 'The buyer’s bank gave no reason that we know.'

/** The day in UTC, as payouts and statements count it. */
export const shortDay = (iso: string) => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(iso))
