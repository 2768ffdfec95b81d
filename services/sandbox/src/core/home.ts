import type { Inbox } from '../inbox/inbox.ts'
import type { Provider } from './faults.ts'
import { html, page } from './page.ts'
import { type Route, route } from './wire.ts'

const about: Record<Provider, string> = {
  stripe: 'Payments: checkout, portal, subscriptions, invoices, signed webhooks and a clock that can be moved',
  openai: "Models in OpenAI's wire format, under /openai, /anthropic, /google and /perplexity",
  smtp: 'Mail, kept in the inbox',
  sms: "Text messages on Twilio's wire, kept in the inbox",
  oauth: 'Sign-in with Google, Facebook, GitHub and Microsoft',
  rdap: 'Domain registry look-ups',
  apps: 'The apps of the App Library, each under the host names of its vendor',
}

export function homePage({ addresses, inbox }: { addresses: Record<Provider, string>; inbox: Inbox }): Route {
  return route('GET', '/sandbox', () =>
    page({
      title: 'Overview',
      body: html`<h1>Sandbox</h1><p class="muted">A provider without a key is played by this service. It speaks the provider's own protocol, so that the product cannot tell the difference.</p>
<table><thead><tr><th>Stands in for</th><th>What it does</th></tr></thead><tbody>${Object.entries(addresses).map(
        ([provider, address]) =>
          html`<tr><td class="whole">${provider}</td><td class="muted">${about[provider as Provider]}<div class="mono faint">${address}</div></td></tr>`,
      )}</tbody></table>
<h2>Pages</h2><ul class="plain"><li><a href="/sandbox/inbox">Inbox</a> <span class="faint">${counted(inbox.list({ limit: 5000 }).length)}</span></li><li><a href="/sandbox/stripe">Stripe: clock, webhooks, events</a></li><li><a href="/sandbox/apps">Connected apps: cut one, expire its tokens</a></li></ul>`,
    }),
  )
}

const counted = (messages: number) => `${messages} ${messages === 1 ? 'message' : 'messages'}`
