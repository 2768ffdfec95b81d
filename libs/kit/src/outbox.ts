import type { Envelope } from '@operon/contracts/contract'
import { type Kysely, sql } from 'kysely'
import type { Bus } from './bus/bus.ts'
import { runStatement, type Statement, UNSYNCED } from './db.ts'
import { newId } from './ids.ts'
import { forgetDone } from './inbox.ts'
import { JOB_MARK, type Jobs } from './jobs/jobs.ts'
import type { Metrics } from './metrics.ts'
import { Rest } from './rest.ts'
import { forgetKeys, forgetReservations } from './retention.ts'
import type { KitDb } from './schema.ts'
import { type Logger, withoutTrace } from './telemetry.ts'
import { carrying } from './tracing.ts'
import { onPublished } from './tx.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'
const BATCH = 200
const SENT_AT_ONCE = 1000
/** Batches that are on their way at the same time. */
const LANES = 3
/** A relay that dies keeps its rows from the others for so long. */
const LEASE_S = 10
const POLL_MS = 500
const REST_MS = 8_000
/** From this try on a row travels by itself, so that one that cannot be sent holds up no other. */
const ALONE_FROM = 4
const SWEEP_EVERY_MS = 30_000
/** Once in an hour all of them are looked at. */
const WHOLE_EVERY = 120
const LOOK_EVERY_MS = 5_000
const CLEAN_EVERY_MS = 600_000

type OutboxRow = {
  id: string
  kind: 'event' | 'job'
  name: string
  user_id: string | null
  payload: unknown
  trace: string | null
  created_at: Date
  attempts: number
}
/** One of the events that share a row, as the row's payload holds it. */
type Together = { id: string; name: string; user_id: string | null; payload: unknown }
type RelayOptions = {
  db: Kysely<KitDb>
  bus: Bus
  jobs: Jobs
  log: Logger
  metrics: Metrics
  service: string
  measureEveryMs?: number
  measures?: (() => Promise<void>)[]
}

/**
 * Carries what was published to the bus and the queue. Rows are claimed by a lease in one statement, sent with no transaction open, and
 * marked once they are acknowledged: a crash in between sends them again, with the same ids. Order is not promised.
 */
export function startRelay(options: RelayOptions): { stop(): Promise<void> } {
  const { db, bus, jobs, log, metrics, service, measureEveryMs = 20_000, measures = [] } = options
  const lanes = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  const rest = new Rest(POLL_MS, REST_MS)
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let measureTimer: NodeJS.Timeout | undefined
  let failures = 0

  function nudge() {
    if (stopped || lanes.size >= LANES) return
    const lane: Promise<void> = carry()
      .catch((err) => log.warn({ err }, 'the outbox cannot be read, will try again'))
      .finally(() => lanes.delete(lane))
    lanes.add(lane)
  }

  async function carry() {
    while (!stopped) {
      const kinds = kindsOf(bus, jobs)
      const rows = await claim(db, kinds)
      // Rows that wait for a broker go as soon as it is back.
      if (rows.length || kinds.length < 2) rest.end()
      // More may wait: let another lane claim while this one sends.
      if (rows.length === BATCH) nudge()
      if (rows.length) await deliver(rows)
      if (rows.length < BATCH || failures) return
    }
  }

  async function deliver(rows: OutboxRow[]) {
    const together = rows.filter((row) => row.attempts < ALONE_FROM)
    const events = together.filter((row) => row.kind === 'event')
    const work = together.filter((row) => row.kind === 'job')
    await Promise.all([send(events), send(work)])
    const alone = rows.filter((row) => row.attempts >= ALONE_FROM)
    for (let at = 0; at < alone.length; at += 10) await Promise.all(alone.slice(at, at + 10).map((row) => send([row])))
  }

  async function send(rows: OutboxRow[]) {
    if (!rows.length) return
    const ids = rows.map((row) => row.id)
    const carried = carrying(service, rows)
    try {
      if (rows[0]!.kind === 'event') await sendEvents(bus, carried.rows.flatMap(envelopesOf))
      else await jobs.add(carried.rows)
      await runStatement(db, SENT, [ids])
      carried.end()
      failures = 0
    } catch (err) {
      carried.end(err)
      failures++
      const attempts = Math.max(...rows.map((row) => row.attempts))
      log.warn(
        { err, rows: rows.length, attempts, names: [...new Set(rows.map((row) => row.name))] },
        'outbox rows could not be sent, will try again',
      )
      await release(db, ids, Math.min(attempts > 20 ? 60_000 : 2_000, 100 * 2 ** attempts)).catch(() => {})
    }
  }

  function poll() {
    nudge()
    if (!stopped) timer = setTimeout(poll, rest.next())
  }

  function every(ms: number, what: string, work: () => Promise<unknown>) {
    let busy = false
    const run = async () => {
      if (busy || stopped) return
      busy = true
      await work().catch((err) => log.warn({ err }, `${what} failed, will try again`))
      busy = false
    }
    timers.add(setInterval(run, ms * (0.9 + Math.random() / 5)).unref())
  }

  let memory = ''
  /** Does not wait for the sweep where the loss can be seen, as after every start of ours or of the queue's. */
  async function rebuildForgetful() {
    if (!jobs.ready()) return
    const now = await jobs.memory()
    if (now === memory) return
    await jobs.remember()
    await resendLostJobs(db, jobs, 0)
    memory = now
  }

  onPublished(db, () => withoutTrace(nudge))
  poll()
  const instance = newId()
  const measuring = new Rest(measureEveryMs, 3 * measureEveryMs)
  async function measure() {
    const leading = await leads(db, instance)
    metrics.leading.set(service, leading)
    if (!leading) return
    if (await gauge({ db, bus, jobs, metrics, service })) measuring.end()
    for (const look of measures) await look()
  }
  const measuringLater = () => {
    if (!stopped) measureTimer = setTimeout(measureNow, measuring.next()).unref()
  }
  const measureNow = () =>
    void measure()
      .catch((err) => log.warn({ err }, 'measuring what waits failed, will try again'))
      .finally(measuringLater)
  measuringLater()
  every(CLEAN_EVERY_MS, 'cleaning', () => clean(db))
  if (jobs.mayForget) {
    let since: Since = null
    let looks = 0
    every(SWEEP_EVERY_MS, 'looking for lost jobs', async () => {
      ;({ since } = await resendJobs(db, jobs, 20, looks++ % WHOLE_EVERY === 0 ? null : since))
    })
    every(LOOK_EVERY_MS, 'asking whether the queue forgot', rebuildForgetful)
  }
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(measureTimer)
      for (const each of timers) clearInterval(each)
      onPublished(db, () => {})
      await Promise.all(lanes)
    },
  }
}

/** Sends again what was sent in that time, with the same ids: for a broker whose store went back in time. Consumers that have it ignore it. */
export async function replayOutbox(
  db: Kysely<KitDb>,
  { from, to, kind }: { from: Date; to: Date; kind?: 'event' | 'job' },
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ sent_at: null, attempts: 0, available_at: sql`now()` })
    .where('sent_at', '>=', from)
    .where('sent_at', '<=', to)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** All that is known of what is unfinished; `null` looks at every job of the last days. */
type Since = string | null
/** Longer than a row that was marked as sent takes to be seen by others. */
const SEEN_WITHIN_S = 60

/**
 * Jobs that were handed to the queue and neither finished nor are known to it any more are handed over again: a queue that lost
 * its memory is rebuilt from the rows. Adding one that is there changes nothing.
 */
export const resendLostJobs = async (db: Kysely<KitDb>, jobs: Jobs, olderThanS = 20): Promise<number> =>
  (await resendJobs(db, jobs, olderThanS, null)).seen

/** `since`: where the next look begins, at the oldest that is unfinished. Jobs of a whole day would be looked through each time otherwise. */
async function resendJobs(db: Kysely<KitDb>, jobs: Jobs, olderThanS: number, from: Since): Promise<{ seen: number; since: Since }> {
  const { rows: asked } = await sql<{ until: string; later: string }>`
    select (now() - ${olderThanS} * interval '1 second')::text as until,
      (now() - ${olderThanS + SEEN_WITHIN_S} * interval '1 second')::text as later`.execute(db)
  const { until, later } = asked[0]!
  let [after, id, oldest, seen] = [from ?? '-infinity', NOBODY, null as Since, 0]
  for (;;) {
    const { rows } = await sql<OutboxRow & { sent: string }>`
      select id, kind, name, user_id, payload, trace, created_at, attempts, sent_at::text as sent from outbox o
      where kind = 'job' and sent_at < ${until}::timestamptz and (sent_at, id) > (${after}::timestamptz, ${id}::uuid)
        and not exists (select from inbox i where i.handler = ${JOB_MARK} and i.event_id = o.id and i.done_at is not null)
      order by sent_at, id limit ${BATCH}`.execute(db)
    if (!rows.length) return { seen, since: oldest ?? later }
    if (!jobs.ready()) return { seen, since: from }
    oldest ??= rows[0]!.sent
    await jobs.add(rows.map(({ sent: _, ...row }) => row))
    seen += rows.length
    ;({ sent: after, id } = rows.at(-1)!)
  }
}

const kindsOf = (bus: Bus, jobs: Jobs) => [...(bus.ready() ? ['event'] : []), ...(jobs.ready() ? ['job'] : [])]

/** A row is one event, or those that one statement told together, each with an id and a person of its own. */
function envelopesOf({ id, name, created_at, user_id, payload, trace }: OutboxRow): Envelope[] {
  const common = { name, at: created_at.toISOString(), ...(trace && { trace }) }
  if (!Array.isArray(payload)) return [{ ...common, id, user_id, payload }]
  return (payload as Together[]).map((each) => ({ ...common, ...each }))
}

/** A row of many makes a batch of rows a multitude: not all of it at once. */
async function sendEvents(bus: Bus, envelopes: Envelope[]) {
  for (let at = 0; at < envelopes.length; at += SENT_AT_ONCE) await bus.send(envelopes.slice(at, at + SENT_AT_ONCE))
}

/**
 * `available_at` is the time before which nobody takes the row: the wish of who published it at first, then the lease of who carries it.
 * Neither lease nor mark waits for the disk: what a crash undoes is sent once more, with the same ids.
 */
const claim = async (db: Kysely<KitDb>, kinds: string[]): Promise<OutboxRow[]> =>
  kinds.length ? runStatement<OutboxRow>(db, CLAIM, [kinds]) : []

const CLAIM: Statement = {
  name: 'outbox_claim',
  text: `
    with due as materialized (
      select id from outbox where sent_at is null and available_at <= now() and kind = any($1)
      order by available_at, id limit ${BATCH} for update skip locked)
    update outbox set available_at = now() + interval '${LEASE_S} seconds', attempts = attempts + 1
    from due, ${UNSYNCED} where outbox.id = due.id
    returning outbox.id, kind, name, user_id, payload, trace, created_at, attempts`,
}
// By the primary key alone: with `sent_at is null` beside it the planner would search that index through.
const SENT: Statement = { name: 'outbox_sent', text: `update outbox set sent_at = now() from ${UNSYNCED} where id = any($1)` }

const release = (db: Kysely<KitDb>, ids: string[], delayMs: number) =>
  db
    .updateTable('outbox')
    .set({ available_at: sql`now() + ${delayMs} * interval '1 millisecond'` })
    .where('id', 'in', ids)
    .where('sent_at', 'is', null)
    .execute()

/** Longer than an instance at rest waits until it measures again. */
const LEADS_FOR_S = 120
/** Whether this instance tells what all of them see. A mark in the inbox, since every service has one; whoever falls silent loses it. */
export async function leads(db: Kysely<KitDb>, instance: string): Promise<boolean> {
  const { rows } = await sql`
    insert into inbox as i (handler, event_id, envelope, next_at, done_at)
    values ('measure', ${NOBODY}, ${JSON.stringify({ instance })}, now() + ${LEADS_FOR_S} * interval '1 second', now())
    on conflict (handler, event_id) do update set envelope = excluded.envelope, next_at = excluded.next_at, done_at = excluded.done_at
    where i.next_at <= now() or i.envelope->>'instance' = ${instance}
    returning 1`.execute(db)
  return rows.length > 0
}

/** Whether anything waits. */
export async function gauge({ db, bus, jobs, metrics, service }: Omit<RelayOptions, 'log'>): Promise<boolean> {
  // A job that is wished for later does not wait yet.
  const { rows } = await sql<{ waiting: number; oldest_s: number }>`
    select count(*) as waiting, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_s
    from outbox where sent_at is null and (available_at <= now() or attempts > 0)`.execute(db)
  const parked = await db
    .selectFrom('inbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('parked_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const waiting: Record<string, number> = { outbox: rows[0]!.waiting, jobs: await jobs.waiting() }
  for (const [handler, count] of Object.entries(await bus.lag())) waiting[`inbox ${handler}`] = count
  const figures = { ...waiting, 'parked jobs': await jobs.parkedCount(), parked: parked.count }
  for (const [what, count] of Object.entries(figures)) metrics.lag.set({ service, what }, count)
  metrics.oldest.set({ service, what: 'outbox' }, rows[0]!.oldest_s)
  metrics.oldest.set({ service, what: 'jobs' }, (await jobs.oldestWaitingMs()) / 1000)
  return Object.values(waiting).some((count) => count > 0)
}

/** Sent rows stay for a day; a job's until it is finished, so that a queue that forgot it can be told again. */
export async function clean(db: Kysely<KitDb>): Promise<void> {
  const batches = [
    () =>
      sql`
      delete from outbox where id in (
        select id from outbox o where sent_at < now() - interval '24 hours'
          and (kind = 'event' or sent_at < now() - interval '6 days' or exists (select from inbox i where i.handler = ${JOB_MARK} and i.event_id = o.id and i.done_at is not null))
        limit 1000)`
        .execute(db)
        .then((result) => Number(result.numAffectedRows ?? 0)),
    () => forgetDone(db),
    () => forgetReservations(db),
    () => forgetKeys(db),
  ]
  for (const batch of batches) for (let n = 0; n < 1000; n++) if ((await batch()) < 1000) break
}
