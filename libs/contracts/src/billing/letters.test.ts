import { expect, test } from 'vitest'
import { planCancelled, staffMatter, trialEnding, trialRefused } from './events.ts'
import { paymentSucceeded } from './payment-events.ts'
import { payoutAccountChanged, payoutReturned, payoutsHeld } from './payout-events.ts'
import { saleDisputeClosed, saleInquired, saleRefunded, saleRefundReturned } from './selling-events.ts'

// The words of emails about money, as people read them.

const mail = (event: any, payload: object) => event.email(payload, 'Operon')
const letter = (event: any, payload: object) => event.letter(payload, 'Operon')
const notice = (event: any, payload: object) => event.notice(payload, 'Operon')[0]

const id = '0190a1b2-0000-7000-8000-000000000002'
const sale = {
  ...{ version: 2, sale_id: id, kind: 'product' as const, reference: id, seller_id: id, buyer_id: null, email: 'guest@example.com' },
  ...{ title: 'Lead qualification', amount_cents: 10_000, paid_cents: 10_700, currency: 'usd', refunded_cents: 5_000 },
}

test('a refund is a part of all that was paid, with tax, to the buyer and to the seller', () => {
  const refund = { ...sale, returned_cents: 5_350 }
  expect(mail(saleRefunded, refund).text).toBe('$53.50 of $107.00 went back to the buyer. Your share of it comes off your balance.')
  expect(letter(saleRefunded, refund)).toMatchObject({
    subject: 'Your refund of $53.50 is on its way',
    text: 'Part of your payment of $107.00 for Lead qualification was refunded to the card that paid.',
  })
  expect(letter(saleRefunded, { ...refund, refunded_cents: 10_000, returned_cents: 10_700 }).after).toContain('The download has ended.')
  // The version before names the price alone.
  expect(mail(saleRefunded, { ...refund, paid_cents: undefined }).text).toContain('of $100.00')
})

test('a guest is led to what they have already, and a buyer with an account to their orders', () => {
  const refund = { ...sale, returned_cents: 10_700 }
  expect(letter(saleRefunded, refund)).toMatchObject({
    path: '/',
    after: expect.stringContaining('The link in your receipt opens the order.'),
  })
  expect(letter(saleRefunded, { ...refund, buyer_id: id })).toMatchObject({ path: '/buyer-dashboard/orders', label: 'See your orders' })
  const closed = {
    ...sale,
    kind: 'booking' as const,
    dispute: 'dp_1',
    disputed_cents: 10_700,
    reason: 'fraudulent',
    outcome: 'won' as const,
  }
  expect(letter(saleDisputeClosed, closed).after).toContain('The link in your confirmation opens the booking.')
  expect(letter(saleRefundReturned, refund)).toMatchObject({
    subject: 'Your refund of $107.00 came back',
    text: expect.stringContaining('our team finds another way to pay it to you'),
  })
  expect(letter(saleRefundReturned, { ...refund, email: null })).toBeNull()
})

test('an inquiry says that no money was taken, and what an answer is for', () => {
  const asked = { ...sale, dispute: 'dp_1', disputed_cents: 10_700, reason: 'general', evidence_due_at: '2026-12-04T00:00:00.000Z' }
  expect(mail(saleInquired, asked)).toMatchObject({
    text: 'It is about $107.00, and no money was taken. Add your evidence by December 4, 2026.',
    label: 'Add evidence',
  })
})

test('a payout that did not arrive says who stopped it, and names no bank that never saw it', () => {
  const back = { payout_id: id, amount_cents: 8_000, currency: 'usd', date: '2026-11-27', because: 'It was not sent.' }
  const words = (by?: 'bank' | 'hold' | 'provider') => ({
    ...mail(payoutReturned, { ...back, by }),
    notice: notice(payoutReturned, { ...back, by }).body,
    activity: (payoutReturned as any).activity({ ...back, by }).command,
  })
  expect(words('hold')).toMatchObject({
    subject: 'Your Operon payout was not sent',
    title: 'Your payout of $80.00 was not sent',
    after: 'Once the hold ends, it is paid out on the next Friday.',
    activity: 'Payout of $80.00 was not sent',
  })
  expect(words('provider')).toMatchObject({ subject: 'Your Operon payout could not be sent', label: 'Check your payout account' })
  for (const by of ['hold', 'provider'] as const) expect(JSON.stringify(words(by))).not.toMatch(/bank/i)
  for (const by of ['bank', undefined] as const)
    expect(words(by)).toMatchObject({ subject: 'Your bank returned a payout from Operon', label: 'Check your bank details' })
})

test('a hold is told with its reason and its end, and a payout account by what is missing and until when', () => {
  expect(mail(payoutsHeld, { held: true, because: 'We ask the bank' })).toMatchObject({
    subject: 'Your Operon payouts are on hold',
    text: 'Our team holds your payouts: We ask the bank',
  })
  expect(mail(payoutsHeld, { held: false, because: null }).text).toBe('What is due is paid out on the next Friday again.')
  const account = { version: 3, ready: true, was_ready: true, deadline: '2026-12-04T00:00:00.000Z' }
  expect(mail(payoutAccountChanged, { ...account, state: 'needs_details' })).toMatchObject({
    subject: 'Your Operon payout account needs details',
    text: 'The payment provider asks for more about you. Add it by December 4, 2026, so that payouts do not stop.',
  })
  expect(mail(payoutAccountChanged, { ...account, state: 'stopped' }).title).toBe('Your payouts have stopped')
  expect(mail(payoutAccountChanged, { ...account, state: 'ready' })).toBeNull()
  const fresh = { ...account, state: 'stopped' as const, was_ready: false }
  expect(mail(payoutAccountChanged, fresh)).toBeNull()
  expect(notice(payoutAccountChanged, fresh).title).toBe('Your payout account is not complete')
})

test('a payment, a cancellation and a trial are told by what happens next, and a top-up by its own email alone', () => {
  const paid = { payment: 'ch_1', amount_cents: 9_900, currency: 'usd' }
  expect(mail(paymentSucceeded, paid)).toMatchObject({ title: 'You paid $99.00', label: 'See your invoices', path: '/pricing' })
  expect(mail(paymentSucceeded, { ...paid, top_up: true })).toBeNull()
  const cancelled = { plan: 'pro' as const, ends_at: '2026-12-24T10:00:00.000Z', trial: false }
  expect(mail(planCancelled, cancelled)).toMatchObject({
    subject: 'Your Operon plan ends on December 24, 2026',
    text: 'It stays open until December 24, 2026, and nothing more is charged for it. Your data is kept.',
    until: cancelled.ends_at,
  })
  expect(mail(planCancelled, { ...cancelled, trial: true }).text).toContain('and nothing is charged for it')
  expect(mail(planCancelled, { ...cancelled, ended: true })).toMatchObject({ title: 'Your Pro plan has ended', label: 'Choose a plan' })
  const trial = { plan: 'pro' as const, period: 'year' as const, trial_end: cancelled.ends_at, amount_cents: 91_800, currency: 'usd' }
  expect(mail(trialEnding, trial).text).toContain('Any tax is added, and a discount code or credit comes off.')
  expect(mail(trialRefused, { plan: 'pro' }).after).toBe('If you choose it again, it is charged right away.')
  const matter = { matter: 'payout' as const, title: 'A seller owes $160.00', body: 'Seller 1.' }
  expect(mail(staffMatter, matter)).toMatchObject({
    path: '/staff?section=matters',
    subject: 'Operon staff: A seller owes $160.00',
  })
})
