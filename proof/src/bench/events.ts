import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { analyticsService } from '@operon/analytics/service'
import { completionFinished } from '@operon/contracts/ai-gateway/events'
import type { Envelope } from '@operon/contracts/contract'
import { leadCreated } from '@operon/contracts/crm/events'
import { startPostgres } from '@operon/deploy/postgres'
import { newId } from '@operon/kit/ids'
import { openBus } from '@operon/kit/open'
import { createInfra, prepareService } from '@operon/kit/service'
import { createLogger } from '@operon/kit/telemetry'
import { testDatabase } from '@operon/kit/testing/database'
import { spawnNats, whyAbsent } from '@operon/kit/testing/servers'
import { sql } from 'kysely'
import { cpuSeconds, median } from './measure.ts'

const PEOPLE = 500
type Taken = { perSecond: number; cpuMs: number }

const forms = {
  'one a transaction': {
    ...analyticsService,
    setup: (rt) =>
      analyticsService.setup({
        ...rt,
        onMany: (event, handler, run) => rt.on(event, handler, (trx, envelope, ctx) => run(trx, [envelope], ctx)),
      }),
  },
  'many a transaction': analyticsService,
} satisfies Record<string, typeof analyticsService>

/** How many events a second analytics takes once they are there: facts, daily sums and activity, one by one and in batches, taking turns. `only=many`: in batches alone. */
export async function bench({ short, only }: { short: boolean; only?: string }) {
  const [events, rounds] = short ? [2_000, 1] : [20_000, 3]
  const folder = mkdtempSync(join(tmpdir(), 'bench-events-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'pg') })
  process.env.OPERON_TEST_PG = postgres.url
  const people = Array.from({ length: PEOPLE }, newId)
  const absent = await whyAbsent('nats-server')
  if (absent) console.log(`NATS is left out: ${absent}`)
  try {
    for (const bus of ['local:', ...(absent ? [] : ['nats'])]) {
      const taken = new Map<string, Taken[]>()
      for (let round = 0; round < rounds; round++)
        for (const [form, definition] of Object.entries(forms).filter(([form]) => !only || form.startsWith(only))) {
          const sample = await take(
            definition,
            bus,
            Array.from({ length: events }, (_, n) => made(n, people)),
          )
          taken.set(form, [...(taken.get(form) ?? []), sample])
        }
      for (const [form, samples] of taken)
        console.log(
          `${bus.padEnd(7)} ${form.padEnd(19)} ${median(samples.map((each) => each.perSecond)).toFixed(0)} events/s, ` +
            `${median(samples.map((each) => each.cpuMs)).toFixed(2)} ms of a core an event, of PostgreSQL and NATS as well  (${samples.map((each) => each.perSecond.toFixed(0)).join(', ')})`,
        )
    }
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** All of them are there before the first is taken, so that the intake is not measured with the taking. */
async function take(definition: typeof analyticsService, bus: string, envelopes: Envelope[]): Promise<Taken> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-events-data-'))
  const nats = bus === 'nats' ? await spawnNats() : null
  const database = await testDatabase(analyticsService)
  const env = { NODE_ENV: 'test', DATABASE_URL_ANALYTICS: database.url, DATA_DIR: dataDir, ...(nats && { BUS_URL: nats.url }) }
  const infra = await createInfra(env, { log: createLogger('error') })
  const service = await prepareService(definition, infra)
  try {
    for (const [source, all] of Object.entries(Object.groupBy(envelopes, ({ name }) => name.split('.')[0]!))) {
      const sender = await openBus(infra, { service: source, db: service.rt.db, log: service.rt.log })
      for (let at = 0; at < all!.length; at += 1000) await sender.send(all!.slice(at, at + 1000))
    }
    const [began, cpu] = [performance.now(), cpuSeconds(process.pid)]
    await service.start()
    for (;;) {
      const { rows } = await sql<{ facts: number }>`select count(*) as facts from facts`.execute(service.rt.db)
      if (rows[0]!.facts === envelopes.length) break
      await delay(50)
    }
    const seconds = (performance.now() - began) / 1000
    return { perSecond: envelopes.length / seconds, cpuMs: ((cpuSeconds(process.pid) - cpu) / envelopes.length) * 1000 }
  } finally {
    await service.drain()
    await service.close()
    await database.drop()
    await nats?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Of eight events seven are answers of a model, and one is a lead. */
function made(n: number, people: string[]): Envelope {
  const common = { id: newId(), at: new Date().toISOString(), user_id: people[n % people.length]! }
  if (n % 8 === 0) return { ...common, name: leadCreated.name, payload: { lead_id: newId() } }
  return {
    ...common,
    name: completionFinished.name,
    payload: completionFinished.payload.parse({ ...completion, command: `Question ${n}` }),
  }
}

const completion = {
  feature: 'chat',
  model: 'gpt-4o-mini',
  answered_by: 'gpt-4o-mini',
  status: 'completed',
  prompt_tokens: 100,
  completion_tokens: 200,
  cost_microusd: 135,
  duration_ms: 900,
}
