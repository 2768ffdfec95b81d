import type { Request } from '@operon/contracts/contract'
import type { ServiceName } from '@operon/contracts/services'
import { type AllInOne, startAllInOne } from '@operon/deploy/all-in-one'
import { type Fleet, startFleet } from '@operon/deploy/fleet'
import type { Counts } from '@operon/deploy/fleet-control'
import { connectRedis } from '@operon/kit/cache/redis'
import { databaseUrl, type Env } from '@operon/kit/config'
import { openDatabase } from '@operon/kit/db'
import { createHttp } from '@operon/kit/http'
import { createMetrics } from '@operon/kit/metrics'
import { openBus, openStorage } from '@operon/kit/open'
import { askOver } from '@operon/kit/requests'
import { createInfra } from '@operon/kit/service'
import type { Storage } from '@operon/kit/storage/storage'
import { createLogger } from '@operon/kit/telemetry'
import type { Vault } from '@operon/kit/vault'
import type { Kysely } from 'kysely'
import type { z } from 'zod'

/** The target: this process, or a fleet with each service in processes of its own over NATS and Redis. */
export type Platform = {
  url: string
  /** Where this machine reaches it, whatever PUBLIC_URL says. */
  address: string
  vault: Vault
  db(service: ServiceName): Kysely<any>
  ask<R extends Request>(request: R, input: z.input<R['input']>): Promise<z.output<R['reply']>>
  /** Signs links to a service's files, with the key of the fleet. */
  storage(service: ServiceName): Promise<Storage>
  /** Jobs that wait or run. */
  waiting(service: ServiceName): Promise<number>
  /** Only in this process. */
  services: AllInOne['services'] | null
  stop(): Promise<void>
}
type Options = { env: Env; services?: readonly ServiceName[]; web: boolean; log?: (line: string) => void }

/** Over Unix sockets, or with `--tcp` over ports of this machine. */
export const asFleet = process.argv.includes('--fleet')
const overTcp = process.argv.includes('--tcp')

/** As where real people come: nothing counts before it is confirmed, staff have a second factor, the stand-ins ask for their key. */
export const SERVICE_KEY = 'attack-service-key-0123456789'
export const SANDBOX_KEY = 'attack-sandbox-key-0123456789'
export const production: Env = { ...process.env, NODE_ENV: 'production', SANDBOX_KEY, SERVICE_KEY }
/** Where limits are kept in common, two count together: one instance alone would hide a limit of its own. */
const PAIRS: Counts = { identity: 2, 'ai-gateway': 2 }

/** Fleets at one address, some at the same time: each has 200 ports of its own, below those that the system gives out. */
const FIRST = 10_000 + (process.pid % 5) * 4_400
let fleets = 0
const ownPorts = (): Env => ({ FLEET_ADDRESS: '127.0.0.1', FLEET_PORT: String(FIRST + fleets++ * 200) })

export async function startPlatform(options: Options): Promise<Platform> {
  if (asFleet) return ofFleet(await startFleet({ ...options, env: { ...(overTcp && ownPorts()), ...options.env }, counts: PAIRS }))
  const running = await startAllInOne(options)
  const rt = (service: ServiceName) => running.services[service]!.rt
  return {
    ...running,
    // One key for all of them.
    vault: Object.values(running.services)[0]!.rt.vault,
    db: (service) => rt(service).db,
    ask: (request, input) => Object.values(running.services)[0]!.rt.ask(request, input),
    storage: async (service) => rt(service).storage,
    waiting: (service) => rt(service).jobs.waiting(),
  }
}

async function ofFleet(fleet: Fleet): Promise<Platform> {
  const log = createLogger('silent')
  const infra = await createInfra(fleet.env, { log })
  const { vault, config, env } = infra
  const bus = await openBus(infra, { service: 'gateway', db: undefined as never, log })
  const redis = await connectRedis(env.QUEUE_URL!, log, 'queue')
  const open = new Map<ServiceName, Kysely<any>>()
  return {
    url: fleet.url,
    address: `http://127.0.0.1:${env.PORT}`,
    vault,
    services: null,
    db(service) {
      const db = open.get(service) ?? openDatabase<any>(databaseUrl(config, env, service), 2, () => {}).db
      open.set(service, db)
      return db
    },
    ask: (request, input) => askOver({ bus, vault }, request, input),
    storage: (service) =>
      openStorage(
        infra,
        service,
        createHttp({ service, log, db: undefined as never, verifier: undefined as never, metrics: createMetrics() }),
      ),
    async waiting(service) {
      const keys = await redis.keys(`operon:*${service}*`)
      const counts = keys.map((key) =>
        /:(wait|active)$/.test(key) ? redis.llen(key) : key.endsWith(':prioritized') ? redis.zcard(key) : Promise.resolve(0),
      )
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    },
    async stop() {
      for (const db of open.values()) await db.destroy()
      redis.disconnect()
      await bus.close()
      await fleet.stop()
    },
  }
}
