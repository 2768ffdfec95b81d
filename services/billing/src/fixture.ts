import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keptOut } from '@operon/contracts/identity/events'
import { orderEvidence } from '@operon/contracts/marketplace/evidence'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { startSandbox } from '@operon/sandbox/sandbox'
import Stripe from 'stripe'
import { expect, vi } from 'vitest'
import { z } from 'zod'
import type { Db } from './deps.ts'
import { ledgerBalances } from './ledger/post.ts'
import { billingService } from './service.ts'

export const DAY = 86_400
export const GOOD_CARD = '4242424242424242'
export const FAILS_ON_CHARGE = '4000000000000341'

/** Billing beside the sandbox, with a door between them that can be shut. Everything over real HTTP and the real SDK. */
export async function startBilling(env: Record<string, string> = {}, beside: ServiceDefinition<any, any>[] = []) {
  const dataDir = await mkdtemp(join(tmpdir(), 'operon-billing-'))
  const sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:8080', seed: 'billing', onError: () => {} })
  const address = sandbox.addresses.stripe
  const door = await openDoor()
  const orders = new Map<string, z.input<(typeof orderEvidence)['reply']>['order']>()
  const bans: { out: z.input<(typeof keptOut)['reply']>['accounts']; silent: boolean } = { out: [], silent: false }
  // Answers where the sandbox is, as the sandbox's own service does, and who is kept out, where identity is not here. One a page.
  const hasIdentity = beside.some(({ name }) => name === 'identity')
  const guide: ServiceDefinition = {
    name: 'sandbox',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      rt.answer(sandboxAddress, async () => ({ url: address }))
      if (hasIdentity) return
      rt.answer(keptOut, async (_ctx, { after }) => {
        if (bans.silent) throw new Error('silent')
        const from = bans.out.findIndex(({ user_id }) => user_id === after) + 1
        return { accounts: bans.out.slice(from, from + 1), more: bans.out.length > from + 1 }
      })
    },
  }
  const shop: ServiceDefinition = {
    name: 'marketplace',
    config: z.object({}),
    migrations: {},
    setup: (rt) => rt.answer(orderEvidence, async (_ctx, { reference }) => ({ order: orders.get(reference) ?? null })),
  }
  const others = beside.some(({ name }) => name === shop.name) ? beside : [shop, ...beside]
  const platform = await startTestPlatform([guide, billingService, ...others], { WEBHOOK_BASE_URL: door.url, ...env })
  door.target = platform.url('billing')
  /** Resolves when the event passed by hand has been handled or has failed. */
  door.handled = async (body) => {
    const id = /"id":"(evt_\w+)"/.exec(body.toString())?.[1] ?? ''
    const open = () => db.selectFrom('provider_events').select('status').where('id', '=', id).where('status', '=', 'waiting').execute()
    await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 10_000, interval: 100 })
  }
  const stripe = new Stripe('sk_test_sandbox', { ...hostOf(address), maxNetworkRetries: 0 })
  const db = platform.services.billing!.rt.db as Db
  await vi.waitFor(async () => expect((await stripe.webhookEndpoints.list()).data).toHaveLength(2), { timeout: 10_000 })

  async function call(name: string, user: TestUser | null, body?: unknown, headers: Record<string, string> = {}, service = 'billing') {
    const response = await fetch(`${platform.url(service)}/functions/v1/${name}`, {
      method: 'POST',
      headers: { ...user?.headers, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as any }
  }

  /** A person's steps on a page of the sandbox. */
  async function submit(path: string, fields: Record<string, string>) {
    const response = await fetch(`${address}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
    return { status: response.status, location: response.headers.get('location'), text: await response.text() }
  }

  async function control(path: string, body: unknown) {
    const response = await fetch(`${address}/sandbox/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<any>
  }

  async function order(fault: Record<string, unknown>) {
    const response = await fetch(`${address}/sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'stripe', ...fault }),
    })
    if (!response.ok) throw new Error(`faults: ${response.status} ${await response.text()}`)
  }

  return {
    platform,
    /** The marketplace's record of each order. */
    orders,
    /** The bans as identity tells them, unless it is silent. */
    bans,
    sandbox,
    stripe,
    db,
    door,
    call,
    control,
    submit,
    order,
    mend: () => fetch(`${address}/sandbox/faults`, { method: 'DELETE' }),
    faults: async () => ((await (await fetch(`${address}/sandbox/faults`)).json()) as { faults: unknown[] }).faults,
    user: (claims: Record<string, unknown> = {}) => platform.user(claims),
    staff: () => platform.user({ app_metadata: { staff: true } }),
    check: async (user: TestUser) => (await call('check-subscription', user)).body,
    async pay(url: string, card = GOOD_CARD, more: Record<string, string> = {}) {
      const { pathname } = new URL(url)
      return submit(pathname, { email: 'test@example.com', name: 'Test Person', number: card, expiry: '12/34', cvc: '123', ...more })
    },
    /** A new person with a running trial. */
    async subscribed(plan = 'basic', card = GOOD_CARD, body: object = {}) {
      const user = platform.user()
      const checkout = await call('create-checkout', user, { plan, ...body })
      expect(checkout).toMatchObject({ status: 200 })
      await this.pay(checkout.body.url, card)
      await this.becomes(user, { status: 'trialing' })
      await this.quiet()
      return user
    },
    /** Every webhook has come and is handled. */
    async quiet() {
      await control('stripe/webhooks/drain', {})
      const open = () => db.selectFrom('provider_events').select('id').where('status', '=', 'waiting').execute()
      await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 10_000, interval: 20 })
    },
    becomes: (user: TestUser, state: object) =>
      vi.waitFor(async () => expect((await call('check-subscription', user)).body).toMatchObject(state), { timeout: 10_000, interval: 50 }),
    /** Everybody's time, or that of one person alone. */
    async advance(days: number, user?: TestUser) {
      await control('stripe/clock/advance', { seconds: Math.round(days * DAY), ...(user && { account: user.id }) })
      await this.quiet()
    },
    /** One row of the data API, as `.single()` asks for it. */
    async single(user: TestUser, path: string) {
      const response = await fetch(`${platform.url('billing')}/rest/v1/${path}`, {
        headers: { ...user.headers, accept: 'application/vnd.pgrst.object+json' },
      })
      return { status: response.status, body: (await response.json()) as any }
    },
    /** A customer's steps in the portal. */
    async inPortal(user: TestUser, action: string, fields: Record<string, string> = {}) {
      const portal = await call('customer-portal', user)
      expect(portal).toMatchObject({ status: 200 })
      const done = await submit(new URL(portal.body.url).pathname, { action, ...fields })
      expect(done.status, done.text).toBeLessThan(400)
    },
    /** Staff's steps in the provider's own dashboard. */
    async switchAtProvider(user: TestUser, price: string) {
      const [subscription] = (await stripe.subscriptions.list({ customer: await this.customer(user) })).data
      const items = [{ id: subscription!.items.data[0]!.id, price }]
      await stripe.subscriptions.update(subscription!.id, { items, proration_behavior: 'always_invoice' })
    },
    secret: async () => {
      const { value } = await db
        .selectFrom('provider_settings')
        .select('value')
        .where('key', '=', 'webhook:sandbox')
        .executeTakeFirstOrThrow()
      return platform.infra.vault.open((value as { secret: string }).secret, 'webhook:sandbox')
    },
    customer: async (user: TestUser) =>
      (await db.selectFrom('accounts').select('stripe_customer_id').where('user_id', '=', user.id).executeTakeFirstOrThrow())
        .stripe_customer_id!,
    published: async (name: string, user: TestUser) =>
      (await db.selectFrom('outbox').select('payload').where('name', '=', name).where('user_id', '=', user.id).orderBy('id').execute()).map(
        ({ payload }) => payload as any,
      ),
    /** Runs the sweep now, as its schedule would. */
    sweep: async (job = 'billing.reconcile') =>
      platform.services.billing!.rt.jobs.add([{ id: crypto.randomUUID(), name: job, user_id: null, payload: {}, trace: null }]),
    /** The books say what the provider's own list of money movements says, per currency. */
    async booksMatch() {
      await vi.waitFor(
        async () => {
          const movements = await stripe.balanceTransactions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
          const theirs = sumBy(movements.map(({ currency, net }) => [currency, net]))
          const { balances, unbalanced } = await ledgerBalances(db)
          const ours = sumBy(
            balances.filter(({ account }) => account === 'provider_balance').map(({ currency, amount_cents }) => [currency, amount_cents]),
          )
          expect({ ours, unbalanced }).toEqual({ ours: theirs, unbalanced: 0 })
        },
        { timeout: 10_000, interval: 100 },
      )
    },
    async close() {
      // Connections that fetch opened and never used are not idle to node, which would wait for them.
      platform.services.billing!.app.server.closeAllConnections()
      await platform.close()
      await sandbox.close()
      await door.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
export type TestBilling = Awaited<ReturnType<typeof startBilling>>

function sumBy(amounts: [string, number][]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [key, amount] of amounts) sums[key] = (sums[key] ?? 0) + amount
  return sums
}

export type Delivery = { body: Buffer; signature: string }

/** Where the provider believes our webhook is. */
async function openDoor() {
  const seen: Delivery[] = []
  const door = {
    url: '',
    target: '',
    shut: false,
    hold: false,
    seen,
    handled: async (_body: Buffer) => {},
    pass,
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  const server: Server = createServer(async (request, response) => {
    const delivery = { body: await bytesOf(request), signature: String(request.headers['stripe-signature']) }
    if (door.shut || !door.target) return response.writeHead(503).end()
    seen.push(delivery)
    // Taken and not passed on: the test does that, in an order of its own.
    if (door.hold) return response.writeHead(200).end('{}')
    const status = await forward(delivery).catch(() => 502)
    response.writeHead(status).end('{}')
  })
  async function pass(delivery: Delivery): Promise<number> {
    const status = await forward(delivery)
    await door.handled(delivery.body)
    return status
  }
  async function forward({ body, signature }: Delivery): Promise<number> {
    const answer = await fetch(`${door.target}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body: new Uint8Array(body),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  door.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  return door
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function hostOf(address: string) {
  const { hostname, port } = new URL(address)
  return { host: hostname, port: Number(port), protocol: 'http' as const }
}
