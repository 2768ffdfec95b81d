import type { Event, Job } from '@operon/contracts/contract'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { z } from 'zod'
import { now } from './clock.ts'
import { newId } from './ids.ts'
import type { KitDb } from './schema.ts'
import { currentTrace } from './telemetry.ts'

type Sends = { sent: boolean; after: (() => unknown)[]; written?: NewRow[] }
const sends = new WeakMap<object, Sends>()
const nudges = new WeakMap<object, () => void>()

/** Joins the caller's transaction, or opens one, so that domain functions compose. */
export async function inTransaction<DB, T>(db: Kysely<DB>, work: (trx: Transaction<DB>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<DB>)
  const sent: Sends = { sent: false, after: [] }
  const result = await db.transaction().execute((trx) => {
    sends.set(trx, sent)
    return work(trx)
  })
  if (sent.sent) nudges.get(db)?.()
  for (const run of sent.after) tell(run)
  return result
}

/** The change stands whatever becomes of the telling: that fails no caller and ends no process. */
function tell(run: () => unknown) {
  void (async () => run())().catch((error: Error) => process.emitWarning(error))
}

/** News that may be told only once it is true, and be lost without harm: a broadcast to sockets. Not run when the transaction fails. */
export function afterCommit(trx: object, run: () => unknown) {
  const sent = sends.get(trx)
  if (!sent) throw new Error('afterCommit needs the transaction that inTransaction opened')
  sent.after.push(run)
}

/** The events and jobs that this transaction writes from now on, for a trial that is rolled back. */
export function recordWrites(trx: object): readonly NewRow[] {
  const written: NewRow[] = []
  sends.get(trx)!.written = written
  return written
}

/** Called by the relay: what to do once a transaction of this database that published has committed. */
export function onPublished(db: Kysely<any>, nudge: () => void) {
  nudges.set(db, nudge)
}

/** Records an event beside the change that caused it. Takes a transaction, so that the two cannot part. */
export async function publish<DB extends KitDb, E extends Event>(
  trx: Transaction<DB>,
  event: E,
  userId: string | null,
  payload: z.input<E['payload']>,
  id = newId(),
): Promise<string> {
  await write(trx, [{ id, kind: 'event', name: event.name, user_id: userId, payload: event.payload.parse(payload) }])
  return id
}

/** Many of the same event in one statement. */
export async function publishMany<DB extends KitDb, E extends Event>(
  trx: Transaction<DB>,
  event: E,
  of: { userId: string | null; payload: z.input<E['payload']> }[],
): Promise<void> {
  if (of.length === 0) return
  await write(
    trx,
    of.map(({ userId, payload }) => ({
      id: newId(),
      kind: 'event' as const,
      name: event.name,
      user_id: userId,
      payload: event.payload.parse(payload),
    })),
  )
}

type EnqueueOptions = { id?: string; userId?: string | null; runAt?: Date }

/** Records a job beside the change that asks for it; the row's id is the job's id, so that it exists once. */
export async function enqueue<DB extends KitDb, J extends Job>(
  trx: Transaction<DB>,
  job: J,
  payload: z.input<J['payload']>,
  { id = newId(), userId = null, runAt }: EnqueueOptions = {},
): Promise<string> {
  const available_at = runAt && sql<Date>`clock_timestamp() + ${runAt.getTime() - now()} * interval '1 millisecond'`
  await write(trx, [
    { id, kind: 'job', name: job.name, user_id: userId, payload: job.payload.parse(payload), ...(available_at && { available_at }) },
  ])
  return id
}

export type NewRow = {
  id: string
  kind: 'event' | 'job'
  name: string
  user_id: string | null
  payload: unknown
  available_at?: RawBuilder<Date>
}

async function write(trx: Transaction<any>, rows: NewRow[]) {
  const trace = currentTrace() ?? null
  sends.get(trx)?.written?.push(...rows)
  await (trx as unknown as Transaction<KitDb>)
    .insertInto('outbox')
    .values(rows.map((row) => ({ ...row, payload: JSON.stringify(row.payload), trace })))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  markPublished(trx)
}

/** For a statement that wrote to the outbox by itself: the relay is to look, within a transaction once it has committed. */
export function markPublished(db: object) {
  const sent = sends.get(db)
  if (sent) sent.sent = true
  else nudges.get(db)?.()
}
