import type { Args, Endpoint, Envelope, Event, Input, Job, Output, Payload, Reply, Request } from '@operon/contracts/contract'
import type { Preview } from '@operon/contracts/preview'
import type { ServiceName } from '@operon/contracts/services'
import type { ThirdParty } from '@operon/contracts/third-parties'
import type { FastifyInstance } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import type { z } from 'zod'
import type { TokenVerifier } from './auth.ts'
import type { Cache } from './cache/cache.ts'
import { answerCalls, type Calling, callOver, previewOver, type Served } from './calls.ts'
import { followClock } from './clock.ts'
import { databaseUrl, type Env, type KitConfig, readEnv, readKitConfig, sandboxIsOpen } from './config.ts'
import type { Actor, Ctx } from './context.ts'
import { databaseAnswers, ensureDatabase, openDatabase, poolsOf } from './db.ts'
import { projectEntitlements } from './entitlements.ts'
import { createHttp } from './http.ts'
import { newId } from './ids.ts'
import { runManyOnce } from './inbox.ts'
import type { JobRun, Jobs } from './jobs/jobs.ts'
import { demandFleetKey, refuseOwnStores } from './joining.ts'
import { Limits, RateSettings } from './limits.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type Migrations, migrate } from './migrate.ts'
import { openBus, openCache, openJobs, openStorage, openVerifier, patienceOf, poolOf, type Shared } from './open.ts'
import { startRelay } from './outbox.ts'
import type { Previewed } from './previews.ts'
import { ProviderWatch } from './providers.ts'
import { watched } from './readiness.ts'
import { askOver, verifyRequest } from './requests.ts'
import type { KitDb } from './schema.ts'
import type { Storage } from './storage/storage.ts'
import { createLogger, currentTrace, type Logger } from './telemetry.ts'
import { flushTraces, inSpan, sqlLog, startTracing } from './tracing.ts'
import { stayInside } from './trial.ts'
import { Vault } from './vault.ts'
import { VERSION } from './version.ts'

/** A service as one value. `setup` wires routes, consumers and jobs by hand. */
export type ServiceDefinition<DB = any, C = any> = {
  name: ServiceName
  /** Reads the service's own settings; the kit's are in `rt.kit`. */
  config: z.ZodType<C>
  migrations: Migrations
  setup(rt: Runtime<DB, C>): void | Promise<void>
  /** The tables that previews of its actions speak of. */
  previewed?: Previewed
  /** Whom the sandbox plays for it, as it is configured. */
  sandboxed?: (config: C) => ThirdParty[]
}

export type Runtime<DB = any, C = any> = {
  name: ServiceName
  config: C
  kit: KitConfig
  env: Env
  app: FastifyInstance
  db: Kysely<DB & KitDb>
  log: Logger
  metrics: Metrics
  /** Through which third parties are called, so that their failures are counted and named. */
  providers: ProviderWatch
  storage: Storage
  cache: Cache
  vault: Vault
  jobs: Jobs
  verifier: TokenVerifier
  /** A durable consumer: the effect and the mark that it happened commit together, so a redelivery changes nothing. */
  on<E extends Event>(
    event: E,
    handler: string,
    run: (trx: Transaction<DB & KitDb>, event: Envelope<Payload<E>>, ctx: Ctx<DB>) => Promise<void>,
  ): void
  /** The same for an event of which many come: what waits is heard in one transaction. Where one fails, the others are heard without it. */
  onMany<E extends Event>(
    event: E,
    handler: string,
    run: (trx: Transaction<DB & KitDb>, events: Envelope<Payload<E>>[], ctx: Ctx<DB>) => Promise<void>,
  ): void
  onBroadcast<E extends Event>(event: E, run: (payload: Payload<E>) => void): void
  broadcast<E extends Event>(event: E, payload: z.input<E['payload']>): Promise<void>
  /** Asks another service on behalf of an actor. */
  ask<R extends Request>(
    request: R,
    input: z.input<R['input']>,
    options?: { actor?: Actor; deadlineMs?: number },
  ): Promise<z.output<R['reply']>>
  /** Runs a capability of any service under a person's own rights, as if they had called it. */
  call<E extends Endpoint>(contract: E, input: Args<E>, options: Calling): Promise<Reply<E>>
  /** The effect that a call would have, for the person to approve. Nothing is done. */
  preview<E extends Endpoint>(contract: E, input: Args<E>, options: Pick<Calling, 'actor'>): Promise<Preview>
  answer<R extends Request>(request: R, run: (ctx: Ctx<DB>, input: z.output<R['input']>) => Promise<z.input<R['reply']>>): void
  /** Runs a job; with `cron` or `everyMs` also on that schedule, once across all instances. */
  job<J extends Job>(
    job: J,
    run: (ctx: Ctx<DB>, run: JobRun<Payload<J>>) => Promise<unknown>,
    options?: { concurrency?: number; cron?: string; everyMs?: number },
  ): void
  /** Reads a figure that all instances share, now and then; the instance that leads shows it. */
  measure(look: () => Promise<void>): void
  /** A context for work that no caller waits for. */
  ctx(actor?: Actor): Ctx<DB>
  /** Runs on drain, last registered first. */
  onStop(stop: () => Promise<unknown> | unknown): void
  /** Runs once everything is registered and the bus is up. */
  onStart(start: () => Promise<unknown> | unknown): void
}

/** Whether it answers callers, what of it is away, and whom the sandbox plays for it. Without a broker it still reads, and keeps what it would send. */
export type Readiness = { ok: boolean; failing: string[]; sandboxed: ThirdParty[] }

export type RunningService = {
  name: ServiceName
  app: FastifyInstance
  rt: Runtime
  /** Begins to consume, relay and work: after every service of the process is prepared. */
  start(): Promise<void>
  ready(): Promise<Readiness>
  drain(): Promise<void>
  close(): Promise<void>
}

const CLOSE_WITHIN_MS = 3000

/** Shared by the services of one process. */
export type Infra = { env: Env; config: KitConfig; log: Logger; metrics: Metrics; shared: Shared; vault: Vault }

export async function createInfra(env: Env, options: { log?: Logger } = {}): Promise<Infra> {
  const config = readKitConfig(env)
  const log = options.log ?? createLogger(config.LOG_LEVEL)
  await startTracing(config, log)
  return { env, config, log, metrics: createMetrics(VERSION), shared: new Map(), vault: await Vault.open(config) }
}

export async function prepareService<DB, C>(definition: ServiceDefinition<DB, C>, infra: Infra): Promise<RunningService> {
  const { name } = definition
  const { env, config: kit, metrics, vault } = infra
  const config = readEnv(definition.config, env)
  const log = infra.log.child({ service: name })
  refuseOwnStores(kit, ['STORAGE_URL', 'CACHE_URL'])
  const url = databaseUrl(kit, env, name)
  const keyless = definition.sandboxed?.(config) ?? []
  if (keyless.length && !sandboxIsOpen(kit))
    log.warn(
      { missing: keyless },
      'these third parties have no keys and no stand-in: calls that need them answer 503 until their keys are set',
    )
  await ensureDatabase(url, patienceOf(kit, log))
  await migrate(url, definition.migrations, log)
  const broken = (err: Error) => log.warn({ err }, 'an idle database connection broke')
  const { db, pool } = openDatabase<DB & KitDb>(url, poolOf(kit), broken, sqlLog(name))
  const kitDb = db as unknown as Kysely<KitDb>
  await demandFleetKey(db, vault, kit, name)
  const pools = Object.entries(poolsOf({ db, pool }))
  const leavePools = metrics.pools(() =>
    pools.flatMap(([pool, { totalCount, idleCount, waitingCount }]) =>
      Object.entries({ busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount }).map(([state, value]) => ({
        labels: { service: name, pool, state },
        value,
      })),
    ),
  )
  if (sandboxIsOpen(kit)) metrics.sandboxed(() => keyless.map((provider) => ({ labels: { service: name, provider }, value: 1 })))
  const leaveClock = await followClock(db, log)

  const owner = { service: name, db: kitDb, log }
  const bus = await openBus(infra, owner)
  const jobs = await openJobs(infra, { ...owner, databaseUrl: url })
  const cache = await openCache(infra)
  const verifier = openVerifier(infra, bus)
  const calls = new Map<string, Served>()
  const app = createHttp({ service: name, db: kitDb as never, log, verifier, metrics, calls })
  const storage = await openStorage(infra, name, app)
  const stops: (() => unknown)[] = []
  const starts: (() => unknown)[] = []
  const measures: (() => Promise<void>)[] = []

  const context = (actor: Actor = { kind: 'service' }): Ctx<DB> => ({
    db,
    actor,
    log,
    requestId: newId(),
    ip: '',
    userAgent: '',
    signal: new AbortController().signal,
  })
  type Hear = (trx: Transaction<DB & KitDb>, envelopes: Envelope<any>[], ctx: Ctx<DB>) => Promise<void>
  function consumer(event: Event, handler: string, run: Hear) {
    const hear = (envelopes: Envelope[]) => {
      const [first, ...more] = envelopes
      // A batch is nobody's step alone.
      const of = more.length
        ? { links: envelopes.flatMap(({ trace }) => trace ?? []) }
        : { parent: first!.trace, about: { requestId: first!.id, tenant: first!.user_id } }
      return inSpan({ service: name, kind: 'consumer', name: `${event.name} ${handler}`, ...of }, () =>
        runManyOnce(db as never, `${name}.${handler}`, envelopes, (trx, fresh) => {
          const read = fresh.map((envelope) => ({ ...envelope, payload: event.payload.parse(envelope.payload) }))
          return run(trx as never, read, context())
        }),
      )
    }
    return { handler: `${name}.${handler}`, event: event.name, hear, run: (envelope: Envelope) => hear([envelope]) }
  }
  const rt: Runtime<DB, C> = {
    name,
    config,
    kit,
    env,
    app,
    db,
    log,
    metrics,
    providers: new ProviderWatch(name, metrics),
    storage,
    cache,
    vault,
    jobs,
    verifier,
    on: (event, handler, run) => bus.consume(consumer(event, handler, (trx, [envelope], ctx) => run(trx, envelope!, ctx))),
    onMany: (event, handler, run) => {
      const one = consumer(event, handler, run)
      bus.consume({ ...one, runMany: one.hear })
    },
    onBroadcast: (event, run) => bus.onBroadcast(event.name, (payload) => run(event.payload.parse(payload) as never)),
    broadcast: async (event, payload) => {
      stayInside('other instances')
      await bus.broadcast(event.name, event.payload.parse(payload))
    },
    ask: (request, input, asking) =>
      inSpan({ service: name, kind: 'client', name: `ask ${request.name}`, parent: currentTrace() }, () =>
        askOver({ bus, vault }, request, input, { ...asking, trace: currentTrace() }),
      ),
    call: (contract, input, calling) => callOver({ bus, vault, service: name }, contract, input, calling),
    preview: (contract, input, calling) => previewOver({ bus, vault, service: name }, contract, input, calling),
    answer: (request, run) =>
      bus.reply(request.name, async (signed) => {
        const { actor, input, trace } = verifyRequest(vault, request.name, signed)
        return inSpan({ service: name, kind: 'server', name: `answer ${request.name}`, parent: trace }, async () =>
          request.reply.parse(await run(context(actor), request.input.parse(input) as never)),
        )
      }),
    job: (job, run, { concurrency, cron, everyMs } = {}) => {
      jobs.handle(
        job.name,
        (work) => run({ ...context(), signal: work.signal }, { ...work, payload: job.payload.parse(work.payload) as never }),
        { concurrency, attempts: job.attempts, priority: job.priority },
      )
      if (cron) jobs.schedule(job.name, { cron })
      if (everyMs) jobs.schedule(job.name, { everyMs })
    },
    measure: (look) => void measures.push(look),
    ctx: context,
    onStop: (stop) => void stops.unshift(stop),
    onStart: (start) => void starts.push(start),
  }
  projectEntitlements(rt as unknown as Runtime)
  verifier.listenTo(bus)
  await definition.setup(rt)
  const limits = new Limits(readEnv(RateSettings, env), cache, log)
  answerCalls({ service: name, bus, vault, verifier, limits, log, calls, previewed: definition.previewed ?? {}, context })
  await app.ready()

  const databaseIsThere = watched(() => databaseAnswers(db))
  const storageIsThere = watched(() => storage.ready())
  let relay: { stop(): Promise<void> } | null = null
  return {
    name,
    app,
    rt: rt as unknown as Runtime,
    async start() {
      await bus.start()
      stops.push(verifier.askUntilTold())
      await jobs.start()
      relay = startRelay({ db: kitDb, bus, jobs, log, metrics, service: name, measures, measureEveryMs: kit.MEASURE_EVERY_MS })
      for (const start of starts) await start()
    },
    async ready() {
      const [database, stored] = await Promise.all([databaseIsThere(), storageIsThere()])
      const checks = { database, bus: bus.ready(), jobs: jobs.ready(), storage: stored }
      const failing = Object.entries(checks)
        .filter(([, ok]) => !ok)
        .map(([what]) => `${name}: ${what}`)
      return { ok: database, failing, sandboxed: sandboxIsOpen(kit) ? keyless : [] }
    },
    async drain() {
      for (const stop of stops) await stop()
      await relay?.stop()
      await jobs.drain()
      await bus.drain()
    },
    async close() {
      leaveClock()
      leavePools()
      // Callers that keep a connection open without a request would hold the end up.
      const cut = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS)
      await app.close()
      clearTimeout(cut)
      await jobs.close()
      await bus.close()
      await cache.close()
      await flushTraces()
      await db.destroy()
      if (!pool.ended) await pool.end()
    },
  }
}

export type { Input, Output }
