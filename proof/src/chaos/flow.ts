import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { connectNats } from '@operon/kit/bus/nats-connection'
import { createLogger } from '@operon/kit/telemetry'
import { until, type World } from './world.ts'

/** One durable handler, as the broker knows it: every event of that name must end in the inbox of that service. */
export type Reader = { service: ServiceName; handler: string; event: string }
type Sent = { id: string; name: string; from: ServiceName }

/** The consumers of each event, asked of the broker while it is whole, so that a handler that a fault makes disappear is missed. */
export async function readersOf(world: World): Promise<Reader[]> {
  const nats = await connectNats(world.fleet.env.BUS_URL!, createLogger('silent'))
  try {
    const readers: Reader[] = []
    for await (const stream of nats.jsm.streams.list())
      for await (const { config } of nats.jsm.consumers.list(stream.config.name)) {
        // `billing_open-account__identity_user_created`
        const [handler = ''] = config.durable_name!.split('__')
        const service = serviceNames.find((name) => handler.startsWith(`${name}_`))
        if (service) readers.push({ service, handler, event: config.filter_subject!.replace(/^evt\./, '') })
      }
    return readers
  } finally {
    await nats.close()
  }
}

/** A row is one event, or several that one statement told together. */
const EVENTS = `
  select coalesce(each ->> 'id', o.id::text) as id, coalesce(each ->> 'name', o.name) as name
  from outbox o left join jsonb_array_elements(case jsonb_typeof(payload) when 'array' then payload end) each on true
  where kind = 'event'`

export async function committedEvents(world: World): Promise<Sent[]> {
  const all = await Promise.all(
    serviceNames.map(async (from) =>
      (await world.query<{ id: string; name: string }>(from, EVENTS)).map((row) => ({
        ...row,
        from,
      })),
    ),
  )
  return all.flat().filter(({ id }) => !world.poisoned.has(id))
}

/** Deliveries that have not been done, for events committed until now or for those given. */
export async function unheard(world: World, readers: Reader[], events?: Sent[]): Promise<string[]> {
  const sent = events ?? (await committedEvents(world))
  const services = [...new Set(readers.map(({ service }) => service))]
  const done = new Map(await Promise.all(services.map(async (service) => [service, await doneIn(world, service)] as const)))
  const listening = Map.groupBy(readers, ({ event }) => event)
  return sent.flatMap(({ id, name }) =>
    (listening.get(name) ?? [])
      .filter((reader) => !done.get(reader.service)!.has(`${reader.handler} ${id}`))
      .map(({ handler }) => `${name} ${id} in ${handler}`),
  )
}

async function doneIn(world: World, service: ServiceName): Promise<Set<string>> {
  const rows = await world.query(service, `select handler, event_id from inbox where done_at is not null and handler <> 'job'`)
  return new Set(rows.map(({ handler, event_id }) => `${handler.replaceAll('.', '_')} ${event_id}`))
}

export type Waiting = { service: ServiceName; what: string; count: number }

/** Work still on its way anywhere: rows to be sent, jobs to be done. */
export async function waiting(world: World): Promise<Waiting[]> {
  const rows = await Promise.all(
    serviceNames.map(async (service) => {
      const [row] = await world.query(
        service,
        `select count(*) filter (where sent_at is null and (attempts > 0 or available_at < now() + interval '15 seconds'))::int as unsent,
           count(*) filter (where kind = 'job' and sent_at is not null and not exists
             (select from inbox i where i.handler = 'job' and i.event_id = o.id and i.done_at is not null))::int as jobs
         from outbox o where not id = any($1::uuid[])`,
        [[...world.poisoned]],
      )
      return [
        { service, what: 'rows to be sent', count: row.unsent },
        { service, what: 'jobs to be done', count: row.jobs },
      ]
    }),
  )
  return rows.flat().filter(({ count }) => count > 0)
}

/** Waits until nothing is on its way; answers how long that took, or what still is. */
export async function settle(world: World, readers: Reader[], withinMs = 30_000): Promise<{ ms: number; left: string[] }> {
  let left: string[] = []
  const began = performance.now()
  await until(
    async () => {
      const rows = await waiting(world)
      // All events of a long run are not read again and again while rows are still to be sent.
      const deliveries = rows.length > 0 && performance.now() - began < withinMs ? [] : await unheard(world, readers)
      left = [...rows.map(({ service, what, count }) => `${service}: ${count} ${what}`), ...deliveries]
      return left.length === 0
    },
    withinMs * world.patience,
    100,
  )
  return { ms: performance.now() - began, left }
}

/**
 * Work that was counted more than once, wherever two tables or two sides count the same. An answer that its caller no longer waits for may
 * end after all else has come to rest and is one side ahead for a moment; what is there twice stays so.
 */
export async function doubled(world: World): Promise<string[]> {
  let found: string[] = []
  await until(
    async () => {
      found = await countedTwice(world)
      return found.length === 0
    },
    5_000 * world.patience,
    250,
  )
  return found
}

async function countedTwice(world: World): Promise<string[]> {
  const counted = `select user_id || ' ' || period_start as whose, used from`
  const [[facts], answers, counters, billed] = await Promise.all([
    world.query('analytics', 'select count(*)::int as rows, count(distinct event_id)::int as events from facts'),
    world.query(
      'ai-gateway',
      `select user_id, c.used, coalesce(u.answers, 0)::int as answers, coalesce(r.unknown, 0)::int as unknown
       from (select user_id, sum(used)::int as used from usage_counters where unit = 'prompts' group by 1) c
         left join (select user_id, count(*) as answers from ai_usage group by 1) u using (user_id)
         left join (select user_id, count(*) as unknown from usage_reservations where state = 'unknown' group by 1) r using (user_id)`,
    ),
    world.query('ai-gateway', `${counted} usage_counters where unit = 'prompts'`),
    world.query('billing', `${counted} usage where unit = 'prompts'`),
  ])
  const found = facts.rows > facts.events ? [`${facts.rows - facts.events} facts twice`] : []
  for (const row of answers)
    if (row.used !== row.answers + row.unknown)
      found.push(`prompts of ${row.user_id}: ${row.used} counted, ${row.answers} answered, ${row.unknown} unknown`)
  const spent = new Map(counters.map(({ whose, used }) => [whose, used]))
  for (const { whose, used } of billed)
    if (spent.get(whose) !== used) found.push(`prompts of ${whose}: billing shows ${used}, ai-gateway ${spent.get(whose)}`)
  const customers = Map.groupBy(world.truth('customer'), ({ metadata }) => metadata?.user_id)
  for (const [userId, made] of customers) if (userId && made.length > 1) found.push(`${made.length} customers of ${userId}`)
  return found
}
