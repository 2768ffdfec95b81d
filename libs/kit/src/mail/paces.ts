import { type Generated, type Kysely, sql } from 'kysely'
import type { Migration } from '../migrate.ts'
import { deleteInPieces } from '../pieces.ts'
import type { Runtime } from '../service.ts'

export type Channel = 'email' | 'sms'
/** At most so many messages of one kind an hour: half of them at once, the rest evenly. */
export type Pace = { scope: string; perHour: number }

export type PaceDb = {
  /** Until when the messages that were promised so far fill their scope. */
  message_paces: { scope: string; full_until: Date }
  /** When a message may go. Its row is made once, so that a retry is not counted again. */
  message_slots: { message_id: string; channel: Channel; due_at: Date; created_at: Generated<Date> }
}

/** For the migrations of a service that sends messages. */
export const messagePaces: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table message_paces (scope text primary key, full_until timestamptz not null)`.execute(db)
    await sql`
      create table message_slots (
        message_id uuid primary key, channel text not null, due_at timestamptz not null, created_at timestamptz not null default now()
      )`.execute(db)
    await sql`create index message_slots_due on message_slots (due_at)`.execute(db)
  },
}

const HOUR_MS = 3_600_000
const shapeOf = ({ perHour }: Pace) => {
  const atOnce = Math.ceil(perHour / 2)
  return { atOnce, everyMs: HOUR_MS / Math.max(1, perHour - atOnce) }
}

/**
 * How long a message has to wait, 0 when it may go now. Every scope gives it the next free place, and the latest of them counts; so a queue
 * that grows gets slower, its messages are spread, and each is promised one time.
 */
export async function takeSlot(db: Kysely<any>, messageId: string, channel: Channel, paces: Pace[]): Promise<number> {
  const known = await waitOfSlot(db, messageId)
  if (known !== null) return known
  const shapes = paces.map(shapeOf)
  const { rows } = await sql<{ wait_ms: number }>`
    with asked as (
      select * from unnest(
        ${paces.map(({ scope }) => scope)}::text[], ${shapes.map(({ everyMs }) => everyMs)}::float8[], ${shapes.map(({ atOnce }) => atOnce)}::float8[]
      ) as asked (scope, every_ms, at_once)
    ), moved as (
      insert into message_paces as pace (scope, full_until)
      select scope, now() + every_ms * interval '1 millisecond' from asked order by scope
      on conflict (scope) do update set full_until = greatest(pace.full_until, now()) + (excluded.full_until - now())
      returning scope, full_until
    )
    insert into message_slots (message_id, channel, due_at)
    select ${messageId}, ${channel}, greatest(now(), max(full_until - at_once * every_ms * interval '1 millisecond'))
    from moved join asked using (scope)
    on conflict (message_id) do nothing
    returning greatest(0, extract(epoch from due_at - clock_timestamp()) * 1000) as wait_ms`.execute(db)
  return rows[0] ? Math.ceil(Number(rows[0].wait_ms)) : ((await waitOfSlot(db, messageId)) ?? 0)
}

async function waitOfSlot(db: Kysely<any>, messageId: string): Promise<number | null> {
  const { rows } = await sql<{ wait_ms: number }>`
    select greatest(0, extract(epoch from due_at - now()) * 1000) as wait_ms from message_slots where message_id = ${messageId}`.execute(db)
  return rows[0] ? Math.ceil(Number(rows[0].wait_ms)) : null
}

/** How long the next message of these scopes would wait, without taking a place. */
export async function waitOf(db: Kysely<any>, paces: Pace[]): Promise<number> {
  return Math.max(0, ...(await fillOf(db, paces)).map(({ waitMs }) => waitMs))
}

/** How full each scope is: 1 means that what may go at once has gone. */
async function fillOf(db: Kysely<any>, paces: Pace[]): Promise<{ fill: number; waitMs: number }[]> {
  const { rows } = await sql<{ scope: string; ahead_ms: number }>`
    select scope, extract(epoch from full_until - now()) * 1000 as ahead_ms
    from message_paces where scope = any(${paces.map(({ scope }) => scope)}::text[])`.execute(db)
  return paces.map((pace) => {
    const { atOnce, everyMs } = shapeOf(pace)
    const aheadMs = Math.max(0, Number(rows.find(({ scope }) => scope === pace.scope)?.ahead_ms ?? 0))
    return { fill: aheadMs / (atOnce * everyMs), waitMs: Math.max(0, Math.ceil(aheadMs + everyMs - atOnce * everyMs)) }
  })
}

export type PlatformPace = Pace & { channel: Channel }
export type Load = { channel: Channel; state: 'ok' | 'near' | 'full'; per_hour: number; waiting: number; longest_wait_s: number }
const NEAR = 0.8

/** For the operator: the platform limits that are close, and how many messages wait for each. */
export async function loadOf(db: Kysely<any>, platform: PlatformPace[]): Promise<Load[]> {
  const fills = await fillOf(db, platform)
  const { rows } = await sql<{ channel: Channel; waiting: number; longest_s: number }>`
    select channel, count(*)::int as waiting, extract(epoch from max(due_at) - now())::float8 as longest_s
    from message_slots where due_at > now() group by channel`.execute(db)
  return platform.map(({ channel, perHour }, at) => {
    const { fill, waitMs } = fills[at]!
    const queue = rows.find((row) => row.channel === channel)
    return {
      channel,
      state: waitMs > 0 ? 'full' : fill >= NEAR ? 'near' : 'ok',
      per_hour: perHour,
      waiting: queue?.waiting ?? 0,
      longest_wait_s: Math.ceil(queue?.longest_s ?? 0),
    }
  })
}

const LOOK_EVERY_MS = 30_000

/** Tells the operator, by log line and metric, when a limit of the platform is near or reached, and when it no longer is. */
export function watchLoad({ db, log, metrics, name: service, onStart, onStop }: Runtime<any, any>, platform: PlatformPace[]): void {
  const told = new Map<Channel, Load['state']>()
  async function look() {
    for (const load of await loadOf(db, platform)) {
      metrics.lag.set({ service, what: `deferred ${load.channel}` }, load.waiting)
      metrics.lag.set({ service, what: `${load.channel} wait s` }, load.longest_wait_s)
      const before = told.get(load.channel) ?? 'ok'
      told.set(load.channel, load.state)
      if (load.state === before) continue
      if (load.state === 'ok') log.info({ ...load }, `${load.channel}: the platform's hourly limit is no longer near`)
      else if (load.state === 'near') log.warn({ ...load }, `${load.channel}: the platform's hourly limit is nearly reached`)
      else log.error({ ...load }, `${load.channel}: the platform's hourly limit is reached, messages wait for their turn`)
    }
  }
  let timer: NodeJS.Timeout | undefined
  onStart(() => {
    timer = setInterval(() => look().catch((err) => log.warn({ err }, 'the load of messages cannot be read')), LOOK_EVERY_MS).unref()
  })
  onStop(() => clearInterval(timer))
}

/** Places in the past: a job retries for less than a day. */
export async function forgetSlots(db: Kysely<any>): Promise<void> {
  await deleteInPieces(db, 'message_slots', sql`due_at < now() - interval '1 day'`)
  await deleteInPieces(db, 'message_paces', sql`full_until < now() - interval '1 hour'`)
}

/**
 * For messages that wait by themselves: how many of so many may go now, and how long until the next. The same places as `takeSlot` takes,
 * but nothing is promised beyond now.
 */
export async function takeNow(db: Kysely<any>, paces: Pace[], count: number): Promise<{ taken: number; waitMs: number }> {
  const shapes = paces.map(shapeOf)
  const scopes = paces.map(({ scope }) => scope)
  await sql`
    insert into message_paces (scope, full_until) select scope, now() from unnest(${scopes}::text[]) as asked (scope) order by scope
    on conflict (scope) do nothing`.execute(db)
  const { rows } = await sql<{ scope: string; ahead_ms: number }>`
    select scope, greatest(0, extract(epoch from full_until - clock_timestamp()) * 1000)::float8 as ahead_ms
    from message_paces where scope = any(${scopes}::text[]) order by scope for update`.execute(db)
  const room = paces.map(({ scope }, at) => {
    const { atOnce, everyMs } = shapes[at]!
    const aheadMs = rows.find((row) => row.scope === scope)?.ahead_ms ?? 0
    return { free: Math.max(0, Math.floor(atOnce - aheadMs / everyMs)), waitMs: Math.ceil(aheadMs + everyMs - atOnce * everyMs) }
  })
  const taken = Math.min(count, ...room.map(({ free }) => free))
  if (taken === 0) return { taken, waitMs: Math.max(1, ...room.map(({ waitMs }) => waitMs)) }
  await sql`
    update message_paces p set full_until = greatest(p.full_until, clock_timestamp()) + ${taken}::int * asked.every_ms * interval '1 millisecond'
    from unnest(${scopes}::text[], ${shapes.map(({ everyMs }) => everyMs)}::float8[]) as asked (scope, every_ms) where p.scope = asked.scope`.execute(
    db,
  )
  return { taken, waitMs: 0 }
}
