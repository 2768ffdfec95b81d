import { hostname, userInfo } from 'node:os'
import { contracts } from '@operon/contracts/registry'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import type { Kysely } from 'kysely'
import { databaseUrl, type Env, isServiceName, readKitConfig, SetupError } from './config.ts'
import { demandDatabase, openDatabase } from './db.ts'
import { newId } from './ids.ts'
import { discardParked, parkedEvents, replayParked } from './inbox.ts'
import { createBullJobs } from './jobs/bullmq.ts'
import type { Jobs } from './jobs/jobs.ts'
import { openPostgresQueue } from './jobs/postgres.ts'
import { openRedisQueue } from './jobs/redis.ts'
import { replayOutbox } from './outbox.ts'
import type { KitDb } from './schema.ts'
import { createLogger } from './telemetry.ts'

const usage = `npm run replay                              lists what is parked
npm run replay -- <id>                      does it again, once it can succeed; "all" for everything
npm run replay -- --discard <id> --reason <why>   never does it, and writes down who decided so and why
npm run replay -- <service> <from> [<to>]   sends the events of that time again, for a broker that lost them`

type Store = ReturnType<typeof openPostgresQueue> | Awaited<ReturnType<typeof openRedisQueue>>
type Parked = {
  service: ServiceName
  what: string
  id: string
  attempts: number
  error: string
  at: Date
  replay(): Promise<boolean>
  discard(reason: string): Promise<boolean>
}
const log = createLogger('silent')

/** Lists the parked messages of a platform that runs on this environment, and replays them. */
export async function openParked(given: Env) {
  const kit = readKitConfig(given)
  const databases = new Map(serviceNames.map((name) => [name, openDatabase<KitDb>(databaseUrl(kit, given, name), 1, () => {})]))

  // All lanes of a service share a store: a service has up to a dozen lanes, and a listing looks into each.
  const stores = new Map<ServiceName, Promise<Store>>()
  const storeOf = (service: ServiceName) => {
    const open = async (): Promise<Store> =>
      kit.QUEUE_URL.startsWith('postgres') ? openPostgresQueue(databases.get(service)!.url, log) : openRedisQueue(kit.QUEUE_URL, log, 3000)
    if (!stores.has(service)) stores.set(service, open())
    return stores.get(service)!
  }

  async function withJobs<T>(service: ServiceName, lane: string, run: (jobs: Jobs) => Promise<T>): Promise<T> {
    const shared = { ...(await storeOf(service)), close: async () => {} }
    const deaf = { progress: async () => {}, tellCancel: async () => {}, onCancel: () => {} }
    const jobs = createBullJobs({ service: lane, db: databases.get(service)!.db, log, ...shared, ...deaf })
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
          discard: async (reason) => {
            const { db } = databases.get(service)!
            // Written down first: nothing goes without its reason.
            const written = await writeDown(db, { id, what: `job ${name}`, attempts, reason })
            const isGone = await withJobs(service, lane, (jobs) => jobs.discard(id))
            if (!isGone) await db.deleteFrom('discarded_work').where('id', '=', written).execute()
            return isGone
          },
        })
    return found
  }

  async function eventsOf(service: ServiceName): Promise<Parked[]> {
    const { db } = databases.get(service)!
    return (await parkedEvents(db)).map(({ handler, eventId: id, envelope, attempts, error, parkedAt: at }) => {
      const replay = () => replayParked(db, handler, id)
      const what = `event ${envelope.name} in ${handler}`
      const discard = (reason: string) =>
        db.transaction().execute(async (trx) => {
          const isGone = await discardParked(trx, handler, id)
          if (isGone) await writeDown(trx, { id, what, attempts, reason })
          return isGone
        })
      return { service, what, id, attempts, error, at, replay, discard }
    })
  }

  return {
    demand: () => demandDatabase(databases.get('identity')!),
    list: async () => (await Promise.all(serviceNames.map(async (name) => [...(await eventsOf(name)), ...(await jobsOf(name))]))).flat(),
    resend: (service: ServiceName, from: Date, to: Date) => replayOutbox(databases.get(service)!.db, { from, to, kind: 'event' }),
    async close() {
      const opened = (await Promise.allSettled(stores.values())).flatMap((store) => (store.status === 'fulfilled' ? [store.value] : []))
      await Promise.all([...opened.map((store) => store.close()), ...[...databases.values()].map(({ db }) => db.destroy())])
    },
  }
}

type Decision = { id: string; what: string; attempts: number; reason: string }
async function writeDown(db: Kysely<KitDb>, { id, what, ...decision }: Decision): Promise<string> {
  const written = newId()
  const discarded_by = `${userInfo().username}@${hostname()}`
  await db
    .insertInto('discarded_work')
    .values({ id: written, ...decision, what: `${what} ${id}`, discarded_by })
    .execute()
  return written
}

const jobNames = (service: ServiceName): string[] =>
  Object.values(contracts[service]).flatMap((contract) =>
    contract?.kind === 'job' ? [`${service}.${contract.name.split('.').at(-1)}`] : [],
  )

/** Does what `npm run replay` does, with the same words after it. */
export async function replay(env: Env, words: string[]) {
  const { discard, reason, rest } = wordsOf(words)
  const [first, from, to] = rest
  const parked = await openParked(env)
  try {
    await parked.demand()
    if (first && isServiceName(first))
      return console.log(`${await parked.resend(first, timeOf(from), to ? timeOf(to) : new Date())} events of ${first} are sent again`)
    const found = await parked.list()
    if (discard) {
      const put = found.filter(({ id }) => id === discard)
      if (!put.length) throw new SetupError(`nothing is parked as ${discard}\n${usage}`)
      for (const each of put) console.log(`${(await each.discard(reason)) ? 'never' : 'gone '}  ${each.service}: ${each.what} ${each.id}`)
      return
    }
    const meant = found.filter(({ id }) => first === 'all' || first === id)
    if (first && !meant.length) throw new SetupError(`nothing is parked as ${first}\n${usage}`)
    for (const each of meant) console.log(`${(await each.replay()) ? 'again' : 'gone '}  ${each.service}: ${each.what} ${each.id}`)
    if (first) return
    for (const { service, what, id, attempts, at, error } of found)
      console.log(`${id}  ${service}: ${what}, ${attempts} tries, parked ${at.toISOString()}\n${indented(error)}`)
    console.log(found.length ? `\n${usage}` : 'Nothing is parked.')
  } finally {
    await parked.close()
  }
}

const indented = (text: string) => text.replace(/^/gm, '  ')

function wordsOf(words: string[]): { discard: string | null; reason: string; rest: string[] } {
  if (!words.includes('--discard')) return { discard: null, reason: '', rest: words }
  const after = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
  const [discard, reason] = [after('--discard'), after('--reason')?.trim()]
  if (!discard || !reason || reason.startsWith('--'))
    throw new SetupError(`--discard needs an id, and --reason why it shall never be done\n${usage}`)
  return { discard, reason, rest: [] }
}

function timeOf(text: string | undefined): Date {
  const time = new Date(text ?? '')
  if (Number.isNaN(time.getTime())) throw new SetupError(`"${text ?? ''}" is no time such as 2026-11-21T10:00:00Z\n${usage}`)
  return time
}

// In a container, where the launchers are not: `docker compose exec billing node libs/kit/src/replay.ts`.
if (import.meta.main)
  await replay(process.env, process.argv.slice(2)).then(
    () => process.exit(0),
    (error) => {
      console.error(error instanceof SetupError ? error.message : error)
      process.exit(1)
    },
  )
