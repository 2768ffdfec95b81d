import { mkdirSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { connectedApps } from './apps/apps.ts'
import { assetRoutes } from './core/assets.ts'
import { controlRoutes } from './core/control.ts'
import { createFaults, type Provider } from './core/faults.ts'
import { homePage } from './core/home.ts'
import { guarded } from './core/key.ts'
import { html, page } from './core/page.ts'
import { listenAll } from './core/ports.ts'
import { openState } from './core/state.ts'
import { openTruth, type Truth } from './core/truth.ts'
import { dispatch, form, type Handler, json, type WireReply, type WireRequest, wireServer } from './core/wire.ts'
import { createInbox } from './inbox/inbox.ts'
import { inboxPages } from './inbox/pages.ts'
import type { InboundMail } from './inbox/reply.ts'
import { smsRoutes } from './inbox/sms.ts'
import { smtpServer } from './inbox/smtp.ts'
import { modelServer } from './models/server.ts'
import { oauthRoutes } from './oauth/oauth.ts'
import { rdapRoutes } from './rdap/rdap.ts'
import type { Heard } from './stripe/bank.ts'
import { StripeError } from './stripe/errors.ts'
import { createStripe } from './stripe/stripe.ts'

type SandboxOptions = {
  dataDir: string
  /** How others reach the listeners; anything but a loopback address binds to every interface. */
  host?: string
  /** Fixed ports from here on, one a provider, for containers. */
  portBase?: number
  /** Where people reach the pages: the gateway. */
  publicUrl: string
  /** The key that opens the pages. */
  key?: string
  seed?: string
  /** Milliseconds between two chunks of a model's stream. */
  pace?: number
  now?: () => number
  onError?: (error: unknown) => void
  /** Where an answer to a letter goes; without it letters cannot be answered. */
  inboundMail?: InboundMail
  /** Sees each answer and each event of Stripe's stand-in: tests hold them against the provider's own types. */
  heard?: Heard
}

export type Sandbox = {
  addresses: Record<Provider, string>
  /** Everything below `/sandbox`. */
  handle: (request: WireRequest) => Promise<WireReply>
  truth: Truth
  close: () => Promise<void>
}

/** Starts every stand-in on a listener of its own. Needs nothing but a folder. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1'
  const onError = options.onError ?? ((error: unknown) => console.error('sandbox:', error))
  const dir = join(options.dataDir, 'sandbox')
  mkdirSync(dir, { recursive: true })
  const state = openState(dir, options.seed, onError)
  const truth = openTruth(dir)
  const faults = createFaults(state.random)
  const inbox = createInbox(state, truth)
  const publicUrl = options.publicUrl.replace(/\/$/, '')
  const stripe = createStripe({ state, truth, publicUrl, now: options.now ?? Date.now, onError, heard: options.heard ?? (() => {}) })
  const oauth = oauthRoutes({ state, truth, publicUrl })
  const apps = connectedApps({ state, truth, publicUrl, inbox, address: () => addresses.apps })
  const smtp = smtpServer(inbox, faults)
  const over = (
    provider: Provider,
    handle: Handler,
    failure: (status: number) => unknown,
    accountsOf: (request: WireRequest) => string[] = () => [],
  ) => wireServer({ provider, faults, handle, failure, accountsOf, onError })
  const plain = (status: number) => ({ error: { status, message: 'The sandbox was told to fail.' } })
  const http = {
    stripe: over(
      'stripe',
      (request) => (request.path.startsWith('/sandbox') ? handle(request) : stripe.api(request)),
      (status) => ({
        error: { type: 'api_error', message: 'The sandbox was told to fail.', code: status === 429 ? 'rate_limit' : undefined },
      }),
      stripe.accountsOf,
    ),
    openai: modelServer({ faults, truth, state, pace: options.pace ?? 0, seed: state.secret, onError }),
    sms: over(
      'sms',
      orNotFound(smsRoutes(inbox)),
      (status) => ({ code: 20500, message: 'The sandbox was told to fail.', status }),
      (request) => form(request).getAll('To'),
    ),
    oauth: over('oauth', orNotFound(oauth.wire), plain, oauth.accountsOf),
    rdap: over('rdap', orNotFound(rdapRoutes), plain),
    apps: over('apps', apps.wire, plain, apps.accountsOf),
  }
  const ports = await listenAll(
    { ...http, smtp: smtp.server as Server },
    { dir, bindHost: isLoopback(host) ? host : '0.0.0.0', portBase: options.portBase },
  )
  const addresses = Object.fromEntries(
    Object.entries(ports).map(([provider, port]) => [provider, `${provider === 'smtp' ? 'smtp' : 'http'}://${host}:${port}`]),
  ) as Record<Provider, string>
  const routes = [
    ...assetRoutes,
    homePage({ addresses, inbox }),
    ...inboxPages(inbox, options.inboundMail),
    ...oauth.pages,
    ...apps.pages,
    ...stripe.pages,
    ...controlRoutes({ faults, truth, addresses }),
  ]
  stripe.start()

  async function handle(request: WireRequest): Promise<WireReply> {
    const kept = options.key ? guarded(request, options.key, publicUrl) : null
    if (kept) return kept
    if (isForeignWrite(request, publicUrl)) return json({ message: 'A write from another origin.' }, 403)
    try {
      const reply = await dispatch(routes, request.method === 'HEAD' ? { ...request, method: 'GET' } : request)
      if (reply) return reply
    } catch (error) {
      if (error instanceof StripeError) return json(error.body, error.status)
      if (error instanceof SyntaxError) return json({ message: 'The body is not what this address takes.' }, 400)
      throw error
    }
    return page({
      title: 'Not found',
      status: 404,
      body: html`<h1>There is no such page in the sandbox</h1><p><a href="/sandbox">Overview</a></p>`,
    })
  }

  async function close() {
    await stripe.stop()
    await Promise.all([...Object.values(http).map(closeHttp), new Promise<void>((resolve) => smtp.close(() => resolve()))])
    truth.close()
    state.close()
  }

  return { addresses, handle, truth, close }
}

function orNotFound(routes: Parameters<typeof dispatch>[0]): Handler {
  return async (request) => (await dispatch(routes, request)) ?? json({ error: 'not_found', path: request.path }, 404)
}

// The pages need no account, so a page of another site must not be able to press their buttons.
function isForeignWrite({ method, headers }: WireRequest, publicUrl: string) {
  if (method === 'GET' || method === 'HEAD') return false
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'cross-site'
  if (origin === undefined || origin === new URL(publicUrl).origin) return false
  return !URL.canParse(origin) || !isLoopback(new URL(origin).hostname)
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

function closeHttp(server: ReturnType<typeof wireServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
