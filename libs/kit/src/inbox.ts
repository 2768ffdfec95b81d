import type { Envelope } from '@operon/contracts/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type BusOwner, type Consumer, MAX_DELIVERIES, retryDelayMs as usualDelayMs } from './bus/bus.ts'
import { Rest } from './rest.ts'
import type { KitDb } from './schema.ts'
import { type Logger, newTrace, withoutTrace, withTrace } from './telemetry.ts'
import { inTransaction } from './tx.ts'

/**
 * Runs an effect once for each (handler, event): the mark and the effect commit together. False when it had happened before.
 * The mark is written first, so that a second delivery at the same time waits for the first and then finds it done.
 */
export async function runOnce(
  db: Kysely<KitDb>,
  handler: string,
  envelope: Envelope,
  run: (trx: Transaction<KitDb>) => Promise<void>,
): Promise<boolean> {
  return (await runManyOnce(db, handler, [envelope], run)) > 0
}

/**
 * The same for many in one transaction, without those that had happened before. They come in the order of their ids, which is that of time,
 * so that of two about one thing the later comes later, and two transactions that meet the same rows wait for each other in one direction.
 */
export async function runManyOnce(
  db: Kysely<KitDb>,
  handler: string,
  envelopes: Envelope[],
  run: (trx: Transaction<KitDb>, envelopes: Envelope[]) => Promise<void>,
): Promise<number> {
  const byId = new Map(envelopes.map((envelope) => [envelope.id.toLowerCase(), envelope]))
  const ids = [...byId.keys()].sort()
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ event_id: string }>`
      insert into inbox (handler, event_id, done_at) select ${handler}, id, now() from unnest(${ids}::uuid[]) as id
      on conflict (handler, event_id) do update set done_at = now(), envelope = null, parked_at = null, error = null where inbox.done_at is null
      returning event_id`.execute(trx)
    const marked = new Set(rows.map((row) => row.event_id))
    const fresh = ids.filter((id) => marked.has(id)).map((id) => byId.get(id)!)
    if (fresh.length) await run(trx, fresh)
    return fresh.length
  })
}

export const isDone = async (db: Kysely<KitDb>, handler: string, id: string): Promise<boolean> =>
  (
    await db
      .selectFrom('inbox')
      .select('handler')
      .where('handler', '=', handler)
      .where('event_id', '=', id)
      .where('done_at', 'is not', null)
      .execute()
  ).length > 0

export async function markDone(db: Kysely<KitDb>, handler: string, id: string): Promise<void> {
  await sql`insert into inbox (handler, event_id, done_at) values (${handler}, ${id}, now()) on conflict (handler, event_id) do update set done_at = now() where inbox.done_at is null`.execute(
    db,
  )
}

export type Pending = { handler: string; envelope: Envelope }

/** Takes envelopes in for good: what is known already stays as it is. */
export async function addPending(db: Kysely<KitDb>, rows: Pending[]): Promise<void> {
  const [handlers, ids, envelopes] = columns(rows)
  await sql`
    insert into inbox (handler, event_id, envelope)
    select * from unnest(${handlers}::text[], ${ids}::uuid[], ${envelopes}::jsonb[]) on conflict do nothing`.execute(db)
}

/** Gives up on a delivery, visibly: it waits in the inbox, with its error, until someone replays it. */
export async function park(db: Kysely<KitDb>, { handler, envelope }: Pending, attempts: number, error: string): Promise<void> {
  await sql`
    insert into inbox (handler, event_id, envelope, attempts, parked_at, error)
    values (${handler}, ${envelope.id}, ${JSON.stringify(envelope)}, ${attempts}, now(), ${error})
    on conflict (handler, event_id) do update
      set envelope = excluded.envelope, attempts = excluded.attempts, parked_at = now(), error = excluded.error where inbox.done_at is null`.execute(
    db,
  )
}

type ParkedEvent = { handler: string; eventId: string; envelope: Envelope; attempts: number; error: string; parkedAt: Date }

export async function parkedEvents(db: Kysely<KitDb>, limit = 100): Promise<ParkedEvent[]> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('parked_at', 'is not', null)
    .orderBy('parked_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    handler: row.handler,
    eventId: row.event_id,
    envelope: row.envelope as Envelope,
    attempts: row.attempts,
    error: row.error ?? '',
    parkedAt: row.parked_at!,
  }))
}

/** The service's own drain loop takes it up again, on every bus. */
export async function replayParked(db: Kysely<KitDb>, handler: string, eventId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('inbox')
    .set({ parked_at: null, attempts: 0, next_at: sql`now()`, error: null })
    .where('handler', '=', handler)
    .where('event_id', '=', eventId)
    .where('parked_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** It counts as done, without its effect. */
export async function discardParked(db: Kysely<KitDb>, handler: string, eventId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('inbox')
    .set({ parked_at: null, done_at: sql`now()`, envelope: null })
    .where('handler', '=', handler)
    .where('event_id', '=', eventId)
    .where('parked_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function pendingByHandler(db: Kysely<KitDb>): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('inbox')
    .select(['handler', (eb) => eb.fn.countAll<number>().as('waiting')])
    .where('done_at', 'is', null)
    .where('parked_at', 'is', null)
    .groupBy('handler')
    .execute()
  return Object.fromEntries(rows.map((row) => [row.handler, row.waiting]))
}

/** A redelivery later than this would run again: longer than any broker or outbox keeps a message. */
export async function forgetDone(db: Kysely<KitDb>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from inbox where (handler, event_id) in
      (select handler, event_id from inbox where done_at < now() - interval '7 days' limit 1000)`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Fewer than the fewest connections that a service has for its queries, so that a request finds one free. */
const CONCURRENCY = 2
const POLL_MS = 2_000
const REST_MS = 10_000
/** Of those that are run in one transaction: more would not be quicker, and hold locks for longer. */
export const TOGETHER = 200

export type Drain = {
  /** Something was taken in: look now. */
  nudge(): void
  stop(): Promise<void>
}

/**
 * Runs what is pending in one service's inbox: one by one, or what one handler takes together, of which a process runs one batch at a time. A
 * failing row waits its turn and holds up nobody.
 */
export function startDrain({ db, log, retryDelayMs = usualDelayMs }: BusOwner, consumers: Consumer[]): Drain {
  const byHandler = new Map(consumers.map((consumer) => [consumer.handler, consumer]))
  const taken = new Set<string>()
  const rest = new Rest(POLL_MS, REST_MS)
  const running = new Map<string, Promise<void>>()
  let stopped = false
  let again = false
  let cycling: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  function wakeIn(ms: number) {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(nudge, ms)
  }

  function nudge() {
    again = true
    if (stopped || cycling || !byHandler.size) return
    cycling = cycle()
      .catch((err) => log.warn({ err }, 'the inbox cannot be read, will try again'))
      .finally(() => {
        cycling = null
        if (again) wakeIn(0)
        else wakeIn(rest.next())
      })
  }

  async function cycle() {
    again = false
    for (;;) {
      // As they were before the question: a row that failed while it was read would run again at once, with the attempts it had before.
      const busy = new Set(taken)
      const rows = (await due(db, [...byHandler.keys()], TOGETHER + busy.size)).filter((row) => !busy.has(keyOf(row)))
      if (!rows.length || stopped) return
      rest.end()
      for (const batch of batchesOf(rows, byHandler)) {
        const [{ handler }] = batch
        const turn = byHandler.get(handler)!.runMany && batch.length > 1 ? handler : keyOf(batch[0])
        while (running.has(turn) || running.size >= CONCURRENCY) await (running.get(turn) ?? Promise.race(running.values()))
        if (stopped) return
        for (const row of batch) taken.add(keyOf(row))
        running.set(
          turn,
          attempt(batch).finally(() => {
            running.delete(turn)
            for (const row of batch) taken.delete(keyOf(row))
          }),
        )
      }
    }
  }

  const attempt = (batch: Due[]) => {
    const { attempts } = batch[0]!
    return runTogether(
      byHandler.get(batch[0]!.handler)!,
      batch.map(({ envelope }) => envelope),
      { failed: (envelope, err) => putOff(batch[0]!.handler, envelope, attempts + 1, err) },
    )
  }

  async function putOff(handler: string, envelope: Envelope, tries: number, err: unknown) {
    const parked = tries >= MAX_DELIVERIES
    tellFailure(log, { err, handler, envelope, tries, parked })
    await noteFailure(db, { handler, id: envelope.id, attempts: tries, error: messageOf(err), delayMs: retryDelayMs(tries) }).catch(
      (error) => log.warn({ err: error }, 'the inbox cannot be written'),
    )
    if (!parked) setTimeout(nudge, retryDelayMs(tries) + 5).unref()
  }

  nudge()
  return {
    nudge: () => withoutTrace(nudge),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await cycling
      await Promise.all(running.values())
    },
  }
}

type Told<T> = {
  done?: (envelopes: T[]) => void
  failed: (envelope: T, err: unknown) => Promise<void>
}

/** Runs them in one transaction; where that fails, finds by halves which of them it was, and the others are done. */
export async function runTogether(consumer: Consumer, envelopes: Envelope[], told: Told<Envelope>): Promise<void> {
  try {
    if (envelopes.length > 1) await consumer.runMany!(envelopes)
    else await consumer.run(envelopes[0]!)
  } catch (err) {
    if (envelopes.length === 1) return told.failed(envelopes[0]!, err)
    const middle = envelopes.length >> 1
    await runTogether(consumer, envelopes.slice(0, middle), told)
    return runTogether(consumer, envelopes.slice(middle), told)
  }
  told.done?.(envelopes)
}

/** A message that failed before goes alone, so that it fails nothing beside it again. */
function batchesOf(rows: Due[], byHandler: Map<string, Consumer>): [Due, ...Due[]][] {
  const batches: [Due, ...Due[]][] = []
  const open = new Map<string, Due[]>()
  for (const row of rows) {
    const batch = open.get(row.handler)
    if (batch && row.attempts === 0) batch.push(row)
    else {
      const begun: [Due, ...Due[]] = [row]
      batches.push(begun)
      if (byHandler.get(row.handler)!.runMany && row.attempts === 0) open.set(row.handler, begun)
    }
  }
  return batches
}

type Due = { handler: string; event_id: string; envelope: Envelope; attempts: number }
const keyOf = (row: { handler: string; event_id: string }) => `${row.handler} ${row.event_id}`

async function due(db: Kysely<KitDb>, handlers: string[], limit: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select handler, event_id, envelope, attempts from inbox
    where done_at is null and parked_at is null and next_at <= now() and handler = any(${handlers})
    order by next_at limit ${limit}`.execute(db)
  return rows
}

async function noteFailure(
  db: Kysely<KitDb>,
  { handler, id, attempts, error, delayMs }: { handler: string; id: string; attempts: number; error: string; delayMs: number },
) {
  await sql`
    update inbox set attempts = ${attempts}, error = ${error}, next_at = now() + ${delayMs} * interval '1 millisecond',
      parked_at = case when ${attempts >= MAX_DELIVERIES}::boolean then now() end
    where handler = ${handler} and event_id = ${id} and done_at is null and parked_at is null`.execute(db)
}

type Failure = { err: unknown; handler: string; envelope: Envelope; tries: number; parked: boolean }
/** In the name of whoever the event is about, and in the trace of the request that caused it. */
export function tellFailure(log: Logger, { err, handler, envelope: { id, name, trace, user_id }, tries, parked }: Failure): void {
  const told = { err, handler, event: id, name, tries }
  const about = { requestId: id, tenant: user_id }
  withTrace(trace ?? newTrace(), () => log.warn(told, parked ? 'event parked' : 'event failed, will try again'), about)
}

export const messageOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 2000)

const columns = (rows: Pending[]) =>
  [rows.map((row) => row.handler), rows.map((row) => row.envelope.id), rows.map((row) => JSON.stringify(row.envelope))] as const
