import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@operon/deploy/postgres'
import type { Asked } from './billing-process.ts'
import { start } from './measure.ts'

type Told = { port: number; token: string; customers: string[]; secret: string }
type Baseline = 'pkSelect' | 'durableInsert' | 'entitlementRead'
type Sample = { perSecond: number; p50Ms: number; p99Ms: number; bad: number; all: number }
/** A load, and what Postgres alone did in the same seconds. */
type Beside = Sample & { baseline: number }
const CONNECTIONS = 6
const ROUNDS = 8

/**
 * Webhook intake and entitlement reads, each beside what this machine's Postgres gives through a pool of the same size. A load and its baseline
 * take turns every half second, so that whatever else the machine does slows both.
 */
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
      sales: short ? 60 : 400,
      dataDir: sandboxDir,
    })
    try {
      const ask = async <T>(asked: Asked) => {
        child.send(asked)
        return (await once(child, 'message'))[0] as T
      }
      const samples = await measure(told, seconds, ask)
      const settled = await ask<Settled>('settle')
      report(told, samples, settled)
      if (!short) holdTo(samples, settled)
    } finally {
      child.kill()
    }
  } finally {
    await server.stop()
    for (const folder of [dataDir, sandboxDir]) rmSync(folder, { recursive: true, force: true })
  }
}

/** The least that a run may show, as shares of what Postgres does in the same seconds. */
const LEAST = { entitlementRead: 0.25, checkSubscription: 0.08, intake: 0.16, duplicate: 0.16, settlesPerSecond: 50 }
type Samples = Awaited<ReturnType<typeof measure>>
const shareOf = ({ perSecond, baseline }: { perSecond: number; baseline: number }) => perSecond / baseline
function holdTo({ entitlement, read, intake, duplicate }: Samples, settled: Settled) {
  const measured: typeof LEAST = {
    entitlementRead: shareOf(entitlement),
    checkSubscription: shareOf(read),
    intake: shareOf(intake),
    duplicate: shareOf(duplicate),
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
type Ask = <T>(asked: Asked) => Promise<T>
async function measure({ port, token, customers, secret }: Told, seconds: number, ask: Ask) {
  const drain = () => ask<Drained>('drain')
  const perSecondOf = async (baseline: Baseline, forSeconds: number) =>
    (await ask<{ done: number }>({ baseline, forMs: forSeconds * 1000 })).done / forSeconds
  const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
  /** The load in rounds, with a round of the baseline before each. */
  async function beside(baseline: Baseline, work: () => Promise<number>, expected = 200): Promise<Beside> {
    await drive(work, seconds / 4, expected)
    await perSecondOf(baseline, seconds / 16)
    const [alone, driven]: [number[], Driven[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await perSecondOf(baseline, seconds / ROUNDS / 2))
      driven.push(await drive(work, seconds / ROUNDS, expected))
    }
    return { ...sampleOf(driven), baseline: mean(alone) }
  }
  async function entitlements() {
    const [alone, read]: [number[], number[]] = [[], []]
    for (let round = -1; round < ROUNDS; round++) {
      const both = [
        await perSecondOf('pkSelect', seconds / ROUNDS / 2),
        await perSecondOf('entitlementRead', seconds / ROUNDS / 2),
      ] as const
      if (round < 0) continue
      alone.push(both[0])
      read.push(both[1])
    }
    return { perSecond: mean(read), baseline: mean(alone) }
  }
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
    const [alone, driven, tookMs]: [number[], Driven[], number[]] = [[], [], []]
    for (let round = 0; round < 2; round++) {
      alone.push(await perSecondOf('durableInsert', seconds / ROUNDS))
      const began = performance.now()
      driven.push(
        await drive(
          () => webhook(event('customer.subscription.updated', { id: 'sub_1', object: 'subscription', customer: customer() })),
          seconds / 2,
        ),
      )
      await drain()
      tookMs.push(performance.now() - began)
    }
    const after = await drain()
    const taken: Beside = { ...sampleOf(driven), baseline: mean(alone) }
    return { taken, handledPerSecond: (taken.all / (mean(tookMs) * 2)) * 1000, looks: after.looks - looks, failed: after.failed }
  }
  const same = event('payment_method.attached', { id: 'pm_1', object: 'payment_method' })
  try {
    return {
      entitlement: await entitlements(),
      read: await beside('pkSelect', () => post(agent, port, '/functions/v1/check-subscription', { authorization: `Bearer ${token}` }, '')),
      intake: await beside('durableInsert', () => webhook(event('payment_method.attached', { id: 'pm_1', object: 'payment_method' }))),
      duplicate: await beside('pkSelect', () => webhook(same)),
      one: await handled(() => customers[0]!),
      many: await handled(() => customers[n % customers.length]!),
      refused: await beside(
        'pkSelect',
        () => post(agent, port, '/webhooks/stripe', { 'stripe-signature': 't=1,v1=0', 'content-type': 'application/json' }, same),
        400,
      ),
    }
  } finally {
    agent.destroy()
  }
}

type Driven = { forSeconds: number; times: number[]; bad: number }
const AT_ONCE = 16
async function drive(work: () => Promise<number>, forSeconds: number, expected = 200): Promise<Driven> {
  const times: number[] = []
  let bad = 0
  const until = performance.now() + forSeconds * 1000
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (performance.now() < until) {
        const began = performance.now()
        if ((await work()) !== expected) bad++
        times.push(performance.now() - began)
      }
    }),
  )
  return { forSeconds, times, bad }
}

function sampleOf(driven: Driven[]): Sample {
  const sorted = driven.flatMap(({ times }) => times).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const sum = (of: (each: Driven) => number) => driven.reduce((all, each) => all + of(each), 0)
  return {
    perSecond: sorted.length / sum((each) => each.forSeconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    bad: sum((each) => each.bad),
    all: sorted.length,
  }
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

function report({ customers }: Told, samples: Samples, settled: Settled) {
  const n = (value: number) => Math.round(value).toLocaleString('en').padStart(7)
  const share = (value: number, limit: number) => `${((value / limit) * 100).toFixed(0)} %`.padStart(6)
  const line = (what: string, { perSecond, baseline, p50Ms, p99Ms, bad }: Beside, of: string) =>
    console.log(
      `${what.padEnd(46)}${n(perSecond)}/s ${share(perSecond, baseline)} of ${n(baseline)}/s ${of.padEnd(14)} p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms${bad ? `  ${bad} wrong answers` : ''}`,
    )
  const { entitlement } = samples
  console.log(`Beside this machine's Postgres in the same seconds, ${CONNECTIONS} connections, from the service's own process:`)
  console.log(
    `${'entitlement read without HTTP'.padEnd(46)}${n(entitlement.perSecond)}/s ${share(entitlement.perSecond, entitlement.baseline)} of ${n(entitlement.baseline)}/s pk select`,
  )
  console.log('Over HTTP (the client shares the two cores):')
  line('check-subscription', samples.read, 'pk select')
  line('webhook: signature, event row, commit', samples.intake, 'durable insert')
  line('webhook: duplicate', samples.duplicate, 'pk select')
  for (const [what, { taken, handledPerSecond, looks, failed }] of [
    ['of one customer', samples.one],
    [`of ${customers.length} customers`, samples.many],
  ] as const) {
    line(`webhook: ${what}, stored and answered`, taken, 'durable insert')
    console.log(
      `${'  fetched at the sandbox and projected'.padEnd(46)}${n(handledPerSecond)}/s ${share(handledPerSecond, taken.baseline)} of durable insert  ${taken.all} events by ${looks} looks${failed ? `, ${failed} failed` : ''}`,
    )
  }
  line('webhook: bad signature', samples.refused, 'pk select')
  console.log(
    `${`${settled.sales} paid sales, fetched at the sandbox and booked`.padEnd(46)}${n(settled.perSecond)}/s  p50 ${settled.p50Ms.toFixed(1)} ms  p99 ${settled.p99Ms.toFixed(1)} ms`,
  )
}
