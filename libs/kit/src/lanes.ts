import { type Generated, type Kysely, sql, type Transaction } from 'kysely'
import { DAY_MS } from './clock.ts'
import { newId } from './ids.ts'
import { messageOf } from './inbox.ts'
import type { Migration } from './migrate.ts'
import { Rest } from './rest.ts'
import type { Logger } from './telemetry.ts'
import { afterCommit, inTransaction } from './tx.ts'

export type LaneDb = {
  lane_items: {
    id: string
    lane: string
    tenant: string
    payload: unknown
    available_at: Generated<Date>
    /** While a worker has it. */
    leased_until: Date | null
    /** Rises with each lease: who was overtaken cannot settle. */
    fence: Generated<number>
    attempts: Generated<number>
    error: string | null
  }
  tenant_lanes: {
    lane: string
    tenant: string
    served_at: Date
    /** When the tenant may be served again; infinity while nothing waits or all of its places are taken. */
    next_at: Date
  }
}

/** For the migrations of a service that works in lanes. */
export const laneTables = {
  async up(db: Kysely<unknown>) {
    await sql`
      create table lane_items (
        id uuid primary key, lane text not null, tenant uuid not null, payload jsonb not null, available_at timestamptz not null default now(),
        leased_until timestamptz, fence integer not null default 0, attempts integer not null default 0, error text
      )`.execute(db)
    await sql`create index lane_items_waiting on lane_items (lane, tenant, available_at, id) where leased_until is null`.execute(db)
    await sql`create index lane_items_leased on lane_items (lane, leased_until) where leased_until is not null`.execute(db)
    await sql`create index lane_items_busy on lane_items (lane, tenant) where leased_until is not null`.execute(db)
    await sql`
      create table tenant_lanes (
        lane text not null, tenant uuid not null, served_at timestamptz not null default '-infinity', next_at timestamptz not null,
        primary key (lane, tenant)
      )`.execute(db)
    await sql`create index tenant_lanes_ready on tenant_lanes (lane, served_at) where next_at < 'infinity'`.execute(db)
  },
} satisfies Migration

export type LaneOptions = {
  lane: string
  /** How many items this instance works on at the same time. */
  width: number
  /** How many of one tenant all instances work on: less than the width, so that a place is free for the others. */
  perTenant: number
  leaseMs?: number
  /** Renews the lease while the handler runs: the lease then only says how long a dead worker is waited for. */
  renews?: boolean
  attempts?: number
}
export type LaneItem<P> = { id: string; tenant: string; payload: P; attempt: number; fence: number; signal: AbortSignal }

const LEASE_MS = 60_000
const ATTEMPTS = 5
const POLL_MS = 250
const REST_MS = 5_000

/** Workers of this process, by lane: told of what is added here, while those of other processes find it when they look. */
const workers = new Map<string, Set<() => void>>()

/** Adds an item in the caller's transaction; an id that is there already changes nothing. */
export async function addToLane(
  trx: Transaction<any>,
  lane: string,
  tenant: string,
  payload: unknown,
  { id = newId(), delayMs = 0 }: { id?: string; delayMs?: number } = {},
): Promise<string> {
  const at = sql`clock_timestamp() + ${delayMs} * interval '1 millisecond'`
  await sql`
    with added as (
      insert into lane_items (id, lane, tenant, payload, available_at) values (${id}, ${lane}, ${tenant}, ${JSON.stringify(payload)}, ${at})
      on conflict (id) do nothing returning available_at
    )
    insert into tenant_lanes as t (lane, tenant, next_at) select ${lane}, ${tenant}, available_at from added
    on conflict (lane, tenant) do update set next_at = least(t.next_at, excluded.next_at)`.execute(trx)
  if (delayMs === 0)
    afterCommit(trx, () => {
      for (const look of workers.get(lane) ?? []) look()
    })
  return id
}

/** Whether to begin a transaction at all: most looks find nothing. */
const waits = async (db: Kysely<any>, lane: string): Promise<boolean> =>
  (await sql`select from tenant_lanes where lane = ${lane} and next_at < 'infinity' and next_at <= clock_timestamp() limit 1`.execute(db))
    .rows.length > 0

type Claimed = { id: string; tenant: string; payload: unknown; attempts: number; fence: number }

/** The next item of whoever was served longest ago. The tenant's row is the lock: what is read after it cannot be stale. */
export function claim(db: Kysely<any>, { lane, perTenant, leaseMs = LEASE_MS }: LaneOptions): Promise<Claimed | null> {
  return inTransaction(db, async (trx) => {
    const ready = await sql<{ tenant: string }>`
      select tenant from tenant_lanes where lane = ${lane} and next_at < 'infinity' and next_at <= clock_timestamp()
      order by served_at limit 1 for update skip locked`.execute(trx)
    const tenant = ready.rows[0]?.tenant
    if (!tenant) return null
    const { rows } = await sql<Claimed>`
      update lane_items set leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond', fence = fence + 1, attempts = attempts + 1
      where id = (
        select id from lane_items where lane = ${lane} and tenant = ${tenant} and leased_until is null and available_at <= clock_timestamp()
          and (select count(*) from lane_items where lane = ${lane} and tenant = ${tenant} and leased_until is not null) < ${perTenant}
        order by available_at, id limit 1)
      returning id, tenant, payload, attempts, fence`.execute(trx)
    await sql`update tenant_lanes set served_at = clock_timestamp() where lane = ${lane} and tenant = ${tenant}`.execute(trx)
    await setNext(trx, lane, tenant, perTenant)
    return rows[0] ?? null
  })
}

const setNext = (trx: Transaction<any>, lane: string, tenant: string, perTenant: number) =>
  sql`
    update tenant_lanes set next_at = case
      when (select count(*) from lane_items where lane = ${lane} and tenant = ${tenant} and leased_until is not null) >= ${perTenant} then 'infinity'
      else coalesce((select min(available_at) from lane_items where lane = ${lane} and tenant = ${tenant} and leased_until is null), 'infinity') end
    where lane = ${lane} and tenant = ${tenant}`.execute(trx)

/** Ends an item, or gives it back for later. False when its lease was lost to another worker: then nothing changes. */
export function settle(
  db: Kysely<any>,
  { lane, perTenant }: LaneOptions,
  { id, tenant, fence }: Pick<Claimed, 'id' | 'tenant' | 'fence'>,
  again?: { afterMs: number; error: string },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await sql`select from tenant_lanes where lane = ${lane} and tenant = ${tenant} for update`.execute(trx)
    const { rows } = again
      ? await sql`
          update lane_items set leased_until = null, available_at = clock_timestamp() + ${again.afterMs} * interval '1 millisecond', error = ${again.error}
          where id = ${id} and fence = ${fence} and leased_until is not null returning id`.execute(trx)
      : await sql`delete from lane_items where id = ${id} and fence = ${fence} and leased_until is not null returning id`.execute(trx)
    await setNext(trx, lane, tenant, perTenant)
    return rows.length === 1
  })
}

/** Returns the items of dead workers to their lanes, once their lease has run out. */
export function reclaim(db: Kysely<any>, { lane, perTenant }: LaneOptions): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ tenant: string }>`
      select distinct tenant from lane_items where lane = ${lane} and leased_until is not null and leased_until <= clock_timestamp()
      order by tenant limit 100`.execute(trx)
    for (const { tenant } of rows) {
      await sql`select from tenant_lanes where lane = ${lane} and tenant = ${tenant} for update`.execute(trx)
      await sql`
        update lane_items set leased_until = null
        where lane = ${lane} and tenant = ${tenant} and leased_until is not null and leased_until <= clock_timestamp()`.execute(trx)
      await setNext(trx, lane, tenant, perTenant)
    }
    return rows.length
  })
}

/** Keeps an item for whoever works on it. False when its lease was lost to another worker. */
export async function renew(
  db: Kysely<any>,
  { leaseMs = LEASE_MS }: LaneOptions,
  { id, fence }: Pick<Claimed, 'id' | 'fence'>,
): Promise<boolean> {
  const { rows } = await sql`
    update lane_items set leased_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and fence = ${fence} and leased_until is not null returning id`.execute(db)
  return rows.length === 1
}

const NEVER_MS = 100 * 365 * DAY_MS

/**
 * Works on a lane: one item at a time of whoever was served longest ago. A handler that throws is tried again with growing delays; after the
 * last try the item stays, with its error, and is not taken any more.
 */
export function startLane<P>(
  db: Kysely<any>,
  log: Logger,
  options: LaneOptions,
  run: (item: LaneItem<P>) => Promise<unknown>,
): { stop(): Promise<void> } {
  const { lane, width, leaseMs = LEASE_MS, attempts: most = ATTEMPTS } = options
  const abort = new AbortController()
  const running = new Set<Promise<void>>()
  let stopped = false
  let looking = false
  let again = false
  let reclaimedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const rest = new Rest(POLL_MS, REST_MS)

  async function look() {
    if (looking || stopped) {
      again = true
      return
    }
    looking = true
    try {
      do {
        again = false
        if (performance.now() - reclaimedAt > leaseMs / 4) {
          reclaimedAt = performance.now()
          await reclaim(db, options)
        }
        while (!stopped && running.size < width && (await waits(db, lane))) {
          const item = await claim(db, options)
          if (!item) break
          rest.end()
          const work: Promise<void> = workOn(item).finally(() => {
            running.delete(work)
            void look()
          })
          running.add(work)
        }
      } while (again && !stopped && running.size < width)
    } catch (err) {
      log.warn({ err, lane }, 'a lane cannot be read, will try again')
    } finally {
      looking = false
    }
  }

  async function workOn({ id, tenant, payload, attempts, fence }: Claimed) {
    const keep = () => void renew(db, options, { id, fence }).catch((err) => log.warn({ err, lane, item: id }, 'a lease was not renewed'))
    const keeping = options.renews ? setInterval(keep, leaseMs / 3) : undefined
    try {
      await run({ id, tenant, payload: payload as P, attempt: attempts, fence, signal: abort.signal })
      await settle(db, options, { id, tenant, fence })
    } catch (err) {
      const last = attempts >= most
      log.warn(
        { err, lane, item: id, requestId: id, tenant, attempt: attempts },
        last ? 'a lane gave up on an item' : 'an item of a lane failed, will try again',
      )
      const afterMs = last ? NEVER_MS : 1000 * 2 ** attempts
      await settle(db, options, { id, tenant, fence }, { afterMs, error: messageOf(err) }).catch(() => {})
    } finally {
      clearInterval(keeping)
    }
  }

  function poll() {
    void look()
    if (!stopped) timer = setTimeout(poll, rest.next())
  }

  const told = () => void look()
  workers.set(lane, (workers.get(lane) ?? new Set()).add(told))
  poll()
  return {
    async stop() {
      stopped = true
      workers.get(lane)!.delete(told)
      clearTimeout(timer)
      const late = setTimeout(() => abort.abort('shutdown'), 8_000)
      await Promise.allSettled(running)
      clearTimeout(late)
    },
  }
}
