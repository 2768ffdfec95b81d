import type { ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@operon/deploy/postgres'
import { start } from './measure.ts'

type Told = {
  port: number
  token: string
  customers: string[]
  secret: string
  limits: { pkSelect: number; durableInsert: number; entitlementRead: number }
}
type Sample = { perSecond: number; p50Ms: number; p99Ms: number; bad: number; all: number }
const CONNECTIONS = 6

/** Webhook intake and entitlement reads, each beside what this machine's Postgres gives through the same pool in the same run. */
export async function bench({ short }: { short: boolean }) {
  const seconds = short ? 0.8 : 4
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-billing-pg-'))
  chmodSync(dataDir, 0o755)
  const sandboxDir = mkdtempSync(join(tmpdir(), 'bench-billing-'))
  const server = await startPostgres({ dataDir, settings: { max_connections: '100' }, log: () => {} })
  try {
    const { child, told } = await start<Told>('billing-process.ts', {
      postgres: server.url,
      connections: CONNECTIONS,
      seconds: seconds / 2,
      dataDir: sandboxDir,
    })
    try {
      const samples = await measure(told, seconds, drained(child))
      child.send('settle')
      const [settled] = (await once(child, 'message')) as [Settled]
      report(told, samples, settled)
      if (!short) holdTo(told, samples, settled)
    } finally {
      child.kill()
    }
  } finally {
    await server.stop()
    for (const folder of [dataDir, sandboxDir]) rmSync(folder, { recursive: true, force: true })
  }
}

/** The least that a run may show, as shares of what this machine's Postgres does in it: half of a quiet machine's, since its neighbours take as much. */
const LEAST = { entitlementRead: 0.25, checkSubscription: 0.08, intake: 0.16, duplicate: 0.16, settlesPerSecond: 50 }
function holdTo({ limits }: Told, { read, intake, duplicate }: Awaited<ReturnType<typeof measure>>, settled: Settled) {
  const measured: typeof LEAST = {
    entitlementRead: limits.entitlementRead / limits.pkSelect,
    checkSubscription: read.perSecond / limits.pkSelect,
    intake: intake.perSecond / limits.durableInsert,
    duplicate: duplicate.perSecond / limits.pkSelect,
    settlesPerSecond: settled.perSecond,
  }
  for (const [what, least] of Object.entries(LEAST) as [keyof typeof LEAST, number][]) {
    if (measured[what] >= least) continue
    console.log(`Too slow: ${what} is ${measured[what].toFixed(2)}, and ${least} is the least`)
    process.exitCode = 1
  }
}

type Settled = { perSecond: number; p50Ms: number; p99Ms: number; sales: number }
type Drained = { looks: number; failed: number }
const drained = (child: ChildProcess) => async (): Promise<Drained> => {
  child.send('drain')
  return (await once(child, 'message'))[0] as Drained
}

async function measure({ port, token, customers, secret }: Told, seconds: number, drain: () => Promise<Drained>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let n = 0
  const sign = (body: string) => {
    const at = Math.floor(Date.now() / 1000)
    return {
      'content-type': 'application/json',
      'stripe-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
    }
  }
  const event = (type: string, object: object, id = `evt_bench_${process.pid}_${n++}`) =>
    JSON.stringify({ id, object: 'event', type, created: Math.floor(Date.now() / 1000), livemode: false, data: { object } })
  const webhook = (body: string) => post(agent, port, '/webhooks/stripe', sign(body), body)
  /** From the first event to the last one handled, so that what only waits is not counted as done. */
  async function handled(customer: () => string) {
    const { looks } = await drain()
    const began = performance.now()
    const taken = await drive(
      () => webhook(event('customer.subscription.updated', { id: 'sub_1', object: 'subscription', customer: customer() })),
      seconds,
    )
    const after = await drain()
    const tookMs = performance.now() - began
    return { taken, handledPerSecond: (taken.all / tookMs) * 1000, looks: after.looks - looks, failed: after.failed }
  }
  const same = event('payment_method.attached', { id: 'pm_1', object: 'payment_method' })
  try {
    return {
      read: await drive(() => post(agent, port, '/functions/v1/check-subscription', { authorization: `Bearer ${token}` }, ''), seconds),
      intake: await drive(() => webhook(event('payment_method.attached', { id: 'pm_1', object: 'payment_method' })), seconds),
      duplicate: await drive(() => webhook(same), seconds),
      one: await handled(() => customers[0]!),
      many: await handled(() => customers[n % customers.length]!),
      refused: await drive(
        () => post(agent, port, '/webhooks/stripe', { 'stripe-signature': 't=1,v1=0', 'content-type': 'application/json' }, same),
        seconds,
        16,
        400,
      ),
    }
  } finally {
    agent.destroy()
  }
}

async function drive(work: () => Promise<number>, seconds: number, atOnce = 16, expected = 200): Promise<Sample> {
  const run = async (forSeconds: number) => {
    const times: number[] = []
    let bad = 0
    const until = performance.now() + forSeconds * 1000
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (performance.now() < until) {
          const began = performance.now()
          if ((await work()) !== expected) bad++
          times.push(performance.now() - began)
        }
      }),
    )
    const sorted = times.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { perSecond: times.length / forSeconds, p50Ms: at(0.5), p99Ms: at(0.99), bad, all: times.length }
  }
  const warmUp = await run(seconds / 3)
  const sample = await run(seconds)
  return { ...sample, all: warmUp.all + sample.all }
}

function post(agent: Agent, port: number, path: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, port, host: '127.0.0.1', path, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

function report({ limits, customers }: Told, samples: Awaited<ReturnType<typeof measure>>, settled: Settled) {
  const n = (value: number) => Math.round(value).toLocaleString('en').padStart(7)
  const share = (value: number, limit: number) => `${((value / limit) * 100).toFixed(0)} %`.padStart(6)
  const line = (what: string, { perSecond, p50Ms, p99Ms, bad }: Sample, limit: number, of: string) =>
    console.log(
      `${what.padEnd(46)}${n(perSecond)}/s ${share(perSecond, limit)} of ${of.padEnd(14)} p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms${bad ? `  ${bad} wrong answers` : ''}`,
    )
  console.log(`This machine's Postgres, ${CONNECTIONS} connections, from the service's own process:`)
  console.log(`  primary-key select ${n(limits.pkSelect)}/s   durable insert ${n(limits.durableInsert)}/s`)
  console.log(
    `  entitlement read without HTTP ${n(limits.entitlementRead)}/s: ${share(limits.entitlementRead, limits.pkSelect)} of a primary-key select`,
  )
  console.log('Over HTTP (the client shares the two cores):')
  line('check-subscription', samples.read, limits.pkSelect, 'pk select')
  line('webhook: signature, event row, commit', samples.intake, limits.durableInsert, 'durable insert')
  line('webhook: duplicate', samples.duplicate, limits.pkSelect, 'pk select')
  for (const [what, { taken, handledPerSecond, looks, failed }] of [
    ['of one customer', samples.one],
    [`of ${customers.length} customers`, samples.many],
  ] as const) {
    line(`webhook: ${what}, stored and answered`, taken, limits.durableInsert, 'durable insert')
    console.log(
      `${'  fetched at the sandbox and projected'.padEnd(46)}${n(handledPerSecond)}/s ${share(handledPerSecond, limits.durableInsert)} of durable insert  ${taken.all} events by ${looks} looks${failed ? `, ${failed} failed` : ''}`,
    )
  }
  line('webhook: bad signature', samples.refused, limits.pkSelect, 'pk select')
  console.log(
    `${`${settled.sales} paid sales, fetched at the sandbox and booked`.padEnd(46)}${n(settled.perSecond)}/s ${share(settled.perSecond, limits.durableInsert)} of durable insert  p50 ${settled.p50Ms.toFixed(1)} ms  p99 ${settled.p99Ms.toFixed(1)} ms`,
  )
}
