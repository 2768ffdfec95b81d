import { html, page } from '../../core/page.ts'
import { form, type Route, redirect, route, type WireReply, type WireRequest } from '../../core/wire.ts'
import type { Bank, Obj } from '../bank.ts'
import { StripeError } from '../errors.ts'
import { gone } from '../pages-checkout.ts'
import { banks, type Outcome, outcomes, submitDetails } from './accounts.ts'

const strip = 'Standing in for Stripe. Nobody is checked, and no money moves.'

/** The hosted onboarding of a seller: the bank, and how Stripe is to decide. A link opens once and for five minutes. */
export function onboardingPages(bank: Bank): Route[] {
  const withLink = (run: (link: Obj, account: Obj, request: WireRequest) => WireReply) => (request: WireRequest) => {
    const link = bank.t.account_links.get(request.params.id!)
    const account = link && bank.t.accounts.get(link._account)
    if (!link || !account || account.deleted) return gone('This link does not exist.')
    if (link._used || link.expires_at < bank.now()) return redirect(link._refresh_url)
    return bank.state.together(() => run(link, account, request))
  }

  function submit(link: Obj, account: Obj, request: WireRequest): WireReply {
    const fields = form(request)
    const outcome = (fields.get('outcome') ?? '') in outcomes ? (fields.get('outcome') as Outcome) : 'complete'
    try {
      submitDetails(bank, account, { outcome, number: fields.get('number') ?? '' })
    } catch (error) {
      if (!(error instanceof StripeError)) throw error
      return show(link, account, error.message)
    }
    bank.t.account_links.put({ ...link, _used: true })
    return redirect(link._return_url)
  }

  return [
    route(
      'GET',
      '/sandbox/stripe/onboarding/:id',
      withLink((link, account) => show(link, account)),
    ),
    route('POST', '/sandbox/stripe/onboarding/:id', withLink(submit)),
  ]
}

function show(link: Obj, account: Obj, problem?: string): WireReply {
  return page({
    title: 'Get paid',
    layout: 'narrow',
    script: true,
    strip,
    leadsTo: [link._return_url, link._refresh_url],
    status: problem ? 402 : 200,
    body: html`<h1>Set up payouts</h1><p class="muted">For ${account.email ?? account.id}.</p>
${problem ? html`<div class="alert" role="alert">${problem}</div>` : ''}
<form method="post" class="panel"><label for="number">Bank account number</label><input id="number" name="number" inputmode="numeric" required autocomplete="off" value="000123456789">
<label for="outcome">What Stripe decides</label><select id="outcome" name="outcome">${Object.entries(outcomes).map(([value, label]) => html`<option value="${value}">${label}</option>`)}</select>
<button class="main wide-button">Submit</button></form>
<details><summary>Test accounts</summary><table><tbody>${Object.entries(banks).map(([number, says]) => html`<tr><td class="mono">${number}</td><td class="muted">${says}</td></tr>`)}</tbody></table></details>`,
  })
}
