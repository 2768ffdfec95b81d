import { day, html, type Markup, money, page } from '../core/page.ts'
import { form, json, parseJson, type Route, redirect, route, type WireReply, type WireRequest } from '../core/wire.ts'
import type { Bank, Obj } from './bank.ts'
import { cards } from './cards.ts'
import { completeSession, type Filled, successUrl } from './checkout.ts'
import { StripeError } from './errors.ts'

/** In the fields of the page when it opens: a place whose rate is nothing. */
const PRESET = { country: 'US', postal_code: '97201' }
const strip = 'Standing in for Stripe. No money moves; only test cards are taken.'

/** The hosted checkout: a form, the confirm step of 3-D Secure, and the way back to the shop. */
export function checkoutPages(bank: Bank): Route[] {
  const withSession = (run: (session: Obj, request: WireRequest) => WireReply) => (request: WireRequest) => {
    const session = bank.t.checkout_sessions.get(request.params.id!)
    return session ? bank.state.together(() => run(session, request)) : gone('This checkout does not exist.')
  }

  function show(session: Obj): WireReply {
    if (session.status === 'complete') return redirect(successUrl(session))
    return session.status === 'open'
      ? formPage(session, {})
      : gone('This checkout has expired. Start again from the shop.', session.cancel_url)
  }

  function submit(session: Obj, request: WireRequest): WireReply {
    const fields = form(request)
    const filled: Filled = {
      email: fields.get('email'),
      name: fields.get('name'),
      number: fields.get('number'),
      promotion: fields.get('promotion'),
      address: fields.has('country')
        ? { country: fields.get('country'), postal_code: fields.get('postal_code'), state: fields.get('state') }
        : session.automatic_tax.enabled
          ? PRESET
          : null,
      ...(fields.get('tax_id') && { tax_id: { type: 'eu_vat', value: fields.get('tax_id')! } }),
    }
    try {
      const { session: after, state } = completeSession(bank, session, filled)
      return redirect(state === 'complete' ? successUrl(after) : `/sandbox/stripe/checkout/${session.id}/authenticate`)
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return formPage(bank.find('checkout_sessions', session.id), filled, error.message)
    }
  }

  function authenticate(session: Obj, request: WireRequest): WireReply {
    if (form(request).get('result') !== 'complete')
      return formPage(
        session,
        session._filled ?? {},
        'We are unable to authenticate your payment method. Choose a different one and try again.',
      )
    try {
      return redirect(successUrl(completeSession(bank, session, { ...session._filled, authenticated: true }).session))
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return formPage(bank.find('checkout_sessions', session.id), session._filled ?? {}, error.message)
    }
  }

  /** The same button for tests and load runs: JSON in, where the person would be sent out. */
  function complete(session: Obj, request: WireRequest): WireReply {
    const {
      card = '4242424242424242',
      email = 'buyer@example.com',
      name = 'Test Buyer',
      promotion,
      authenticate: passes = true,
      address,
      tax_id,
    } = parseJson(request)
    try {
      const { session: after } = completeSession(bank, session, {
        number: String(card),
        email,
        name,
        promotion,
        authenticated: passes,
        address,
        tax_id,
      })
      return json({
        status: after.status,
        redirect: after.status === 'complete' ? successUrl(after) : null,
        session: after.id,
        subscription: after.subscription,
        payment_intent: after.payment_intent,
      })
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return json(error.body, error.status)
    }
  }

  function receipt({ params }: WireRequest): WireReply {
    const charge = bank.t.charges.get(params.id!)
    if (!charge) return gone('There is no such receipt.')
    return page({
      title: 'Receipt',
      layout: 'narrow',
      strip,
      body: html`<h1>Receipt</h1><p class="total">${money(charge.amount, charge.currency)}</p><p class="muted">${charge.description ?? 'Payment'}, ${day(charge.created)}, card ending in ${charge.payment_method_details.card.last4}</p><p class="faint mono">${charge.id}</p>`,
    })
  }

  return [
    route('GET', '/sandbox/stripe/checkout/:id', withSession(show)),
    route('POST', '/sandbox/stripe/checkout/:id', withSession(submit)),
    route(
      'GET',
      '/sandbox/stripe/checkout/:id/authenticate',
      withSession((session) => (session.status === 'open' ? authenticatePage(session) : show(session))),
    ),
    route('POST', '/sandbox/stripe/checkout/:id/authenticate', withSession(authenticate)),
    route('POST', '/sandbox/api/stripe/checkout/:id/complete', withSession(complete)),
    route('GET', '/sandbox/stripe/receipt/:id', receipt),
  ]
}

function formPage(session: Obj, filled: Filled, problem?: string): WireReply {
  const trialDays = session._subscription_data.trial_period_days
  const button =
    session.mode === 'setup'
      ? 'Save card'
      : trialDays
        ? 'Start trial'
        : session.mode === 'subscription'
          ? 'Subscribe'
          : `Pay ${money(session.amount_total, session.currency)}`
  const needsCard = session.amount_total > 0 || session.payment_method_collection === 'always' || session.mode === 'setup'
  const aside = html`${session.cancel_url ? html`<p><a class="muted" href="${session.cancel_url}">Back to the shop</a></p>` : ''}
<h1>${session.mode === 'setup' ? 'Save a card' : session._line_items.map((item: Obj) => item.description).join(', ')}</h1>
${session.mode === 'setup' ? html`<p class="muted">It is kept for later. Nothing is charged now.</p>` : summary(session, trialDays)}`
  return page({
    title: 'Checkout',
    layout: 'pair',
    script: true,
    strip,
    leadsTo: [session.success_url, session.cancel_url],
    status: problem ? 402 : 200,
    body: html`<section class="bought">${aside}</section>
<section class="paid">${problem ? html`<div class="alert" role="alert">${problem}</div>` : ''}
<form method="post" action="/sandbox/stripe/checkout/${session.id}">
<label for="email">Email</label><input id="email" name="email" type="email" required value="${filled.email ?? session.customer_details?.email ?? ''}" autocomplete="off">
${needsCard ? cardFields(filled) : ''}
<label for="name">Name on the card</label><input id="name" name="name" value="${filled.name ?? 'Test Person'}" autocomplete="off">
${session.allow_promotion_codes ? html`<label for="promotion">Promotion code</label><input id="promotion" name="promotion" value="${filled.promotion ?? ''}" autocomplete="off">` : ''}
${taxFields(session, filled)}<button class="main wide-button">${button}</button></form>
${needsCard ? testCards() : ''}</section>`,
  })
}

/** Asked where the tax depends on them. */
const taxFields = (session: Obj, { address, tax_id }: Filled): Markup | string => {
  const known = address ?? session.customer_details?.address
  const place = session.automatic_tax.enabled
    ? html`<div class="two"><div><label for="country">Country (two letters)</label><input id="country" name="country" required maxlength="2" value="${known?.country ?? PRESET.country}" autocomplete="off"></div><div><label for="postal_code">Postal code</label><input id="postal_code" name="postal_code" value="${known?.postal_code ?? PRESET.postal_code}" autocomplete="off"></div></div>`
    : ''
  const number = session.tax_id_collection?.enabled
    ? html`<label for="tax_id">VAT number, when buying for a business</label><input id="tax_id" name="tax_id" value="${tax_id?.value ?? ''}" autocomplete="off">`
    : ''
  return html`${place}${number}`
}

/** The order, the amount due today, and later charges. */
function summary(session: Obj, trialDays: string | undefined): Markup {
  const { currency, _line_items: items, _later: first } = session
  const every = items[0]?.price.recurring ? ` per ${items[0].price.recurring.interval}` : ''
  const whole = items.reduce((sum: number, item: Obj) => sum + item.amount_subtotal, 0)
  const row = (label: Markup | string, amount: number) => html`<tr><td>${label}</td><td class="num">${money(amount, currency)}</td></tr>`
  return html`<p class="total">${money(session.amount_total, currency)}<span class="faint"> due today</span></p>
<table><tbody>${items.map((item: Obj) => row(html`${item.quantity > 1 ? html`${item.quantity} × ` : ''}${item.description}<span class="faint">${every}</span>`, item.amount_subtotal))}
${session.total_details.amount_tax > 0 ? row(html`<span class="muted">Tax</span>`, session.total_details.amount_tax) : ''}
${session.automatic_tax.status === 'requires_location_inputs' ? html`<tr><td class="muted">Tax</td><td class="faint">Added for your address</td></tr>` : ''}
${first < whole ? row(html`<span class="muted">${every ? `Off the first ${items[0].price.recurring.interval}` : 'Discount'}</span>`, first - whole) : ''}</tbody></table>
${trialDays ? html`<p class="muted">${trialDays} days free, then ${money(first, currency)}${first < whole ? html` for the first ${items[0].price.recurring.interval} and ${money(whole, currency)}${every} after it` : every}. Cancel before and nothing is charged.</p>` : ''}`
}

export const cardFields = (
  filled: Filled,
) => html`<label for="number">Card number</label><input id="number" name="number" inputmode="numeric" required autocomplete="off" placeholder="4242 4242 4242 4242" value="${filled.number ?? ''}">
<div class="two"><div><label for="expiry">Expires</label><input id="expiry" name="expiry" value="12 / 34" autocomplete="off"></div><div><label for="cvc">CVC</label><input id="cvc" name="cvc" value="123" autocomplete="off"></div></div>`

export const testCards = () =>
  html`<details><summary>Test cards</summary><table><tbody>${cards
    .filter((card) => card.label)
    .map(
      (card) =>
        html`<tr><td><span class="mono card">${card.number.replace(/(.{4})(?=.)/g, '$1 ')}</span><span class="muted">${card.label}</span></td><td class="num"><button type="button" data-card="${card.number}">Use</button></td></tr>`,
    )}</tbody></table></details>`

function authenticatePage(session: Obj): WireReply {
  return page({
    title: '3-D Secure',
    layout: 'narrow',
    strip,
    leadsTo: [session.success_url],
    body: html`<div class="panel bank"><p class="faint">3-D Secure</p><h1>Your bank asks you to confirm</h1>
<table><tbody><tr><td class="muted">Card</td><td class="num">•••• ${String(session._filled?.number ?? '')
      .replace(/\D/g, '')
      .slice(-4)}</td></tr>
<tr><td class="muted">Due today</td><td class="num">${money(session.amount_total, session.currency)}</td></tr>
${session._trial ? html`<tr><td class="muted">After the trial</td><td class="num">${money(session._later, session.currency)}</td></tr>` : ''}</tbody></table>
<form method="post" class="row"><button class="main" name="result" value="complete">Complete authentication</button><button name="result" value="fail">Fail authentication</button></form></div>`,
  })
}

export function gone(text: string, back?: string | null): WireReply {
  return page({
    title: 'Not available',
    status: 404,
    layout: 'narrow',
    strip,
    body: html`<h1>${text}</h1>${back ? html`<p><a href="${back}">Back to the shop</a></p>` : ''}`,
  })
}
