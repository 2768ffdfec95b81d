import { appTold } from '@operon/contracts/integrations/events'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import { inTransaction, publishMany } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import { definitionOf } from '../apps/all.ts'
import type { AppTrigger, Row } from '../apps/app.ts'
import { triggerDefinition } from '../apps/triggers/all.ts'
import type { Config } from '../config.ts'
import type { CallApp } from '../connections/call.ts'
import { putOffBroken } from '../connections/due.ts'
import type { ConnectionRow } from '../connections/keep.ts'
import type { IntegrationsDb } from '../schema.ts'

type Rt = Pick<Runtime<IntegrationsDb, Config>, 'db' | 'log'>
type WatchRow = Selectable<IntegrationsDb['app_watches']>

const BATCH = 100
/** Of those that are due the longest, so many are shared out by app. */
const MOST_WEIGHED = 1000
const AT_ONCE = 16
const ROUND_MS = 12_000
const LEASE_SECONDS = 60
/** As many as are told of one look; the others are told by the next one, at once. */
const MOST_TOLD = 50
const MOST_READ = 20
const MOST_SEEN = 1000
const PAGE = 100
/** Lists are late and clocks differ: this far back everything is compared by what was seen. */
const OVERLAP_MS = 5 * 60_000
const EVERY_SECONDS = 60
/** Of the calls that an app allows, what one watch may take. */
const SHARE = 1 / 10

export const everySeconds = (app: string) => Math.max(EVERY_SECONDS, 60 / (definitionOf(app).perMinute * SHARE))
const sinceOf = (seenUntil: Date) => new Date(seenUntil.getTime() - OVERLAP_MS)

/** The entries there now, as one page of the list. */
export async function listed(
  row: ConnectionRow,
  trigger: AppTrigger,
  name: string,
  input: unknown,
  seenUntil: Date,
  call: CallApp,
  signal?: AbortSignal,
) {
  const since = sinceOf(seenUntil)
  const answer = await call(row, (held) => trigger.request(input, since, held), {
    ...{ action: `watch-${name}`, effect: 'reads' },
    ...(signal && { signal }),
  })
  const rows = trigger.rows(answer, input).filter(({ id }) => id)
  // Something older may come into a list that others have left.
  return trigger.timed ? rows.filter(({ at }) => at === null || new Date(at).getTime() >= since.getTime()) : rows
}

/** Of the watches of a round, and of the looks at once, what one app may take. One that failed as often is left alone until the next round. */
const OF_ONE_APP = { watches: 50, looks: 8, failures: 3 }

/** Looks at what is due, until nothing is or the round is over. An app that hangs takes no turns of the others. */
export async function lookAtWatches({ db, log }: Rt, call: CallApp): Promise<void> {
  const until = Date.now() + ROUND_MS
  const failures = new Map<string, number>()
  await putOffBroken(db, 'app_watches')
  for (;;) {
    const { rows: due } = await sql<WatchRow & { app: string; due_at: Date }>`
      with fair as (
        select id, row_number() over (partition by app order by next_at) as nth from (
          select w.id, w.next_at, c.app from (select * from app_watches where next_at <= now() order by next_at limit ${MOST_WEIGHED}) w
          join connections c on c.id = w.connection_id where c.state in ('connected', 'degraded')) longest_due
      ),
      due as (
        select w.id from app_watches w where w.id in (select id from fair where nth <= ${OF_ONE_APP.watches})
        order by w.next_at limit ${BATCH} for update skip locked
      )
      update app_watches w set next_at = now() + ${LEASE_SECONDS} * interval '1 second' from due, connections c
      where w.id = due.id and c.id = w.connection_id returning w.*, c.app, old.next_at as due_at`.execute(db)
    const left = due.toSorted((one, other) => one.due_at.getTime() - other.due_at.getTime())
    const running = new Map<string, number>()
    const change = (counts: Map<string, number>, app: string, by: number) => counts.set(app, (counts.get(app) ?? 0) + by)
    const next = () => {
      const at = left.findIndex(({ app }) => (running.get(app) ?? 0) < OF_ONE_APP.looks)
      return at < 0 ? undefined : left.splice(at, 1)[0]
    }
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, left.length) }, async () => {
        for (let watch = next(); watch; watch = next()) {
          const { app } = watch
          if ((failures.get(app) ?? 0) >= OF_ONE_APP.failures) continue
          change(running, app, 1)
          const isThere = await look({ db, log }, watch, call).catch((err: unknown) =>
            log.warn({ err }, 'a watch was not checked; it is due again in a minute'),
          )
          change(running, app, -1)
          if (isThere === false) change(failures, app, 1)
        }
      }),
    )
    if (!due.length || Date.now() > until) return
  }
}

/** False where the app itself did not answer. */
export async function look({ db }: Rt, watch: WatchRow, call: CallApp): Promise<boolean> {
  const row = await db.selectFrom('connections').selectAll().where('id', '=', watch.connection_id).executeTakeFirst()
  const trigger = row && triggerDefinition(row.app, watch.trigger)
  if (!row || !trigger) return true
  try {
    const rows = await listed(row, trigger, watch.trigger, watch.input, watch.seen_until, call)
    const seen = new Set(watch.seen)
    const fresh = rows.filter((each) => !seen.has(trigger.key(each)))
    // The oldest first, where the list says which that is.
    const inOrder = trigger.timed ? fresh.toSorted((one, other) => String(one.at).localeCompare(String(other.at))) : fresh.toReversed()
    const told = inOrder.slice(0, trigger.each ? MOST_READ : MOST_TOLD)
    const shown = trigger.each ? await readEach(row, trigger, watch.trigger, told, call) : told
    await settle(db, watch, row, {
      shown,
      keys: told.map(trigger.key),
      current: rows.filter((each) => seen.has(trigger.key(each))).map(trigger.key),
      seenUntil: trigger.timed ? newest(told, watch.seen_until) : told.length < fresh.length ? watch.seen_until : new Date(now()),
      more: told.length < fresh.length,
      missed: rows.length >= PAGE && fresh.length === rows.length,
    })
    return true
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    await putOff(db, watch, error)
    return !['upstream_timeout', 'upstream_failed'].includes(error.code)
  }
}

/** An item without a time of the vendor's counts from now on; a time in the future would hide what comes next. */
function newest(rows: Row[], before: Date): Date {
  const times = rows.flatMap(({ at }) => (at && new Date(at).getTime() <= now() ? [new Date(at).getTime()] : []))
  return new Date(Math.max(before.getTime(), ...times))
}

async function readEach(row: ConnectionRow, { each }: AppTrigger, name: string, rows: Row[], call: CallApp): Promise<Row[]> {
  const read: Row[] = []
  for (const { id } of rows) read.push(each!.row(await call(row, () => each!.request(id), { action: `watch-${name}`, effect: 'reads' })))
  return read
}

type Found = { shown: Row[]; keys: string[]; current: string[]; seenUntil: Date; more: boolean; missed: boolean }

/** How far it was seen and what is told of it commit together: nothing is told twice, and nothing is lost between. */
async function settle(
  db: Rt['db'],
  watch: WatchRow,
  row: ConnectionRow,
  { shown, keys, current, seenUntil, more, missed }: Found,
): Promise<void> {
  const kept = [...keys, ...current, ...watch.seen.filter((key) => !current.includes(key))].slice(0, MOST_SEEN)
  await inTransaction(db, async (trx) => {
    const mine = await trx
      .updateTable('app_watches')
      .set({
        seen: kept,
        seen_until: seenUntil,
        version: watch.version + 1,
        failure: null,
        looked_at: sql`now()`,
        next_at: more ? sql`now()` : sql`now() + ${everySeconds(row.app)}::float8 * interval '1 second'`,
        ...(shown.length && { told_at: sql<Date>`now()` }),
        ...(missed && { missed_at: sql<Date>`now()` }),
      })
      .where('id', '=', watch.id)
      .where('version', '=', watch.version)
      .returning('id')
      .executeTakeFirst()
    if (!mine) return
    await publishMany(
      trx as never,
      appTold,
      shown.map(({ id, title, detail, url, at }) => ({
        userId: watch.user_id,
        payload: {
          ...{ watch_id: watch.id, connection_id: row.id, service_name: row.app, trigger: watch.trigger },
          ...{ item_id: id, title, detail, url, at },
        },
      })),
    )
  })
}

/** A busy app is asked again when it says, a refusal after five minutes; meanwhile the page shows the refusal. */
async function putOff(db: Rt['db'], watch: WatchRow, error: DomainError): Promise<void> {
  const isBusy = error.code === 'app_busy'
  const seconds = isBusy ? Number((error.details as { retry_after_seconds?: number } | undefined)?.retry_after_seconds ?? 30) : 300
  await db
    .updateTable('app_watches')
    .set({
      next_at: sql`now() + ${seconds} * interval '1 second'`,
      // A broken connection is told by itself, and it resumes by itself.
      ...(!isBusy && error.code !== 'connection_broken' && { failure: error.message.slice(0, 300) }),
      ...(error.code === 'connection_broken' && { next_at: sql<Date>`now()` }),
    })
    .where('id', '=', watch.id)
    .where('version', '=', watch.version)
    .execute()
}
