import type { Person } from './accounts.ts'
import type { Bank, Obj } from './bank.ts'
import { expireSession } from './checkout.ts'
import { automaticPayoutDue, payoutDue } from './connect/payouts.ts'
import { accountDue } from './connect/requirements.ts'
import { createDispute } from './disputes.ts'
import { wrong } from './errors.ts'
import { forgetPurses } from './movements.ts'
import { failRefund } from './refunds.ts'
import { endSubscription, endTrial, remindOfTrialEnd, renew, settleInvoice } from './renewals.ts'
import { LIVE } from './subscriptions.ts'
import { taxIdDue } from './tax/ids.ts'

const DAY = 86_400
const MOST_SECONDS = 400 * DAY
const INCOMPLETE_SECONDS = 23 * 3600
type Due = { at: number; run: () => unknown }

/** Everything that time brings, up to a moment, in the order in which it falls due. */
export function catchUp(bank: Bank, clock: string | null, until: number): number {
  let done = 0
  for (;;) {
    const next = earliest(bank, clock)
    if (!next || next.at > until) return done
    bank.at(Math.max(next.at, clock ? bank.now(clock) : next.at), clock, next.run)
    done += 1
    if (done > 50_000) throw new Error('the clock does not come to rest')
  }
}

function earliest(bank: Bank, clock: string | null): Due | undefined {
  let first: Due | undefined
  const offer = (due: Due | undefined) => {
    if (due && (!first || due.at < first.at)) first = due
  }
  for (const each of bank.t.subscriptions.all()) if (each._clock === clock && LIVE.includes(each.status)) offer(subscriptionDue(bank, each))
  for (const each of bank.t.checkout_sessions.all())
    if (each.status === 'open' && clockOf(bank, each) === clock) offer({ at: each.expires_at, run: () => expireSession(bank, each) })
  for (const each of bank.t.charges.all())
    if (each._dispute_at && each._clock === clock) offer({ at: each._dispute_at, run: () => createDispute(bank, each) })
  for (const each of bank.t.refunds.all())
    if (each._fails_at && each._clock === clock) offer({ at: each._fails_at, run: () => failRefund(bank, each) })
  for (const each of bank.t.tax_ids.all()) if (each._clock === clock && !each.deleted) offer(taxIdDue(bank, each))
  for (const each of bank.t.accounts.all())
    if ((each._clock ?? null) === clock) for (const due of [accountDue(bank, each), automaticPayoutDue(bank, each)]) offer(due)
  for (const each of bank.t.payouts.all()) if (each._next_at && (each._clock ?? null) === clock) offer(payoutDue(bank, each))
  return first
}

const clockOf = (bank: Bank, { customer }: Obj): string | null => bank.t.customers.get(customer)?.test_clock ?? null

function subscriptionDue(bank: Bank, subscription: Obj): Due | undefined {
  const { status, trial_end } = subscription
  const end = subscription.items.data[0].current_period_end
  const over = subscription.cancel_at ?? (subscription.cancel_at_period_end ? end : null)
  if (status === 'incomplete')
    return { at: subscription.created + INCOMPLETE_SECONDS, run: () => endSubscription(bank, subscription, 'incomplete') }
  const finish: Due | undefined =
    over === null ? undefined : { at: over, run: () => endSubscription(bank, subscription, 'cancellation_requested') }
  if (status === 'paused') return finish
  if (status === 'trialing') {
    const remind = subscription._will_end_sent
      ? undefined
      : { at: trial_end - 3 * DAY, run: () => remindOfTrialEnd(bank, subscription, bank.now(subscription._clock)) }
    return soonest(remind, finish, { at: trial_end, run: () => endTrial(bank, subscription, trial_end) })
  }
  const invoice = bank.t.invoices.get(subscription.latest_invoice)
  const retry: Due | undefined =
    invoice?.status === 'open' && invoice.next_payment_attempt
      ? { at: invoice.next_payment_attempt, run: () => settleInvoice(bank, invoice.id, { offSession: true }) }
      : undefined
  return soonest(retry, finish, { at: end, run: () => renew(bank, subscription, end) })
}

// The first of equals wins: a subscription that ends now is not renewed first.
const soonest = (...dues: (Due | undefined)[]) =>
  dues.reduce((first, each) => (each && (!first || each.at < first.at) ? each : first), undefined)

export function createTestClock(bank: Bank, params: Record<string, any>): Obj {
  const frozen_time = Number(params.frozen_time)
  if (!frozen_time) throw wrong('Missing required param: frozen_time.', 'frozen_time', 'parameter_missing')
  const clock = bank.t.test_clocks.put(clockAt(bank.id('test_clocks'), bank.now(), frozen_time, params.name ?? null))
  bank.emit('test_helpers.test_clock.created', clock)
  return clock
}

const clockAt = (id: string, created: number, frozen_time: number, name: string | null): Obj => ({
  id,
  object: 'test_helpers.test_clock',
  created,
  deletes_after: frozen_time + 30 * DAY,
  frozen_time,
  livemode: false,
  name,
  status: 'ready',
  status_details: {},
})
const wholeClock = (now: number) => clockAt('clock_sandbox', now, now, 'The sandbox')

export function advanceTestClock(bank: Bank, clock: Obj, target: number): Obj {
  if (!(target > clock.frozen_time)) throw wrong('The frozen_time must be later than the current one.', 'frozen_time')
  catchUp(bank, clock.id, target)
  const moved = bank.t.test_clocks.put({ ...bank.find('test_clocks', clock.id), frozen_time: target, status: 'ready' })
  bank.emit('test_helpers.test_clock.ready', moved)
  return moved
}

/** The clock of everything that is on no test clock. It only ever goes forward. */
export function advanceClock(bank: Bank, seconds: number) {
  if (!(seconds >= 0 && seconds <= MOST_SECONDS)) throw wrong('The clock moves forward, by 400 days at most.', 'seconds')
  const happened = catchUp(bank, null, bank.now() + seconds)
  bank.moveClock(seconds)
  for (const { id } of runningClocks(bank)) catchUp(bank, id, bank.now(id))
  // Listeners learn the new time, also when nothing fell due.
  bank.emit('test_helpers.test_clock.ready', wholeClock(bank.now()))
  return { now: bank.now(), offset_seconds: bank.offsetSeconds(), happened }
}

/** Clocks of single accounts: they run on, so many seconds ahead of all others. */
export const runningClocks = (bank: Bank): Obj[] => bank.t.test_clocks.all().filter((each) => each._ahead_s !== undefined)

/** The clock of one person. Everything of theirs, as a customer and as a seller, follows it from the first time that it is moved. */
export function advancePerson(bank: Bank, person: Person, seconds: number) {
  if (!(seconds >= 0 && seconds <= MOST_SECONDS)) throw wrong('The clock moves forward, by 400 days at most.', 'seconds')
  const clock = ownClock(bank, person)
  const happened = catchUp(bank, clock, bank.now(clock) + seconds)
  const before = bank.find('test_clocks', clock)
  const ahead = before._ahead_s + seconds
  // The customer's id for a name, or the seller's who is none: who listens learns whose time it is.
  const name = person.customer?.id ?? person.sellers[0]!.id
  const moved = bank.t.test_clocks.put({ ...before, _ahead_s: ahead, frozen_time: bank.now() + ahead, name })
  bank.emit('test_helpers.test_clock.ready', moved)
  return { now: bank.now(clock), offset_seconds: ahead, happened }
}

export const clockNow = (bank: Bank, { customer, sellers }: Person): number => bank.now(customer?.test_clock ?? sellers[0]?._clock)

function ownClock(bank: Bank, { customer, sellers }: Person): string {
  const known: string | null = customer?.test_clock ?? sellers.find((each) => each._clock)?._clock ?? null
  if (known && bank.find('test_clocks', known)._ahead_s === undefined)
    throw wrong('This customer is on a test clock: advance that one.', 'account')
  const clock = known ?? makeRunning(bank, customer?.id ?? sellers[0]!.id)
  if (customer && customer.test_clock !== clock) takeCustomer(bank, customer.id, clock)
  for (const each of sellers) if (each._clock !== clock) takeSeller(bank, each.id, clock)
  return clock
}

function makeRunning(bank: Bank, name: string): string {
  const made = clockAt(bank.id('test_clocks'), bank.now(), bank.now(), name)
  return bank.t.test_clocks.put({ ...made, _ahead_s: 0 }).id
}

function takeCustomer(bank: Bank, id: string, clock: string) {
  bank.t.customers.put({ ...bank.find('customers', id), test_clock: clock })
  for (const kind of ['subscriptions', 'invoices', 'payment_intents', 'charges', 'refunds', 'tax_ids', 'credit_notes'] as const)
    for (const each of bank.t[kind].all())
      if (each.customer === id)
        bank.t[kind].put({ ...each, ...('test_clock' in each && { test_clock: clock }), ...('_clock' in each && { _clock: clock }) })
}

function takeSeller(bank: Bank, id: string, clock: string) {
  bank.t.accounts.put({ ...bank.find('accounts', id), _clock: clock })
  for (const kind of ['balance_transactions', 'payouts', 'bank_accounts', 'payments', 'payment_refunds'] as const)
    for (const each of bank.t[kind].all()) if (each._account === id) bank.t[kind].put({ ...each, _clock: clock })
  forgetPurses(bank)
}
