import { z } from 'zod'
import { plain } from '../contract.ts'
import { Currency, time } from './shapes.ts'

/** The kinds of things that are sold. The service that owns a kind hears of its sales. */
export const SaleKind = z.enum(['product', 'booking'])

/** A payment's states as the payments page shows them. */
export const SaleStatus = z.enum(['completed', 'pending', 'failed'])
/** `scheduled` is the next Friday's, which is not made yet. */
export const PayoutStatus = z.enum(['paid', 'scheduled', 'pending', 'returned'])
export const PayoutAccountState = z.enum(['none', 'started', 'checking', 'ready', 'needs_details', 'stopped'])

/** Why an amount is what it is, in a sentence, with where its rows are. */
const whyCodes = [
  'payout_ready',
  'nothing_due',
  'below_minimum',
  'on_hold_after_delivery',
  'not_delivered',
  'disputed',
  'owed',
  'account_incomplete',
  'held_by_staff',
  'books_differ',
  'refused',
  'bank_returned',
  'funds_pending',
  'on_its_way',
  'paid',
] as const
export const Why = z.object({
  code: z.enum(whyCodes),
  text: plain(z.string()),
  amount_cents: z.int().nullable(),
  at: time.nullable(),
  /** The rows behind the amount: a part of the balance for `balance-rows`, or null. */
  rows: z.enum(['held', 'due', 'reserved', 'on_its_way', 'owed']).nullable(),
})
export const BalancePart = z.enum(['held', 'due', 'reserved', 'on_its_way', 'owed'])
export const cursor = z.string().max(200)
export const Money = z.object({ currency: Currency, amount_cents: z.int() })
