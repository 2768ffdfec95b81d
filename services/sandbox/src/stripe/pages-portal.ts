import { day, html, type Markup, money, page } from '../core/page.ts'
import { form, type Route, redirect, route, type WireReply, type WireRequest } from '../core/wire.ts'
import type { Bank, Obj } from './bank.ts'
import { StripeError } from './errors.ts'
import { cardFields, gone, testCards } from './pages-checkout.ts'
import { liveSubscription, maySwitch, offers, portalAction } from './portal.ts'

const strip = 'Standing in for Stripe. No money moves; only test cards are taken.'

/** The customer portal and the hosted invoice. */
export function portalPages(bank: Bank): Route[] {
  function show({ params, query }: WireRequest): WireReply {
    const session = bank.t.portal_sessions.get(params.id!)
    return session ? portalPage(bank, session, { done: query.get('done') ?? '' }) : gone('This link to the portal has expired.')
  }

  function act(request: WireRequest): WireReply {
    const session = bank.t.portal_sessions.get(request.params.id!)
    if (!session) return gone('This link to the portal has expired.')
    const fields = form(request)
    try {
      const done = bank.state.together(() => portalAction(bank, session, fields.get('action') ?? '', fields))
      return redirect(`/sandbox/stripe/portal/${session.id}?done=${encodeURIComponent(done)}`)
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return portalPage(bank, session, { problem: error.message })
    }
  }

  return [route('GET', '/sandbox/stripe/portal/:id', show), route('POST', '/sandbox/stripe/portal/:id', act)]
}

function portalPage(bank: Bank, session: Obj, { done, problem }: { done?: string; problem?: string }): WireReply {
  const customer = bank.find('customers', session.customer)
  const subscription = liveSubscription(bank, customer.id)
  const methodId = subscription?.default_payment_method ?? customer.invoice_settings.default_payment_method
  const method = methodId ? bank.t.payment_methods.get(methodId) : undefined
  const invoices = bank.t.invoices.newest().filter((each) => each.customer === customer.id)
  const action = (name: string, label: string, body: Markup | string = '', main = false) =>
    html`<form method="post" action="/sandbox/stripe/portal/${session.id}"><input type="hidden" name="action" value="${name}">${body}<button class="${main ? 'main' : ''}">${label}</button></form>`
  return page({
    title: 'Billing',
    script: true,
    strip,
    status: problem ? 402 : 200,
    leadsTo: [session.return_url],
    body: html`<div class="head"><div><h1>Billing</h1><p class="muted">${customer.name || customer.email || customer.id}</p></div>${session.return_url ? html`<a class="button" href="${session.return_url}">Return</a>` : ''}</div>
${problem ? html`<div class="alert" role="alert">${problem}</div>` : ''}${done ? html`<p class="pill good" role="status">${done}</p>` : ''}
<h2>Current plan</h2>${subscription ? planPanel(bank, subscription, action) : html`<div class="panel"><p class="muted">There is no subscription.</p></div>`}
${subscription && maySwitch(bank, session) ? switchPanel(bank, subscription, action) : ''}
<h2>Payment method</h2><div class="panel"><p>${method ? `${brands[method.card.brand] ?? method.card.brand} ending in ${method.card.last4}, valid until ${method.card.exp_month}/${method.card.exp_year}` : 'No card yet.'}</p><details><summary>Change the card</summary>${action('card', 'Save card', cardFields({}), true)}${testCards()}</details></div>
<h2>Invoices</h2><table><thead><tr><th>Date</th><th>Number</th><th>Status</th><th class="num">Amount</th></tr></thead><tbody>${invoices.map(
      (invoice) =>
        html`<tr><td>${day(invoice.created)}</td><td class="whole"><a href="/sandbox/stripe/invoice/${invoice.id}">${invoice.number ?? invoice.id}</a></td><td>${invoice.status === 'open' ? action('pay', 'Pay now', html`<input type="hidden" name="invoice" value="${invoice.id}">`, true) : pill(invoice.status)}</td><td class="num">${money(invoice.amount_due, invoice.currency)}</td></tr>`,
    )}</tbody></table>`,
  })
}

const brands: Record<string, string> = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express' }

type Action = (name: string, label: string, body?: Markup | string, main?: boolean) => Markup

function planPanel(bank: Bank, subscription: Obj, action: Action): Markup {
  const [item] = subscription.items.data
  const when = subscription.cancel_at
    ? `Ends on ${day(subscription.cancel_at)}`
    : subscription.status === 'trialing'
      ? `Trial until ${day(subscription.trial_end)}`
      : `Renews on ${day(item.current_period_end)}`
  return html`<div class="panel row between"><div><p><strong>${bank.t.products.get(item.price.product)?.name}</strong> ${pill(subscription.status)}</p><p class="muted">${money(item.price.unit_amount * item.quantity, item.price.currency)} per ${item.price.recurring.interval}. ${when}.</p></div>
${subscription.cancel_at_period_end ? action('resume', 'Keep the subscription', '', true) : action('cancel', 'Cancel the subscription')}</div>`
}

function switchPanel(bank: Bank, subscription: Obj, action: Action): Markup {
  const current = subscription.items.data[0].price.id
  const others = offers(bank).filter((price) => price.id !== current)
  if (others.length === 0) return html``
  return html`<h2>Other plans</h2><div class="panel"><table><tbody>${others.map(
    (price) =>
      html`<tr><td class="whole">${bank.t.products.get(price.product)?.name}</td><td class="muted">${money(price.unit_amount, price.currency)} per ${price.recurring.interval}</td><td class="num">${action('switch', 'Switch', html`<input type="hidden" name="price" value="${price.id}">`)}</td></tr>`,
  )}</tbody></table></div>`
}

const good = ['active', 'trialing', 'paid', 'succeeded']
export const pill = (status: string) =>
  html`<span class="pill ${good.includes(status) ? 'good' : ['canceled', 'void'].includes(status) ? '' : 'warn'}">${status.replaceAll('_', ' ')}</span>`
