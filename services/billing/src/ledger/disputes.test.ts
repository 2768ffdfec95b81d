import { afterAll, expect, test, vi } from 'vitest'
import { startBilling } from '../fixture.ts'

const billing = await startBilling()
afterAll(() => billing.close())

const within = { timeout: 10_000, interval: 50 }
const GETS_DISPUTED = '4000000000000259'

/** A person whose first payment the bank has taken back. */
async function disputed() {
  const user = await billing.subscribed('pro', GETS_DISPUTED)
  await billing.advance(3.1)
  await billing.advance(0.1)
  await billing.becomes(user, { disputed: true, subscribed: false })
  const customer = await billing.customer(user)
  const charges = async () => (await billing.stripe.charges.list({ customer })).data
  const [dispute] = (await billing.stripe.disputes.list({ charge: (await charges())[0]!.id })).data
  const decide = (evidence: string) => billing.stripe.disputes.update(dispute!.id, { evidence: { uncategorized_text: evidence } })
  return { user, dispute: dispute!, charges, decide }
}

test('while a payment is disputed the plan is paused and nothing more is charged; won, it runs on [R5]', { timeout: 40_000 }, async () => {
  const { user, charges, decide } = await disputed()
  expect(await billing.published('billing.payment_disputed', user)).toMatchObject([{ amount_cents: 9900 }])
  expect((await billing.published('billing.subscription_changed', user)).at(-1)).toMatchObject({ tier: 'none', disputed: true })
  expect(await billing.call('switch-plan', user, { plan: 'enterprise' })).toMatchObject({ status: 409 })
  await billing.advance(31)
  expect(await charges()).toHaveLength(1)
  await decide('winning_evidence')
  await billing.becomes(user, { status: 'active', subscribed: true, subscription_tier: 'pro' })
  expect(await billing.published('billing.dispute_closed', user)).toMatchObject([{ outcome: 'won' }])
  await billing.advance(31)
  await vi.waitFor(async () => expect((await charges()).length).toBe(2), within)
  await billing.sweep()
  await billing.booksMatch()
})

test('a dispute that is lost ends the plan, and the card is not charged again [R5]', { timeout: 40_000 }, async () => {
  const { user, charges, decide } = await disputed()
  await decide('losing_evidence')
  await billing.becomes(user, { status: 'canceled', subscribed: false })
  expect(await billing.published('billing.dispute_closed', user)).toMatchObject([{ outcome: 'lost' }])
  expect(await billing.published('billing.plan_cancelled', user)).toEqual([])
  await billing.advance(31)
  expect(await charges()).toHaveLength(1)
  await billing.booksMatch()
})

test('staff see what waits for evidence, with its deadline, and leave a reason', async () => {
  const { user, dispute } = await disputed()
  const staff = billing.staff()
  const { body } = await billing.call('staff-disputes', staff, { reason: 'evidence of the week' })
  expect(body.disputes.find((each: { dispute: string }) => each.dispute === dispute.id)).toMatchObject({
    user_id: user.id,
    payment: dispute.charge,
    amount_cents: 9900,
    state: 'open',
    evidence_due_at: new Date(dispute.evidence_details.due_by! * 1000).toISOString(),
  })
  expect(await billing.call('staff-disputes', user, { reason: 'not staff' })).toMatchObject({ status: 403 })
  const logged = await billing.db.selectFrom('staff_actions').select('reason').where('staff_user_id', '=', staff.id).execute()
  expect(logged).toEqual([{ reason: 'evidence of the week' }])
})
