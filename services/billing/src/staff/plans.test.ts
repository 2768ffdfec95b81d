import type { TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { GOOD_CARD, startBilling } from '../fixture.ts'
import { ledgerBalances } from '../ledger/post.ts'
import { sumFigures } from './figures.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const reason = 'asked by mail'
const within = { timeout: 15_000, interval: 100 }
const asStaff = (name: string, body: object = {}) => billing.call(name, billing.staff(), { reason, ...body })
const balance = async (account: string) =>
  (await ledgerBalances(billing.db)).balances.find((each) => each.account === account && each.currency === 'usd')?.amount_cents ?? 0
/** A customer's payments by the provider's own log. */
const paidBy = async (user: { id: string }) => {
  const customer = await billing.customer(user as never)
  return billing.sandbox.truth.read({ kind: 'charge' }).flatMap((charge: any) => (charge.customer === customer ? [charge.amount] : []))
}

test('a plan ends with its period or at once, and is charged no more', { timeout: 60_000 }, async () => {
  const [soon, later] = [await billing.subscribed(), await billing.subscribed()]
  expect((await asStaff('staff-cancel-plan', { user_id: soon.id, when: 'now' })).body).toMatchObject({ status: 'canceled', ends_at: null })
  const { body } = await asStaff('staff-cancel-plan', { user_id: later.id, when: 'period_end' })
  expect(body).toMatchObject({ status: 'trialing', ends_at: (await billing.check(later)).current_period_end })
  expect(await billing.check(later)).toMatchObject({ subscribed: true, cancel_at_period_end: true })
  await billing.quiet()
  expect(await billing.published('billing.plan_cancelled', soon)).toMatchObject([{ trial: true, ended: true }])
  const [told] = await billing.published('billing.plan_cancelled', later)
  expect(told).toEqual({ plan: 'basic', trial: true, ends_at: body.ends_at })
  await billing.advance(40, later)
  await billing.becomes(later, { status: 'canceled', subscribed: false })
  expect(await billing.published('billing.plan_cancelled', later)).toHaveLength(1)
  await billing.advance(40, soon)
  expect([await paidBy(soon), await paidBy(later)]).toEqual([[], []])
  expect(await asStaff('staff-cancel-plan', { user_id: soon.id, when: 'now' })).toMatchObject({ body: { code: 'no_subscription' } })
  expect((await asStaff('staff-cancel-plan', { user_id: billing.user().id, when: 'now' })).status).toBe(404)
  const logged = (await billing.call('staff-actions', billing.staff(), {})).body.actions
  expect(logged.filter(({ action }: { action: string }) => action.startsWith('end plan'))).toMatchObject([
    { action: 'end plan with its period', reason, user_id: later.id },
    { action: 'end plan at once', reason, user_id: soon.id },
  ])
})

test('credit comes off the next invoice and is booked once, as what was given away', { timeout: 60_000 }, async () => {
  const user = await billing.subscribed()
  const given = await balance('goodwill_credits')
  expect((await asStaff('staff-credit', { user_id: user.id, amount_cents: 1_500 })).body).toMatchObject({ amount_cents: 1_500 })
  await billing.quiet()
  expect(await balance('goodwill_credits')).toBe(given + 1_500)
  await billing.advance(3.1, user)
  await billing.becomes(user, { status: 'active' })
  await vi.waitFor(async () => expect(await paidBy(user)).toEqual([3_400]), within)
  await billing.booksMatch()
  expect(await asStaff('staff-credit', { user_id: billing.user().id, amount_cents: 1 })).toMatchObject({ status: 404 })
})

test('credit that was given and not booked is the same one when staff ask again; another amount is another credit, and none under the key of the first [R3]', {
  timeout: 60_000,
}, async () => {
  const user = await billing.subscribed()
  const customer = await billing.customer(user)
  const given = async () => {
    const { data } = await billing.stripe.customers.listBalanceTransactions(customer, { limit: 100 })
    return data.map(({ amount }) => amount).toSorted()
  }
  const [before, credit] = [await balance('goodwill_credits'), { user_id: user.id, amount_cents: 1_500 }]
  // Between the provider's answer and the books.
  await sql`
    create function no_credit() returns trigger language plpgsql as $$ begin raise 'the books cannot be written'; end $$;
    create trigger no_credit before insert on ledger_entries for each row when (new.kind = 'credit_granted') execute function no_credit()
  `.execute(billing.db)
  const staff = billing.staff()
  const keyed = (body: object) => billing.call('staff-credit', staff, { reason, ...body }, { 'idempotency-key': 'one-dialog' })
  expect((await keyed(credit)).status).toBeGreaterThanOrEqual(500)
  expect(await given()).toEqual([-1_500])
  await sql`drop trigger no_credit on ledger_entries; drop function no_credit()`.execute(billing.db)
  expect(await keyed({ ...credit, amount_cents: 200 })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } })
  expect(await given()).toEqual([-1_500])
  expect((await keyed(credit)).body).toMatchObject({ amount_cents: 1_500 })
  expect(await given()).toEqual([-1_500])
  expect((await asStaff('staff-credit', { ...credit, amount_cents: 200 })).status).toBe(200)
  await billing.quiet()
  expect(await given()).toEqual([-1_500, -200])
  expect(await balance('goodwill_credits')).toBe(before + 1_700)
  await billing.booksMatch()
})

test('money that nothing explains is listed and booked as what it was, once', { timeout: 60_000 }, async () => {
  const user = await billing.subscribed()
  const customer = await billing.customer(user)
  await billing.stripe.paymentIntents.create({ amount: 700, currency: 'usd', customer, payment_method: 'pm_card_visa', confirm: true })
  await billing.quiet()
  const [before, revenue] = [await balance('suspense'), await balance('subscription_revenue')]
  const list = async () => (await asStaff('staff-suspense')).body.rows as any[]
  const [row] = await list()
  expect(row).toMatchObject({ amount_cents: 700, user_id: user.id, kind: 'unknown_charge', cleared_as: null })
  const waits = async () => (await asStaff('staff-matters')).body.matters.map(({ subject }: { subject: string }) => subject)
  const payment = row.reference.slice('charge:'.length)
  expect(await waits()).toContain(payment)
  const clear = { entry_id: row.id, as: 'subscription_revenue' }
  const [one, two] = await Promise.all([asStaff('staff-clear-suspense', clear), asStaff('staff-clear-suspense', clear)])
  expect([one.status, two.status].toSorted()).toEqual([200, 409])
  expect([await balance('suspense'), await balance('subscription_revenue')]).toEqual([before + 700, revenue - 700])
  expect(await waits()).not.toContain(payment)
  const [cleared, known] = await list()
  expect(known).toMatchObject({ id: row.id, cleared_as: 'Booked as subscription revenue' })
  expect(await asStaff('staff-clear-suspense', { ...clear, entry_id: cleared.id })).toMatchObject({ status: 404 })
  expect(await asStaff('staff-suspense', { cursor: 'page-2' })).toMatchObject({
    status: 400,
    body: { message: 'This cursor is not from here.' },
  })
  expect((await list()).reduce((sum, { amount_cents }) => sum + amount_cents, 0)).toBe(0 - (await balance('suspense')))
})

test('a promotion code is made by a person, who stands in the log, and by no key', async () => {
  const asKey = { authorization: 'Bearer test-service-key-0123456789' }
  const code = { reason, code: 'NOBODYS', percent_off: 10, duration: 'once' }
  expect(await billing.call('staff-create-coupon', null, code, asKey)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  const { coupons } = (await asStaff('staff-coupons')).body
  expect(coupons.filter((coupon: { code: string }) => coupon.code === 'NOBODYS')).toEqual([])
})

test('a promotion code is taken at the payment page as often as it says, until staff end it', { timeout: 60_000 }, async () => {
  const code = { code: 'SPRING20', percent_off: 20, duration: 'once', most_uses: 2 }
  const { body: made } = await asStaff('staff-create-coupon', code)
  expect(made).toMatchObject({ code: 'SPRING20', percent_off: 20, used: 0, most_uses: 2, active: true })
  expect(await asStaff('staff-create-coupon', { ...code, percent_off: 30 })).toMatchObject({ status: 409 })
  expect(await asStaff('staff-create-coupon', { ...code, code: 'BOTH', amount_off_cents: 100 })).toMatchObject({ status: 400 })
  // Where nothing is taxed.
  const address = { country: 'US', postal_code: '97201' }
  const user = billing.user()
  const pay = async (promotion: string) => {
    const { url } = (await billing.call('create-checkout', user, { plan: 'basic' })).body
    const id = new URL(url).pathname.split('/').at(-1)
    return billing.control(`stripe/checkout/${id}/complete`, { card: GOOD_CARD, promotion, address })
  }
  await expect(pay('NOSUCH')).rejects.toThrow()
  await pay('spring20')
  await billing.becomes(user, { status: 'trialing' })
  await billing.advance(3.1, user)
  await billing.becomes(user, { status: 'active' })
  await vi.waitFor(async () => expect(await paidBy(user)).toEqual([3_920]), within)
  const [listed] = (await asStaff('staff-coupons')).body.coupons
  expect(listed).toMatchObject({ id: made.id, used: 1 })
  expect((await asStaff('staff-end-coupon', { id: made.id })).body).toMatchObject({ active: false })
  const late = billing.user()
  const { url } = (await billing.call('create-checkout', late, { plan: 'basic' })).body
  await expect(
    billing.control(`stripe/checkout/${new URL(url).pathname.split('/').at(-1)}/complete`, {
      card: GOOD_CARD,
      promotion: 'SPRING20',
      address,
    }),
  ).rejects.toThrow()
  await billing.booksMatch()
})

test('a year takes a code that staff made for it, once, and no other, nor one beside an invitation', { timeout: 60_000 }, async () => {
  const make = (code: string, more: object = {}) => asStaff('staff-create-coupon', { code, percent_off: 50, duration: 'once', ...more })
  expect(await make('YEAR50', { yearly: true, most_uses: 1 })).toMatchObject({ status: 200, body: { yearly: true } })
  expect((await make('MONTHS50')).body).toMatchObject({ yearly: false })
  expect(await make('ALWAYS', { duration: 'forever', yearly: true })).toMatchObject({ status: 400 })
  const [user, late] = [billing.user(), billing.user()]
  const year = (who: TestUser, promotion_code: string, more: object = {}) =>
    billing.call('create-checkout', who, { plan: 'basic', period: 'year', promotion_code, ...more })
  const refused = { status: 409, body: { code: 'promotion_refused' } }
  expect(await year(user, 'MONTHS50')).toMatchObject(refused)
  expect(await year(user, 'NOSUCH')).toMatchObject(refused)
  const { code: invitation } = (await billing.call('referral-summary', late)).body
  expect(await year(billing.user(), 'YEAR50', { referral_code: invitation })).toMatchObject({ body: { code: 'promotion_beside_referral' } })

  const { url } = (await year(user, 'year50')).body
  expect((await year(user, 'YEAR50')).body.url).toBe(url)
  const address = { country: 'US', postal_code: '97201' }
  await billing.control(`stripe/checkout/${new URL(url).pathname.split('/').at(-1)}/complete`, { card: GOOD_CARD, address })
  await billing.becomes(user, { status: 'trialing' })
  await billing.advance(3.1, user)
  await billing.becomes(user, { status: 'active' })
  await vi.waitFor(async () => expect(await paidBy(user)).toEqual([23_400]), within)
  // A higher plan gives back what was paid for the year, and not its price.
  const { amount_due_cents: due } = (await billing.call('preview-switch', user, { plan: 'enterprise', period: 'year' })).body
  expect(due).toBeGreaterThan(142_800 - 23_400 - 1_000)
  expect(due).toBeLessThanOrEqual(142_800)
  expect(await year(late, 'YEAR50')).toMatchObject(refused)
  await billing.booksMatch()
})

test('each figure is the sum of the accounts that its rows name', { timeout: 60_000 }, async () => {
  const paying = await billing.subscribed('pro')
  await billing.advance(3.1, paying)
  await billing.becomes(paying, { status: 'active' })
  await billing.subscribed()
  await billing.quiet()
  const { body } = await asStaff('staff-figures')
  const rows = async (figure: string) => (await asStaff('staff-figure-rows', { figure })).body.rows as any[]
  const sum = (each: { amount_cents: number }[]) => each.reduce((all, { amount_cents }) => all + amount_cents, 0)
  const mrr = await rows('mrr')
  expect(mrr).toContainEqual(expect.objectContaining({ user_id: paying.id, plan: 'pro', amount_cents: 9_900 }))
  expect([mrr.length, sum(mrr)]).toEqual([body.mrr.reduce((all: number, { accounts }: any) => all + accounts, 0), sum(body.mrr)])
  expect(await rows('trials')).toHaveLength(body.trials)
  expect(await rows('churned')).toHaveLength(body.churn.ended)
  expect(await rows('converted')).toHaveLength(body.conversion.converted)
  expect(await rows('not_converted')).toHaveLength(body.conversion.of - body.conversion.converted)
  // The one of the first test that ended in its trial has never paid: it is no churn, and its trial did not convert.
  expect((await rows('not_converted')).length).toBeGreaterThan(0)
  expect(body.churn.ended).toBe(0)
  expect(await asStaff('staff-figure-rows', { figure: 'mrr', cursor: 'x' })).toMatchObject({ status: 400 })

  // Whatever changed is counted once, also by two at a time, and the counts say what the accounts say.
  await billing.db.updateTable('subscriptions').set({ status: 'canceled' }).where('user_id', '=', paying.id).execute()
  await Promise.all([sumFigures(billing.db), sumFigures(billing.db), asStaff('staff-figures')])
  const after = (await asStaff('staff-figures')).body
  expect([after.churn.ended, sum(after.mrr)]).toEqual([1, sum(body.mrr) - 9_900])
  expect(await rows('churned')).toEqual([expect.objectContaining({ user_id: paying.id, status: 'canceled' })])
  await billing.db
    .updateTable('subscriptions')
    .set({ updated_at: sql`now() - interval '40 days'` })
    .where('user_id', '=', paying.id)
    .execute()
  expect((await asStaff('staff-figures')).body.churn.ended).toBe(0)
  const counts = await sql`select figure, plan, period, day, accounts from figure_counts order by 1, 2, 3, 4`.execute(billing.db)
  const accounts = await sql`
    select figure, plan, period, day, count(*)::int as accounts from account_figures group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(
    billing.db,
  )
  expect(counts.rows).toEqual(accounts.rows)
})
