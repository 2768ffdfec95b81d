import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { contracts } from '@operon/contracts/registry'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { databaseUrl, type Env, isServiceName, SetupError } from '@operon/kit/config'
import { openDatabase } from '@operon/kit/db'
import { parkedEvents, replayParked } from '@operon/kit/inbox'
import { createBullJobs } from '@operon/kit/jobs/bullmq'
import type { Jobs } from '@operon/kit/jobs/jobs'
import { openPostgresQueue } from '@operon/kit/jobs/postgres'
import { openRedisQueue } from '@operon/kit/jobs/redis'
import { replayOutbox } from '@operon/kit/outbox'
import type { KitDb } from '@operon/kit/schema'
import { createLogger } from '@operon/kit/telemetry'
import { exitWith, launcherEnv } from './launcher.ts'
import { say } from './log.ts'
import { checkEnv } from './services.ts'

const usage = `npm run replay                              lists what is parked
npm run replay -- <id>                      does it again, once it can succeed; "all" for everything
npm run replay -- <service> <from> [<to>]   sends the events of that time again, for a broker that lost them`

type Parked = { service: ServiceName; what: string; id: string; attempts: number; error: string; at: Date; replay(): Promise<boolean> }
const log = createLogger('silent')

/** What a platform that runs on this environment or in this DATA_DIR has parked, and how to do it again. */
export async function openParked(given: Env) {
  const config = checkEnv(given, [])
  const dataDir = resolve(config.DATA_DIR)
  const kit = { ...config, DATABASE_URL: config.DATABASE_URL ?? keptUrl(dataDir, 'postgres') }
  // A fleet keeps its jobs in the Redis of its folder.
  const redis = given.QUEUE_URL ?? (existsSync(join(dataDir, 'run/fleet.json')) ? keptUrl(dataDir, 'redis') : 'postgres:')
  const databases = new Map(serviceNames.map((name) => [name, openDatabase<KitDb>(databaseUrl(kit, given, name), 1, () => {})]))

  async function withJobs<T>(service: ServiceName, lane: string, run: (jobs: Jobs) => Promise<T>): Promise<T> {
    const store = redis.startsWith('postgres')
      ? openPostgresQueue(databases.get(service)!.url, log)
      : await openRedisQueue(redis, log, 3000)
    const deaf = { progress: async () => {}, tellCancel: async () => {}, onCancel: () => {} }
    const jobs = createBullJobs({ service: lane, db: databases.get(service)!.db, log, ...store, ...deaf })
    return run(jobs).finally(() => jobs.close())
  }

  async function jobsOf(service: ServiceName): Promise<Parked[]> {
    const found: Parked[] = []
    // A job with a width of its own has a queue of its own.
    for (const lane of [service, ...jobNames(service)])
      for (const { id, name, attempts, error, parkedAt } of await withJobs(service, lane, (jobs) => jobs.parked()))
        found.push({
          service,
          what: `job ${name}`,
          id,
          attempts,
          error,
          at: parkedAt,
          replay: () => withJobs(service, lane, (jobs) => jobs.replay(id)),
        })
    return found
  }

  async function eventsOf(service: ServiceName): Promise<Parked[]> {
    const { db } = databases.get(service)!
    return (await parkedEvents(db)).map(({ handler, eventId: id, envelope, attempts, error, parkedAt: at }) => {
      const replay = () => replayParked(db, handler, id)
      return { service, what: `event ${envelope.name} in ${handler}`, id, attempts, error, at, replay }
    })
  }

  return {
    list: async () => (await Promise.all(serviceNames.map(async (name) => [...(await eventsOf(name)), ...(await jobsOf(name))]))).flat(),
    resend: (service: ServiceName, from: Date, to: Date) => replayOutbox(databases.get(service)!.db, { from, to, kind: 'event' }),
    close: () => Promise.all([...databases.values()].map(({ db }) => db.destroy())),
  }
}

/** The address that a launcher made for itself. */
function keptUrl(dataDir: string, what: 'postgres' | 'redis'): string {
  const note = join(dataDir, what, 'operon.json')
  if (!existsSync(note)) throw new SetupError(`No platform has run in ${dataDir}: set DATA_DIR, or DATABASE_URL and QUEUE_URL`)
  const { port, password, secret } = JSON.parse(readFileSync(note, 'utf8'))
  return what === 'redis' ? `redis://:${secret}@127.0.0.1:${port}/0` : `postgres://operon:${password}@127.0.0.1:${port}/postgres`
}

const jobNames = (service: ServiceName): string[] =>
  Object.values(contracts[service]).flatMap((contract) =>
    contract?.kind === 'job' ? [`${service}.${contract.name.split('.').at(-1)}`] : [],
  )

async function main(args: string[]) {
  const [first, from, to] = args
  const parked = await openParked(launcherEnv())
  try {
    if (first && isServiceName(first))
      return say(`${await parked.resend(first, timeOf(from), to ? timeOf(to) : new Date())} events of ${first} are sent again`)
    const found = await parked.list()
    const meant = found.filter(({ id }) => first === 'all' || first === id)
    if (first && !meant.length) throw new SetupError(`nothing is parked as ${first}\n${usage}`)
    for (const each of meant) say(`${(await each.replay()) ? 'again' : 'gone '}  ${each.service}: ${each.what} ${each.id}`)
    if (first) return
    for (const { service, what, id, attempts, at, error } of found)
      say(`${id}  ${service}: ${what}, ${attempts} tries, parked ${at.toISOString()}\n  ${error.split('\n')[0]}`)
    say(found.length ? `\n${usage}` : 'Nothing is parked.')
  } finally {
    await parked.close()
  }
}

function timeOf(text: string | undefined): Date {
  const time = new Date(text ?? '')
  if (Number.isNaN(time.getTime())) throw new SetupError(`"${text ?? ''}" is no time such as 2026-11-21T10:00:00Z\n${usage}`)
  return time
}

if (import.meta.main) await main(process.argv.slice(2)).then(() => process.exit(0), exitWith)
