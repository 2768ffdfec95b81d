import { html, type Markup, page } from '../core/page.ts'
import { form, json, parseJson, type Route, redirect, route, type WireReply, type WireRequest } from '../core/wire.ts'
import { personOf } from './accounts.ts'
import { type Bank, render } from './bank.ts'
import { advanceClock, advancePerson, clockNow } from './clock.ts'
import { createDispute } from './disputes.ts'
import { pill } from './pages-portal.ts'
import { DeliveryOptions, type Webhooks } from './webhooks.ts'

const DRAIN_MS = 10_000

/** Clock, webhooks and events: JSON for tests, one page for people. */
export function controlPages(bank: Bank, webhooks: Webhooks): Route[] {
  const clock = () => ({ now: bank.now(), iso: new Date(bank.now() * 1000).toISOString(), offset_seconds: bank.offsetSeconds() })
  const delivery = () => ({
    options: webhooks.options(),
    pending: webhooks.pending().length,
    deliveries: webhooks.pending().slice(0, 100),
    endpoints: render(bank.t.webhook_endpoints.all().filter((each) => !each.deleted)),
  })

  /** Answers when the webhooks that it caused are delivered as well, unless `wait` is false. */
  async function advance(request: WireRequest): Promise<WireReply> {
    const { account, seconds, to, wait = true } = parseJson(request)
    const person = account === undefined ? null : personOf(bank, String(account))
    if (person === undefined) return json({ message: `No customer and no seller is ${account}.` }, 404)
    const by = (now: number) => (to ? Math.max(0, Math.floor(Date.parse(to) / 1000) - now) : Number(seconds))
    const moved = bank.state.together(() =>
      person ? advancePerson(bank, person, by(clockNow(bank, person))) : advanceClock(bank, by(bank.now())),
    )
    const delivered = wait ? await webhooks.drained(DRAIN_MS) : false
    const iso = new Date(moved.now * 1000).toISOString()
    return json({ ...moved, iso, delivered })
  }

  function setDelivery(request: WireRequest): WireReply {
    const parsed = DeliveryOptions.partial().safeParse(parseJson(request))
    if (!parsed.success) return json({ message: 'Not understood.', issues: parsed.error.issues }, 400)
    webhooks.setOptions(parsed.data)
    return json(delivery())
  }

  function resend({ params }: WireRequest): WireReply {
    const event = bank.t.events.get(params.id!)
    return event ? json({ endpoints: webhooks.resend(event) }) : json({ message: 'No such event' }, 404)
  }

  function press(request: WireRequest): WireReply {
    const fields = form(request)
    const account = fields.get('account')?.trim()
    const person = account ? personOf(bank, account) : null
    if (person === undefined) return json({ message: `No customer and no seller is ${account}.` }, 404)
    const seconds = Number(fields.get('seconds'))
    if (fields.has('seconds')) bank.state.together(() => (person ? advancePerson(bank, person, seconds) : advanceClock(bank, seconds)))
    if (fields.has('pause')) webhooks.setOptions({ pause: fields.get('pause') === 'true' })
    return redirect('/sandbox/stripe')
  }

  return [
    route('GET', '/sandbox/api/stripe/clock', () => json(clock())),
    route('POST', '/sandbox/api/stripe/clock/advance', advance),
    route('GET', '/sandbox/api/stripe/webhooks', () => json(delivery())),
    route('POST', '/sandbox/api/stripe/webhooks', setDelivery),
    route('POST', '/sandbox/api/stripe/webhooks/drain', async () =>
      json({ delivered: await webhooks.drained(DRAIN_MS), pending: webhooks.pending().length }),
    ),
    route('GET', '/sandbox/api/stripe/events', ({ query }) =>
      json({ events: bank.t.events.newest().slice(0, Number(query.get('limit') ?? 100)) }),
    ),
    route('POST', '/sandbox/api/stripe/events/:id/resend', resend),
    route('POST', '/sandbox/api/stripe/disputes', (request) => {
      const { charge, reason, amount, inquiry } = parseJson(request)
      return json(render(bank.state.together(() => createDispute(bank, bank.find('charges', charge), reason, amount, inquiry))))
    }),
    route('GET', '/sandbox/stripe', () => overview(bank, webhooks)),
    route('POST', '/sandbox/stripe', press),
  ]
}

function overview(bank: Bank, webhooks: Webhooks): WireReply {
  const move = (seconds: number, label: string) => html`<button name="seconds" value="${seconds}">${label}</button>`
  const { pause } = webhooks.options()
  return page({
    title: 'Stripe',
    strip: 'Standing in for Stripe.',
    body: html`<h1>Stripe</h1><p class="muted">Move the clock to see trials end and renewals come.</p>
<div class="panel"><p>It is <strong class="num">${new Date(bank.now() * 1000).toISOString().slice(0, 16).replace('T', ' ')}</strong> UTC here.</p><form method="post"><label for="account">Account: an email address, or nobody for all</label><input id="account" name="account" autocomplete="off"><div class="row">${move(3600, 'One hour on')}${move(86_400, 'One day on')}${move(3 * 86_400, 'Three days on')}${move(31 * 86_400, 'A month on')}</div></form></div>
<h2>Webhooks</h2><div class="panel row between"><div>${bank.t.webhook_endpoints
      .all()
      .filter((each) => !each.deleted)
      .map(
        (each) => html`<p class="mono">${each.url} ${pill(each.status === 'enabled' ? 'active' : 'paused')}</p>`,
      )}<p class="muted">${webhooks.pending().length} waiting</p></div><form method="post"><button name="pause" value="${String(!pause)}">${pause ? 'Deliver again' : 'Pause delivery'}</button></form></div>
<h2>Subscriptions</h2>${table(
      bank.t.subscriptions
        .newest()
        .slice(0, 20)
        .map(
          (each) =>
            html`<tr><td>${bank.t.customers.get(each.customer)?.email}</td><td>${bank.t.products.get(each.items.data[0].price.product)?.name}</td><td>${pill(each.status)}</td><td class="faint mono">${each.id}</td></tr>`,
        ),
    )}
<h2>Last events</h2>${table(
      bank.t.events
        .newest()
        .slice(0, 40)
        .map(
          (each) =>
            html`<tr><td class="mono">${each.type}</td><td class="faint mono">${each.id}</td><td class="num faint">${new Date(each.created * 1000).toISOString().slice(0, 19).replace('T', ' ')}</td></tr>`,
        ),
    )}`,
  })
}

const table = (rows: Markup[]) => (rows.length === 0 ? html`<p class="muted">None yet.</p>` : html`<table><tbody>${rows}</tbody></table>`)
