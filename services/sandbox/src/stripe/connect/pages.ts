import { html, page } from '../../core/page.ts'
import { form, type Route, redirect, route, type WireReply, type WireRequest } from '../../core/wire.ts'
import type { Bank, Obj } from '../bank.ts'
import { StripeError } from '../errors.ts'
import { availableOf, currenciesOf, wholeOf } from '../movements.ts'
import { gone } from '../pages-checkout.ts'
import { pill } from '../pages-portal.ts'
import { banks, demandTestNumber, setBank } from './banks.ts'
import { change, type Outcome, outcomes, requirementsOf, submitted } from './requirements.ts'

const strip = 'Standing in for Stripe. Nobody is checked, and no money moves.'
type WithAccount = (link: Obj, account: Obj, request: WireRequest) => WireReply

/** The seller's pages at Stripe: the hosted onboarding, whose link opens once and for five minutes, and their own dashboard. */
export function connectPages(bank: Bank): Route[] {
  const withLink = (run: WithAccount) => (request: WireRequest) => {
    const link = bank.t.account_links.get(request.params.id!)
    const account = link && bank.t.accounts.get(link._account)
    if (!link || !account || account.deleted) return gone('This link does not exist.')
    if (link.object === 'account_link' && (link._used || link.expires_at < bank.now())) return redirect(link._refresh_url)
    return bank.state.together(() => run(link, account, request))
  }

  function submit(link: Obj, account: Obj, request: WireRequest): WireReply {
    const fields = form(request)
    const outcome = (fields.get('outcome') ?? '') in outcomes ? (fields.get('outcome') as Outcome) : 'complete'
    return orAgain(
      () => {
        const number = demandTestNumber(fields.get('number') ?? '')
        submitted(bank, setBank(bank, account, number), outcome)
        bank.t.account_links.put({ ...link, _used: true })
        return redirect(link._return_url)
      },
      (problem) => onboarding(link, account, problem),
    )
  }

  /** Another bank lets payouts go on, where nothing but the bank was missing. */
  function changeBank(link: Obj, account: Obj, request: WireRequest): WireReply {
    return orAgain(
      () => {
        const after = setBank(bank, account, demandTestNumber(form(request).get('number') ?? ''))
        const { currently_due } = after.requirements
        if (currently_due.length === 1 && currently_due[0] === 'external_account')
          change(bank, after, { payouts_enabled: true, requirements: requirementsOf({}) })
        return redirect(`/sandbox/stripe/express/${link.id}`)
      },
      (problem) => dashboard(bank, account, problem),
    )
  }

  const at = '/sandbox/stripe'
  return [
    route(
      'GET',
      `${at}/onboarding/:id`,
      withLink((link, account) => onboarding(link, account)),
    ),
    route('POST', `${at}/onboarding/:id`, withLink(submit)),
    route(
      'GET',
      `${at}/express/:id`,
      withLink((_link, account) => dashboard(bank, account)),
    ),
    route('POST', `${at}/express/:id`, withLink(changeBank)),
  ]
}

function orAgain(act: () => WireReply, again: (problem: string) => WireReply): WireReply {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    return again(error.message)
  }
}

const alert = (problem?: string) => (problem ? html`<div class="alert" role="alert">${problem}</div>` : '')
const testNumbers = html`<details><summary>Test accounts</summary><table><tbody>${Object.entries(banks).map(([number, says]) => html`<tr><td class="mono">${number}</td><td class="muted">${says}</td></tr>`)}</tbody></table></details>`
const numberField = html`<label for="number">Bank account number</label><input id="number" name="number" inputmode="numeric" required autocomplete="off" value="000123456789">`

function onboarding(link: Obj, account: Obj, problem?: string): WireReply {
  return page({
    title: 'Get paid',
    layout: 'narrow',
    script: true,
    strip,
    leadsTo: [link._return_url, link._refresh_url],
    status: problem ? 402 : 200,
    body: html`<h1>Set up payouts</h1><p class="muted">For ${account.email ?? account.id}.</p>
${alert(problem)}
<form method="post" class="panel">${numberField}
<label for="outcome">What Stripe decides</label><select id="outcome" name="outcome">${Object.entries(outcomes).map(([value, label]) => html`<option value="${value}">${label}</option>`)}</select>
<button class="main wide-button">Submit</button></form>
${testNumbers}`,
  })
}

function dashboard(bank: Bank, account: Obj, problem?: string): WireReply {
  const money = (amount: number, currency: string) => `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`
  const payouts = bank.t.payouts.newest().filter((each) => each._account === account.id)
  const [target] = account.external_accounts.data as Obj[]
  return page({
    title: 'Payouts',
    layout: 'narrow',
    script: true,
    strip,
    status: problem ? 402 : 200,
    body: html`<h1>Your payouts</h1><p class="muted">${account.email ?? account.id}</p>
${alert(problem)}
<div class="panel">${currenciesOf(bank, account.id).map((currency) => {
      const available = availableOf(bank, account.id, currency)
      return html`<p>${money(available, currency)} available, ${money(wholeOf(bank, account.id, currency) - available, currency)} pending</p>`
    })}<p class="muted">${target ? `Paid to the account ending in ${target.last4}` : 'No bank account yet'}</p></div>
<form method="post" class="panel">${numberField}<button class="main wide-button">Change bank account</button></form>
${testNumbers}
<h2>Payouts</h2><table><tbody>${payouts.slice(0, 50).map((each) => html`<tr><td class="num">${money(each.amount, each.currency)}</td><td>${pill(each.status)}</td><td class="muted">${each.failure_message ?? ''}</td><td class="num faint">${new Date(each.created * 1000).toISOString().slice(0, 10)}</td></tr>`)}</tbody></table>`,
  })
}
