import { budgetThreshold, trialEnding, trialRefused, usageThreshold } from '@operon/contracts/billing/events'
import { paymentDisputed, paymentFailed, paymentSucceeded } from '@operon/contracts/billing/payment-events'
import { saleDisputeClosed, saleDisputed, saleRefunded } from '@operon/contracts/billing/selling-events'
import { userCreated, userDeleted, userUpdated } from '@operon/contracts/identity/events'
import { newId } from '@operon/kit/ids'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

type Mail = { subject: string; to: string[]; links: string[]; text: string }
const platform = await startTestPlatform([crmService, sandboxService])
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

const person = (email: string, version: number) => ({ email, name: 'Ann', role: null, referral_code: null, version })
const mails = async (to: string): Promise<Mail[]> =>
  ((await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as any).messages
const subjects = async (to: string) => (await mails(to)).map(({ subject }) => subject).sort()

test('the end of a trial, a refused one, a failed or disputed payment and a used-up limit are each told by one short mail with one link [spec-38] [spec-39]', {
  timeout: 30_000,
}, async () => {
  const { id } = platform.user()
  const [now, before] = [`${id}@new.example`, `${id}@old.example`]
  const trial = { plan: 'pro' as const, trial_end: '2096-11-24T10:00:00.000Z', amount_cents: 6930, price_cents: 9900, currency: 'usd' }
  // The mail waits for the account to be known: events come in any order.
  const first = await platform.emit(trialEnding, id, trial)
  await platform.emit(userUpdated, id, person(now, 2))
  // An email goes to the address known by then, so the newer one has to be known before the older one comes.
  const known = () => db.selectFrom('people').select('email').where('user_id', '=', id).execute()
  await expect.poll(known).toEqual([{ email: now }])
  await platform.emit(userCreated, id, person(before, 1))
  await platform.emit(trialEnding, id, trial, first)
  // One that comes when the trial is over would only confuse.
  await platform.emit(trialEnding, id, { ...trial, plan: 'basic', trial_end: '2026-01-01T10:00:00.000Z' })
  await platform.emit(paymentFailed, id, { payment: 'ch_1', amount_cents: 9950, currency: 'usd' })
  await platform.emit(paymentDisputed, id, { payment: 'ch_1', amount_cents: 9950, currency: 'usd' })
  await platform.emit(trialRefused, id, { plan: 'pro' })
  const paid = { payment: 'ch_2', amount_cents: 9900, currency: 'usd' }
  await platform.emit(paymentSucceeded, id, paid)
  // Its purchase has an email of its own.
  await platform.emit(paymentSucceeded, id, { ...paid, amount_cents: 1900, top_up: true })
  await platform.emit(usageThreshold, id, { unit: 'prompts', percent: 80, used: 2400, limit: 3000 })
  await platform.emit(usageThreshold, id, { unit: 'prompts', percent: 100, used: 3000, limit: 3000 })
  await platform.emit(budgetThreshold, id, { unit: 'prompts', percent: 80, used_microusd: 9_600_000, budget_microusd: 12_000_000 })
  await expect
    .poll(() => subjects(now), { timeout: 20_000 })
    .toEqual([
      '80% of your Operon AI prompts are used',
      '80% of your Operon model budget is used',
      'Your Operon AI prompts are used up',
      'Your Operon payment did not go through',
      'Your Operon payment of $99.00',
      'Your Operon plan did not start',
      'Your Operon trial ends on November 24, 2096',
      'Your bank disputes a payment to Operon',
    ])
  expect(await mails(before)).toEqual([])
  const sent = await mails(now)
  const textOf = (part: string) => sent.find(({ subject }) => subject.includes(part))!.text
  expect(textOf('trial')).toContain('On November 24, 2096 Pro begins and $69.30 is charged, then $99.00 every month.')
  expect(textOf('payment did not')).toContain('We could not collect $99.50.')
  expect(textOf('disputes')).toContain('The plan that it paid for is paused, and nothing more is charged for it until then.')
  expect(textOf('did not start')).toContain('your Pro plan did not start, and nothing was charged.')
  expect(textOf('80% of your Operon AI prompts')).toContain('2,400 of 3,000 AI prompts are used in this period.')
  expect(textOf('model budget')).toContain('$9.60 of your $12.00 model budget is used in this period.')
  for (const mail of sent) expect(mail.links.filter((link) => link.endsWith('/pricing'))).toHaveLength(1)
})

test('a buyer reads by email of a refund and of a dispute, with an account or without one, and not once they are erased', {
  timeout: 30_000,
}, async () => {
  const [seller, guest] = [platform.user(), `${newId()}@guest.example`]
  const sold = { version: 1, sale_id: newId(), kind: 'product' as const, reference: newId(), seller_id: seller.id, currency: 'usd' }
  const sale = { ...sold, buyer_id: null, email: guest, title: 'Lead qualification', amount_cents: 4900 }
  await platform.emit(userUpdated, seller.id, person(`${seller.id}@seller.example`, 1))
  const gone = platform.user()
  await platform.emit(userDeleted, gone.id, { version: 2 })
  await expect.poll(() => db.selectFrom('erased_people').select('user_id').where('user_id', '=', gone.id).execute()).toHaveLength(1)
  const theirs = { ...sale, buyer_id: gone.id, email: `${gone.id}@guest.example` }
  await platform.emit(saleRefunded, seller.id, { ...theirs, refunded_cents: 4900, returned_cents: 4900 })
  const part = { ...sale, refunded_cents: 1000, returned_cents: 1000 }
  const event = await platform.emit(saleRefunded, seller.id, part)
  await platform.emit(saleRefunded, seller.id, part, event)
  // Of a sale that came without an address, and from the version before, which names none.
  await platform.emit(saleRefunded, seller.id, { ...part, email: null })
  await platform.emit(saleRefunded, seller.id, { ...part, email: undefined })
  const dispute = { ...sale, refunded_cents: 0, dispute: 'dp_1', disputed_cents: 4900, reason: 'fraudulent' }
  await platform.emit(saleDisputed, seller.id, { ...dispute, evidence_due_at: null })
  await platform.emit(saleDisputeClosed, seller.id, { ...dispute, outcome: 'lost' })
  await expect
    .poll(() => subjects(guest), { timeout: 20_000 })
    .toEqual([
      'Your bank decided about your payment for Lead qualification',
      'Your bank disputes your payment for Lead qualification',
      'Your refund of $10.00 is on its way',
    ])
  const [refund] = (await mails(guest)).filter(({ subject }) => subject.includes('refund'))
  expect(refund!.text).toContain('Part of your payment of $49.00 for Lead qualification was refunded')
  expect(refund!.text).toContain('You keep what you bought.')
  await expect.poll(() => subjects(`${seller.id}@seller.example`), { timeout: 20_000 }).toHaveLength(6)
  expect(await mails(theirs.email)).toEqual([])
})

test('who has been deleted gets no mail', async () => {
  const { id } = platform.user()
  const address = `${id}@studio.example`
  await platform.emit(userCreated, id, person(address, 1))
  await platform.emit(userDeleted, id, { version: 2 })
  const erased = () => db.selectFrom('erased_people').select('user_id').where('user_id', '=', id).execute()
  await expect.poll(erased).toHaveLength(1)
  const event = await platform.emit(paymentFailed, id, { payment: 'ch_2', amount_cents: 100, currency: 'usd' }, newId())
  await expect
    .poll(async () => (await db.selectFrom('inbox').select('done_at').where('event_id', '=', event).executeTakeFirst())?.done_at)
    .toBeTruthy()
  await expect
    .poll(async () => (await db.selectFrom('outbox').select('id').where('kind', '=', 'job').where('sent_at', 'is', null).execute()).length)
    .toBe(0)
  expect(await db.selectFrom('people').select('user_id').where('user_id', '=', id).execute()).toEqual([])
  expect(await mails(address)).toEqual([])
})
