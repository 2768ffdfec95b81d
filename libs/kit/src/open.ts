import { join } from 'node:path'
import { findKey } from '@operon/contracts/identity/keys'
import { jobCancelled, jobProgress } from '@operon/contracts/usage'
import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import { TokenVerifier, type Verification } from './auth.ts'
import type { Bus, BusOwner } from './bus/bus.ts'
import { createLocalBus, type Hub } from './bus/local.ts'
import type { Cache } from './cache/cache.ts'
import { createMemoryCache } from './cache/memory.ts'
import { hearTime } from './clock.ts'
import type { KitConfig } from './config.ts'
import { HOT_CONNECTIONS } from './db.ts'
import { DomainError } from './errors.ts'
import { hold } from './held.ts'
import { type Jobs, QUEUE_CONNECTIONS } from './jobs/jobs.ts'
import { refuseOwnStores } from './joining.ts'
import { KeyRing } from './keys.ts'
import type { Patience } from './patience.ts'
import { askOver, signRequest } from './requests.ts'
import type { KitDb } from './schema.ts'
import type { Infra } from './service.ts'
import { createFileStorage } from './storage/file.ts'
import { addLinks } from './storage/links.ts'
import type { Storage } from './storage/storage.ts'
import type { Logger } from './telemetry.ts'
import { outside } from './trial.ts'

/** Shared by the services of one process: the hub of the local bus, and one connection to each broker. */
export type Shared = Map<string, unknown>

export const patienceOf = ({ START_WAIT_S }: KitConfig, log: Logger): Patience => ({ log, withinMs: START_WAIT_S * 1000 })
const schemeOf = (url: string) => url.slice(0, url.indexOf(':') + 1)

export async function openBus(infra: Infra, owner: BusOwner): Promise<Bus> {
  const bus = await openBusOf(infra, owner)
  infra.shared.set(`bus of ${owner.service}`, bus)
  return bus
}

async function openBusOf({ config, shared, vault }: Infra, owner: BusOwner): Promise<Bus> {
  if (schemeOf(config.BUS_URL) !== 'local:') {
    const [{ createNatsBus }, { connectNats }, { createSeal }] = await Promise.all([
      import('./bus/nats.ts'),
      import('./bus/nats-connection.ts'),
      import('./bus/seal.ts'),
    ])
    const connection = hold(
      shared,
      'nats',
      () => connectNats(config.BUS_URL, owner.log, config.START_WAIT_S * 1000),
      (opened) => opened.close(),
    )
    const seal = createSeal({ key: vault.derive('fleet-messages'), log: owner.log, unsignedUntil: config.BUS_UNSIGNED_UNTIL })
    return createNatsBus(await connection.value, owner, seal, connection.release)
  }
  const hub = (shared.get('hub') ?? new Set()) as Hub
  shared.set('hub', hub)
  return createLocalBus(hub, owner)
}

/** Identity refused this service, not the caller, so the caller hears that it is unavailable. */
const refusedUs = (cause: unknown): never => {
  throw new DomainError('unavailable', { cause })
}

/** Asks identity, over the bus, for its keys and for what it took back. */
export function openVerifier({ config, vault, log }: Infra, bus: Bus): TokenVerifier {
  const question = 'identity.verification'
  return new TokenVerifier({
    async load() {
      const askedAt = Date.now()
      const asking = bus.request(question, signRequest(vault, question, {}, { kind: 'service' }), 3000, {
        mayRepeat: true,
      }) as Promise<Verification>
      const said = await asking.catch(refusedUs)
      if (said.at) hearTime(said.at, askedAt, log)
      return said
    },
    keys: new KeyRing({ ask: (hash) => askOver({ bus, vault }, findKey, { hash }, { deadlineMs: 3000 }).catch(refusedUs) }),
    publishableKeys: config.PUBLISHABLE_KEYS.split(','),
    serviceKey: config.SERVICE_KEY,
  })
}

/** The connections of a process are shared out: the queue's connections, where it is in PostgreSQL, the hot paths', and the rest for all else. */
export const poolOf = ({ DATABASE_POOL, QUEUE_URL }: KitConfig): number =>
  DATABASE_POOL - HOT_CONNECTIONS - (schemeOf(QUEUE_URL) === 'postgres:' ? QUEUE_CONNECTIONS : 0)

type JobsOwner = { service: string; db: Kysely<KitDb>; log: Logger; databaseUrl: string }

export async function openJobs({ config, shared, metrics }: Infra, { service, db, log, databaseUrl }: JobsOwner): Promise<Jobs> {
  const bus = shared.get(`bus of ${service}`) as Bus
  const progressEvent = jobProgress(service)
  const cancelled = jobCancelled(service).name
  const common = {
    service,
    db,
    log,
    progress: (progress: unknown) => bus.broadcast(progressEvent.name, progressEvent.payload.parse(progress)),
    tellCancel: (id: string) => bus.broadcast(cancelled, { id }),
    seen: ({ name, outcome, seconds }: { name: string; outcome: string; seconds: number }) =>
      metrics.jobs.observe({ service, job: name, outcome }, seconds),
    onCancel: (stop: (id: string) => void) => bus.onBroadcast(cancelled, ({ id }) => stop(id)),
  }
  // The gateway has no jobs.
  const { createBullJobs } = await import('./jobs/bullmq.ts')
  if (schemeOf(config.QUEUE_URL) === 'postgres:') {
    const { openPostgresQueue } = await import('./jobs/postgres.ts')
    return createBullJobs({ ...common, ...openPostgresQueue(databaseUrl, log) })
  }
  const { openRedisQueue } = await import('./jobs/redis.ts')
  const held = hold(
    shared,
    'queue',
    () => openRedisQueue(config.QUEUE_URL, log, config.START_WAIT_S * 1000),
    (queue) => queue.close(),
  )
  return createBullJobs({ ...common, ...(await held.value), close: held.release })
}

export async function openCache({ config, shared, log }: Infra): Promise<Cache> {
  refuseOwnStores(config, ['CACHE_URL'])
  const held = hold(
    shared,
    'cache',
    async () => {
      if (schemeOf(config.CACHE_URL) === 'memory:') return createMemoryCache()
      const { createRedisCache } = await import('./cache/redis.ts')
      return createRedisCache(config.CACHE_URL, log)
    },
    (cache) => cache.close(),
  )
  const cache = { ...(await held.value), close: held.release }
  return outside(cache, 'what instances share', ['set', 'add', 'delete', 'take'])
}

export async function openStorage({ config, vault, log }: Infra, service: string, app: FastifyInstance): Promise<Storage> {
  const links = { app, service, publicUrl: config.PUBLIC_URL, secret: vault.derive('files') }
  if (schemeOf(config.STORAGE_URL) === 's3:') {
    const { createS3Storage } = await import('./storage/s3.ts')
    return addLinks(written(await createS3Storage(config.STORAGE_URL, service, log)), links)
  }
  // `file:` alone is a folder of DATA_DIR; `file:///srv/files` names one.
  const path = config.STORAGE_URL.replace(/^file:(\/\/)?/, '')
  return addLinks(written(await createFileStorage(join(path || join(config.DATA_DIR, 'storage'), service))), links)
}

const written = (store: Omit<Storage, 'signedUrl'>) => outside(store, 'a file', ['put', 'delete', 'begin', 'append', 'finish', 'abandon'])
