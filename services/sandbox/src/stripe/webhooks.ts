import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { API_VERSION, type Bank, type Obj, render } from './bank.ts'
import { required, wrong } from './errors.ts'
import { mergeMetadata, type Params, text, yes } from './form.ts'

/** Seconds until the next try. Stripe takes three days over it; a stand-in has to show the same within minutes. */
const BACKOFF_SECONDS = [0.5, 1, 2, 4, 8, 15, 30, 30, 30, 60, 60, 120, 300, 900, 3600]
const AT_ONCE = 8
const DEADLINE_MS = 10_000
const EVENTS_KEPT = 20_000

export const DeliveryOptions = z.object({
  duplicate: z.number().int().min(0).max(10).default(0),
  shuffle: z.boolean().default(false),
  pause: z.boolean().default(false),
  delay_ms: z.number().int().min(0).max(600_000).default(0),
})
type Options = z.infer<typeof DeliveryOptions>
export type Webhooks = ReturnType<typeof startWebhooks>

/** Records every event and sends it, signed, to each endpoint that asked for it, until it is answered with a 2xx. */
export function startWebhooks(bank: Bank) {
  let options: Options = bank.state.setting('stripe.delivery', DeliveryOptions.parse({}))
  const timers = new Map<string, NodeJS.Timeout>()
  const waiting: string[] = []
  const sending = new Set<Promise<void>>()
  let stopped = false
  let idle: (() => void)[] = []

  bank.emit = (type, object, previous) => {
    const snapshot = render(object)
    const account = object.object === 'account' ? object.id : (object._account ?? null)
    const endpoints = bank.t.webhook_endpoints
      .all()
      .filter((each) => each.status === 'enabled' && wants(each, type) && Boolean(each._connect) === (account !== null))
    const event = bank.t.events.put({
      id: bank.id('events'),
      object: 'event',
      ...(account && { account }),
      api_version: API_VERSION,
      created: bank.now(frozenClockOf(object)),
      data: { object: snapshot, ...(previous && { previous_attributes: render(previous) }) },
      livemode: false,
      pending_webhooks: endpoints.length,
      request: { id: bank.request.id, idempotency_key: bank.request.key },
      type,
    })
    bank.heard({ event: type }, event)
    for (const endpoint of endpoints) for (let copy = 0; copy <= options.duplicate; copy++) deliver(event, endpoint, copy)
    prune()
  }

  // Events of accounts that are ahead come in the order of the common time: a list of all events has one order.
  function frozenClockOf(object: Obj): string | null {
    const clock = object._clock ?? object.test_clock ?? null
    return bank.t.test_clocks.get(clock)?._ahead_s === undefined ? clock : null
  }

  function deliver(event: Obj, endpoint: Obj, copy = 0) {
    const jitter = options.shuffle ? bank.state.random() * 1500 : copy * 20
    const delivery = bank.t.deliveries.put({
      id: bank.id('deliveries'),
      object: 'delivery',
      created: event.created,
      event: event.id,
      endpoint: endpoint.id,
      attempt: 0,
      due: Date.now() + options.delay_ms + jitter,
    })
    schedule(delivery)
  }

  function schedule(delivery: Obj) {
    if (stopped) return
    const timer = setTimeout(
      () => {
        timers.delete(delivery.id)
        waiting.push(delivery.id)
        pump()
      },
      Math.max(0, delivery.due - Date.now()),
    )
    timer.unref()
    timers.set(delivery.id, timer)
  }

  function pump() {
    while (!stopped && !options.pause && sending.size < AT_ONCE && waiting.length > 0) {
      const delivery = bank.t.deliveries.get(waiting.shift()!)
      if (!delivery) continue
      const sent = send(delivery).finally(() => {
        sending.delete(sent)
        pump()
        if (bank.t.deliveries.size() === 0) settle()
      })
      sending.add(sent)
    }
  }

  async function send(delivery: Obj): Promise<void> {
    const endpoint = bank.t.webhook_endpoints.get(delivery.endpoint)
    const event = bank.t.events.get(delivery.event)
    if (!endpoint || !event || endpoint.deleted) return void bank.t.deliveries.delete(delivery.id)
    const body = JSON.stringify(event)
    // The receiver compares this time with its own clock, so it is the real one even when the sandbox's has been moved.
    const at = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', endpoint._secret).update(`${at}.${body}`).digest('hex')
    const status = await post(endpoint.url, body, `t=${at},v1=${signature}`)
    if (stopped) return
    if (status >= 200 && status < 300) {
      bank.t.deliveries.delete(delivery.id)
      // Counted again at the next start, so that it need not be written each time.
      event.pending_webhooks = Math.max(0, event.pending_webhooks - 1)
      return
    }
    const seconds = BACKOFF_SECONDS[delivery.attempt]
    if (seconds === undefined) return void bank.t.deliveries.delete(delivery.id)
    schedule(bank.t.deliveries.put({ ...delivery, attempt: delivery.attempt + 1, last_status: status, due: Date.now() + seconds * 1000 }))
  }

  /** One that is still to be delivered stays, as it does at Stripe, however many have come since. */
  function prune() {
    if (bank.t.events.size() < EVENTS_KEPT + 1000) return
    const owed = new Set(bank.t.deliveries.all().map(({ event }) => event))
    for (const { id } of bank.t.events.all().slice(0, 1000)) if (!owed.has(id)) bank.t.events.delete(id)
  }

  function settle() {
    for (const resolve of idle) resolve()
    idle = []
  }

  return {
    start() {
      const open = new Map<string, number>()
      for (const delivery of bank.t.deliveries.all()) {
        open.set(delivery.event, (open.get(delivery.event) ?? 0) + 1)
        schedule(delivery)
      }
      for (const event of bank.t.events.all()) event.pending_webhooks = open.get(event.id) ?? 0
    },
    async stop() {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      settle()
      await Promise.race([Promise.all(sending), new Promise((resolve) => setTimeout(resolve, 1000).unref())])
    },
    options: () => options,
    setOptions(given: Partial<Options>) {
      options = DeliveryOptions.parse({ ...options, ...given })
      bank.state.set('stripe.delivery', options)
      pump()
      return options
    },
    pending: () => bank.t.deliveries.all(),
    resend(event: Obj) {
      const endpoints = bank.t.webhook_endpoints
        .all()
        .filter((each) => !each.deleted && wants(each, event.type) && Boolean(each._connect) === Boolean(event.account))
      for (const endpoint of endpoints) deliver(event, endpoint)
      return endpoints.length
    },
    /** Resolves when nothing waits for delivery, or when the time is up. */
    async drained(withinMs: number): Promise<boolean> {
      if (bank.t.deliveries.size() === 0) return true
      await Promise.race([
        new Promise<void>((resolve) => idle.push(resolve)),
        new Promise((resolve) => setTimeout(resolve, withinMs).unref()),
      ])
      return bank.t.deliveries.size() === 0
    },
  }
}

async function post(url: string, body: string, signature: string): Promise<number> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': signature,
    'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  }
  try {
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}

const wants = (endpoint: Obj, type: string) => endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type)

export function createEndpoint(bank: Bank, params: Params): Obj {
  if (!params.url) throw required('url')
  if (!URL.canParse(params.url)) throw wrong('Invalid URL: An explicit scheme (such as https) must be provided.', 'url', 'url_invalid')
  if (!params.enabled_events?.length) throw required('enabled_events')
  const endpoint = bank.t.webhook_endpoints.put({
    id: bank.id('webhook_endpoints'),
    object: 'webhook_endpoint',
    api_version: text(params.api_version),
    application: null,
    created: bank.now(),
    description: text(params.description),
    enabled_events: params.enabled_events,
    livemode: false,
    metadata: mergeMetadata({}, params.metadata),
    status: 'enabled',
    url: params.url,
    _connect: yes(params.connect),
    _secret: `whsec_${bank.state.id('w', 32).slice(2)}`,
  })
  return { ...endpoint, secret: endpoint._secret }
}

export function updateEndpoint(bank: Bank, endpoint: Obj, params: Params): Obj {
  return bank.t.webhook_endpoints.put({
    ...endpoint,
    ...(params.url && { url: params.url }),
    ...(params.enabled_events && { enabled_events: params.enabled_events }),
    ...(params.description !== undefined && { description: text(params.description) }),
    ...(params.disabled !== undefined && { status: yes(params.disabled) ? 'disabled' : 'enabled' }),
    metadata: mergeMetadata(endpoint.metadata, params.metadata),
  })
}
