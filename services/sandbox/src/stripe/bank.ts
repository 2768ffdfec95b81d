import type { State, Table } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'
import { missing } from './errors.ts'
import type { Params } from './form.ts'

/** An object as it is stored: Stripe's shape, with private fields that begin with `_` and never leave. */
export type Obj = { id: string; object: string; created: number } & Record<string, any>

export const API_VERSION = '2026-10-28.endive'

/** Table by table, with the prefix of its ids and the word Stripe uses when one is missing. */
const kinds = {
  products: ['prod', 'product'],
  prices: ['price', 'price'],
  coupons: ['', 'coupon'],
  promotion_codes: ['promo', 'promotion code'],
  discounts: ['di', 'discount'],
  customers: ['cus', 'customer'],
  customer_balance_transactions: ['cbtxn', 'customer balance transaction'],
  payment_methods: ['pm', 'PaymentMethod'],
  setup_intents: ['seti', 'setupintent'],
  payment_intents: ['pi', 'payment_intent'],
  charges: ['ch', 'charge'],
  refunds: ['re', 'refund'],
  balance_transactions: ['txn', 'balance transaction'],
  disputes: ['dp', 'dispute'],
  subscriptions: ['sub', 'subscription'],
  subscription_schedules: ['sub_sched', 'subscription schedule'],
  invoices: ['in', 'invoice'],
  invoiceitems: ['ii', 'invoiceitem'],
  invoice_payments: ['inpay', 'invoice payment'],
  checkout_sessions: ['cs', 'checkout.session'],
  portal_sessions: ['bps', 'billing_portal.session'],
  portal_configurations: ['bpc', 'configuration'],
  tax_ids: ['txi', 'tax ID'],
  tax_rates: ['txr', 'tax rate'],
  tax_calculations: ['taxcalc', 'tax calculation'],
  tax_transactions: ['tax', 'tax transaction'],
  credit_notes: ['cn', 'credit note'],
  test_clocks: ['clock', 'test clock'],
  accounts: ['acct', 'account'],
  account_links: ['al', 'account link'],
  bank_accounts: ['ba', 'bank account'],
  transfers: ['tr', 'transfer'],
  transfer_reversals: ['trr', 'transfer reversal'],
  payouts: ['po', 'payout'],
  payments: ['py', 'charge'],
  payment_refunds: ['pyr', 'refund'],
  events: ['evt', 'event'],
  webhook_endpoints: ['we', 'webhook endpoint'],
  deliveries: ['dlv', 'delivery'],
  idempotency: ['', 'idempotency key'],
} as const
export type Kind = keyof typeof kinds

export type Bank = ReturnType<typeof openBank>
/** An answer by its operation, an event by its type. */
export type Heard = (what: { operation: string } | { event: string }, said: unknown) => void
type Options = { state: State; truth: Truth; publicUrl: string; now: () => number; heard: Heard }

/** Shared by all parts of the Stripe stand-in: the tables, the ids, the clock, the log. */
export function openBank({ state, truth, publicUrl, now, heard }: Options) {
  const names = Object.keys(kinds) as Kind[]
  const t = Object.fromEntries(names.map((name) => [name, state.table<Obj>(`stripe.${name}`)])) as Record<Kind, Table<Obj>>
  const byPrefix = new Map(names.filter((name) => kinds[name][0]).map((name) => [kinds[name][0] as string, t[name]]))
  let frame: { clock: string | null; at: number } | undefined
  let offset = state.setting('stripe.offset', 0)

  const bank = {
    t,
    truth,
    publicUrl,
    state,
    heard,
    /** The request being answered: its id, and the key it was sent with. */
    request: { id: null as string | null, key: null as string | null },
    /** The connected account that the request is for, or null: the platform's own. */
    account: null as string | null,
    id: (kind: Kind, infix = '') => state.id(`${kinds[kind][0]}${infix}`, kind === 'checkout_sessions' ? 58 : 24),
    find(kind: Kind, id: unknown, param = 'id'): Obj {
      const found = t[kind].get(String(id))
      if (found && !found.deleted) return found
      throw missing(kinds[kind][1], String(id), param)
    },
    /** Any object by its id alone. */
    lookUp: (id: string): Obj | undefined => byPrefix.get(id.slice(0, Math.max(id.indexOf('_'), 0)))?.get(id),
    /** The time for a customer on a test clock, for an account that is ahead, or of the whole stand-in. */
    now(clock?: string | null): number {
      const own = clock ? t.test_clocks.get(clock) : undefined
      if (own && own._ahead_s === undefined) return own.frozen_time
      if (frame && frame.clock === (own?.id ?? null)) return frame.at
      return Math.floor((now() + offset) / 1000) + (own?._ahead_s ?? 0)
    },
    /** Runs something at a moment that the clock is passing over. */
    at<T>(moment: number, clock: string | null, run: () => T): T {
      if (clock && t.test_clocks.get(clock)?._ahead_s === undefined) {
        t.test_clocks.put({ ...t.test_clocks.get(clock)!, frozen_time: moment })
        return run()
      }
      const before = frame
      frame = { clock, at: moment }
      try {
        return run()
      } finally {
        frame = before
      }
    },
    moveClock(seconds: number) {
      offset += seconds * 1000
      state.set('stripe.offset', offset)
    },
    offsetSeconds: () => offset / 1000,
    /** Set by the events part; every change goes through it. */
    emit: (_type: string, _object: Obj, _previous?: Params): void => undefined,
    fact: (kind: string, facts: Record<string, unknown>) =>
      truth.log('stripe', kind, { ...facts, ...(bank.request.key ? { idempotency_key: bank.request.key } : {}) }),
  }
  return bank
}

export const list = (url: string, data: unknown[], more = false) => ({ object: 'list' as const, url, has_more: more, data })

/** Stored as everything is, and without a time of their own at Stripe. */
const UNDATED = new Set(['discount', 'invoiceitem', 'tax.calculation'])

/** A copy without private fields, as it goes over the wire. */
export const render = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, function (this: { object?: string }, key, each) {
      return key.startsWith('_') || (key === 'created' && UNDATED.has(this.object ?? '')) ? undefined : each
    }),
  ) as T
