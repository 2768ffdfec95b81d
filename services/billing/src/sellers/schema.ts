import type { Generated } from 'kysely'

export type AccountState = 'none' | 'started' | 'checking' | 'ready' | 'needs_details' | 'stopped'
export type SaleLine = { item_id: string | null; title: string; amount_cents: number }

export type SellingDb = {
  seller_accounts: {
    user_id: string
    account: string | null
    country: Generated<string>
    state: Generated<AccountState>
    requirements: Generated<unknown>
    deadline: Date | null
    disabled_reason: string | null
    bank_last4: string | null
    looked_at: Date | null
    /** Counts what others were told. */
    version: Generated<number>
    looks: Generated<number>
    /** By staff. */
    held_at: Date | null
    held_because: string | null
    /** Why the provider sends nothing to the account, though it is ready: until it changes, or staff release it. */
    refused_because: string | null
    /** Why the marketplace has ended their sales for now, and when it last decided so or otherwise. */
    suspended_because: string | null
    moderated_at: Date | null
    /** The books and the provider do not agree about this seller. */
    books_differ: Generated<boolean>
    created_at: Generated<Date>
  }
  seller_balances: {
    seller_id: string
    currency: string
    held_cents: Generated<number>
    due_cents: Generated<number>
    reserved_cents: Generated<number>
    paying_cents: Generated<number>
    owed_cents: Generated<number>
    connected_cents: Generated<number>
    /** The last Friday on which it was decided what is paid out. */
    friday: string
  }
  /** Changes of a seller's money in a month (UTC), and the entries between which those of the month are. */
  seller_months: { seller_id: string; currency: string; month: Date; cents: number; first_entry: string; last_entry: string }
  sale_checkouts: {
    id: string
    kind: 'product' | 'booking'
    reference: string
    seller_id: string
    buyer_id: string | null
    email: string | null
    currency: string
    amount_cents: number
    lines: unknown
    /** The seller as their invoices name them. Absent from the version before. */
    seller: unknown
    request: unknown
    session: string | null
    url: string | null
    state: Generated<'open' | 'settled' | 'expired'>
    looked_at: Generated<Date>
    created_at: Generated<Date>
  }
  sales: {
    id: string
    kind: 'product' | 'booking'
    reference: string
    seller_id: string
    buyer_id: string | null
    email: string | null
    customer: string | null
    buyer_address: string | null
    title: string
    charge: string
    method: string
    currency: string
    gross_cents: number
    tax_cents: number
    share_cents: number
    /** Where the buyer is, when tax was asked for, and the number of a business. */
    tax_country: string | null
    tax_state: string | null
    buyer_tax_id: string | null
    reverse_charge: Generated<boolean>
    status: 'completed' | 'pending' | 'failed'
    /** All that went back to the buyer, by refunds and lost disputes. */
    refunded_cents: Generated<number>
    /** The part of the share that is still held, and the part set aside for a dispute. */
    held_cents: Generated<number>
    reserved_cents: Generated<number>
    dispute: 'asked' | 'open' | 'won' | 'lost' | null
    paid_at: Date
    delivered_at: Date | null
    hold_until: Date | null
    version: Generated<number>
    created_at: Generated<Date>
  }
  sale_refunds: { id: string; sale_id: string; amount_cents: number; state: 'sent' | 'failed'; reason: string | null; at: Date }
  payouts: {
    id: string
    friday: string
    seller_id: string
    currency: string
    account: string
    amount_cents: number
    state: Generated<'planned' | 'transferred' | 'sent' | 'paid' | 'reversing' | 'returned'>
    transfer: string | null
    payout: string | null
    /** The Idempotency-Key of the call that comes next: the same until the provider has answered. */
    call_key: string
    called_at: Date | null
    /** When somebody takes it up; null once it rests. */
    next_at: Date | null
    tries: Generated<number>
    waits_for: string | null
    returned_because: string | null
    arrives_at: Date | null
    paid_at: Date | null
    bank_last4: string | null
    created_at: Generated<Date>
  }
  documents: {
    id: string
    kind: 'invoice' | 'credit_note'
    year: number
    /** Null until it is numbered, once what it is about has been committed. */
    number: number | null
    /** The entry that it is about. */
    reference: string
    sale_id: string | null
    /** The customer whose plan's payment went back. */
    user_id: string | null
    charge: string
    title: string
    currency: string
    gross_cents: number
    tax_cents: number
    country: string | null
    region: string | null
    buyer_tax_id: string | null
    reverse_charge: Generated<boolean>
    at: Date
    created_at: Generated<Date>
  }
  payout_lines: { entry_id: string; line: number; payout_id: string; amount_cents: number }
}
