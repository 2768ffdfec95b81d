import { attackOrders } from './orders.ts'
import { pay, subscribed } from './people.ts'
import { attackSales } from './sales.ts'
import { attackTopUps } from './top-ups.ts'
import type { Actor, Answer, Attack } from './world.ts'

// S21: prices, quantities, currencies, discounts and trials are the server's to say.

export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const fn = (actor: Actor, name: string, body?: unknown) => world.call(actor, 'POST', `/functions/v1/${name}`, body)
  const expectRefused = async (what: string, answer: Promise<Answer>, statuses = [400, 401, 403, 404, 409]) => {
    tried++
    const { status, text } = await answer
    if (!statuses.includes(status)) findings.push(`${what}: ${status} ${text.slice(0, 120)}`)
  }

  // A code that is not good is left out of the checkout, and gives nobody a discount.
  const expectDropped = async (code: string, why: 'own' | 'unknown') => {
    tried++
    const { status, body, text } = await fn(buyer, 'create-checkout', { plan: 'basic', referral_code: code })
    const page = body?.url ? await world.call(await world.actor('anonymous'), 'GET', new URL(body.url).pathname) : null
    if (status !== 200 || body?.referral_dropped !== why || !page?.text.includes('49.00') || page.text.includes('34.30'))
      findings.push(`referral code ${JSON.stringify(code.slice(0, 20))}: ${status} ${text.slice(0, 120)}`)
  }

  const buyer = await world.fresh('seller')
  for (const plan of ['free', 'trial', 'none', 'BASIC', '', null, 0, ['basic'], { id: 'basic' }, 'price_1', '__proto__']) {
    await expectRefused(`plan ${JSON.stringify(plan)}`, fn(buyer, 'create-checkout', { plan }), [400])
  }

  // A field outside the contract changes nothing: the page asks what the plan costs.
  tried++
  const tampered = {
    plan: 'enterprise',
    price: 1,
    amount: 1,
    unit_amount: 1,
    priceId: 'price_1',
    quantity: -1,
    currency: 'jpy',
    trial_days: 365,
    coupon: 'free',
    discounts: [{ coupon: 'x' }],
    success_url: 'https://evil.example',
    customer: 'cus_other',
  }
  const { body: checkout } = await fn(buyer, 'create-checkout', tampered)
  const page = checkout?.url ? await world.call(await world.actor('anonymous'), 'GET', new URL(checkout.url).pathname) : null
  if (!page?.text.includes('149.00') || page.text.includes('evil.example'))
    findings.push(`a tampered checkout: ${page?.status} ${page?.text.slice(0, 200)}`)

  // Self-referral, by every spelling of one's own code, and codes that nobody has.
  const { body: summary } = await fn(buyer, 'referral-summary')
  const own = String(summary?.code)
  for (const code of [own, own.toLowerCase(), ` ${own} `]) {
    await expectDropped(code, 'own')
    tried++
    if ((await fn(buyer, 'validate-referral', { code })).body?.valid !== false)
      findings.push(`own code ${JSON.stringify(code)} is called valid`)
  }
  for (const code of ["' or 1=1 --", '%', '________', '00000000', 'x'.repeat(1500)]) await expectDropped(code, 'unknown')

  // A second trial: after one was begun and ended, by a new page of another plan, and by two pages at once.
  const twice = await world.fresh('seller')
  const pages = await Promise.all(['basic', 'pro', 'enterprise', 'basic'].map((plan) => fn(twice, 'create-checkout', { plan })))
  for (const { body } of pages) if (body?.url) await pay(world, body.url, twice.email)
  const first = await subscribed(world, twice)
  tried += pages.length
  const live = (await fn(twice, 'list-invoices')).body?.invoices?.length ?? 0
  if (!first) findings.push('none of four pages made a subscription')
  if (live > 1) findings.push(`four pages made ${live} subscriptions`)
  await expectRefused('a second checkout beside a subscription', fn(twice, 'create-checkout', { plan: 'basic' }), [409])

  // Others' money, and staff's powers.
  for (const [name, body] of [
    ['staff-refund', { payment: 'ch_x', reason: 'give it to me' }],
    ['staff-refund', { payment: 'ch_x', amount_cents: -100, reason: 'give it to me' }],
    ['staff-extend-trial', { user_id: buyer.id, days: 30, reason: 'give it to me' }],
    ['staff-account', { query: twice.email, reason: 'curious' }],
    ['staff-replay-event', { event_id: 'evt_x', reason: 'curious' }],
    ['ledger-balances', undefined],
  ] as const)
    await expectRefused(`${name} by a seller`, fn(buyer, name, body), [403])
  const staff = await world.actor('staff')
  for (const amount_cents of [-1, 0, 0.5, 1e300, '100', null])
    await expectRefused(
      `a refund of ${amount_cents}`,
      fn(staff, 'staff-refund', { payment: 'ch_x', amount_cents, reason: 'test' }),
      [400, 404],
    )
  const { money, files } = await attackOrders(world)
  const [sales, topUps] = [await attackSales(world), await attackTopUps(world)]
  return {
    tried: tried + money.tried + sales.tried + topUps.tried,
    findings: [...findings, ...money.findings, ...sales.findings, ...topUps.findings],
    beside: { S13: files },
  }
}
