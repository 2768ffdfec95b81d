import { afterAll, expect, test } from 'vitest'
import { startBilling, type TestBilling } from '../fixture.ts'

/** On a machine that is busy with other things as well. */
const AT_ONCE_MS = 1500
const billing = await startBilling()
afterAll(() => billing.close())

test('a provider that hangs is left alone after three seconds: whoever asks then, again or anew, is told at once [R13] [spec-42] [spec-43]', {
  timeout: 30_000,
}, async () => {
  const known = billing.user()
  expect((await billing.call('create-checkout', known, { plan: 'basic' })).status).toBe(200)
  const people = Array.from({ length: 5 }, () => billing.user())
  await billing.order({ kind: 'hung', match: '/v1/', times: 0 })
  const first = people.map((person) => billing.call('create-checkout', person, { plan: 'pro' }))
  await expect
    .poll(() => askedWithin(AT_ONCE_MS, 'create-checkout', billing.user(), { plan: 'pro' }), { timeout: 6000, interval: 100 })
    .toMatchObject({ status: 503, body: { message: 'Failed to create checkout session' } })
  // Also those whose first call still hangs: they do not join it.
  for (const person of people)
    expect(await askedWithin(AT_ONCE_MS, 'create-checkout', person, { plan: 'pro' })).toMatchObject({
      status: 503,
      body: { message: 'Failed to create checkout session' },
    })
  expect(await askedWithin(AT_ONCE_MS, 'customer-portal', known)).toMatchObject({
    status: 503,
    body: { message: 'Unable to access billing portal' },
  })
  expect(await askedWithin(AT_ONCE_MS, 'check-subscription', known)).toMatchObject({ status: 200 })

  await billing.mend()
  // A request that hung is tried again under its key: one customer and one page a person.
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual(people.map(() => 200))
  for (const person of people)
    expect((await billing.stripe.checkout.sessions.list({ customer: await billing.customer(person) })).data).toHaveLength(1)
})

/** Null when no answer has come by then. A call that hangs with the provider takes its ten seconds. */
function askedWithin(ms: number, ...[name, user, body]: Parameters<TestBilling['call']>) {
  return Promise.race([billing.call(name, user, body), new Promise<null>((resolve) => setTimeout(resolve, ms, null))])
}
