import { sql } from 'kysely'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { newId } from './ids.ts'
import { addToLane, claim, type LaneOptions, laneTables, reclaim, settle, startLane } from './lanes.ts'
import { createLogger } from './telemetry.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'
import { inTransaction } from './tx.ts'

const log = createLogger('silent')
let lane: LaneOptions
let serial = 0
const ends: (() => Promise<void>)[] = []
const database: TestDatabase = await testDatabase({ name: 'lanes', migrations: { '0001_lanes': laneTables } })
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  lane = { ...lane, lane: `lane-${++serial}` }
})
afterAll(() => database.drop())
lane = { lane: 'lane-0', width: 4, perTenant: 3 }

const add = (tenant: string, payload: unknown = {}, options: { id?: string; delayMs?: number } = {}) =>
  inTransaction(database.db, (trx) => addToLane(trx, lane.lane, tenant, payload, options))
const start = (run: Parameters<typeof startLane<any>>[3], options: Partial<LaneOptions> = {}) => {
  const lanes = startLane(database.db, log, { ...lane, ...options }, run)
  ends.push(lanes.stop)
  return lanes
}
const left = async () =>
  (await sql<{ n: number }>`select count(*)::int as n from lane_items where lane = ${lane.lane}`.execute(database.db)).rows[0]!.n

async function flood(tenant: string, count: number) {
  await sql`
    insert into lane_items (id, lane, tenant, payload) select gen_random_uuid(), ${lane.lane}, ${tenant}, '{}' from generate_series(1, ${count})`.execute(
    database.db,
  )
  await sql`insert into tenant_lanes (lane, tenant, next_at) values (${lane.lane}, ${tenant}, now())`.execute(database.db)
}

test('what is added in this process is worked on without a look in between, however long the lane has rested', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    let tell = (_: string) => {}
    // Not by a poll, which would let the timers go on.
    const next = () => new Promise<string>((resolve) => (tell = resolve))
    start(async ({ tenant }) => tell(tenant))
    for (const tenant of [newId(), newId()]) {
      const served = next()
      await add(tenant)
      expect(await served).toBe(tenant)
      // Its look after the item is over, too.
      for (let n = 0; n < 5; n++) expect(await claim(database.db, lane)).toBeNull()
    }
  } finally {
    vi.useRealTimers()
  }
})

test('a tenant with 100,000 waiting items delays another by no more than a second', { timeout: 60_000 }, async () => {
  const [busy, quiet] = [newId(), newId()]
  await flood(busy, 100_000)
  await sql`analyze lane_items`.execute(database.db)
  const served: { tenant: string; at: number }[] = []
  // Long work: places that the busy tenant may not take are what keeps the others quick.
  start(async ({ tenant }) => {
    served.push({ tenant, at: performance.now() })
    if (tenant === busy) await new Promise((resolve) => setTimeout(resolve, 3_000))
  })
  await expect.poll(() => served.length).toBe(3)
  for (let n = 0; n < 3; n++) {
    const began = performance.now()
    await add(quiet)
    await expect.poll(() => served.filter(({ tenant }) => tenant === quiet).length, { interval: 10 }).toBe(n + 1)
    expect(served.findLast(({ tenant }) => tenant === quiet)!.at - began).toBeLessThan(1_000)
  }
})

test('tenants take turns, whoever came first', async () => {
  const [a, b, c] = [newId(), newId(), newId()]
  for (const tenant of [a, b, c]) for (let n = 0; n < 4; n++) await add(tenant)
  const order: string[] = []
  for (let n = 0; n < 12; n++) {
    const item = (await claim(database.db, lane))!
    order.push(item.tenant)
    await settle(database.db, lane, item)
  }
  for (let round = 0; round < 4; round++) expect(new Set(order.slice(round * 3, round * 3 + 3)).size).toBe(3)
  expect(await claim(database.db, lane)).toBeNull()
})

test('each item runs once over four workers that race, and one tenant never holds more than its places', { timeout: 30_000 }, async () => {
  const tenants = Array.from({ length: 5 }, () => newId())
  for (const tenant of tenants) for (let n = 0; n < 20; n++) await add(tenant)
  const ran: string[] = []
  const now = new Map<string, number>()
  let most = 0
  for (let n = 0; n < 4; n++)
    start(
      async ({ id, tenant }) => {
        now.set(tenant, (now.get(tenant) ?? 0) + 1)
        most = Math.max(most, now.get(tenant)!)
        await sql`select 1`.execute(database.db)
        ran.push(id)
        now.set(tenant, now.get(tenant)! - 1)
      },
      { perTenant: 2 },
    )
  await expect.poll(left, { timeout: 20_000 }).toBe(0)
  expect(ran).toHaveLength(100)
  expect(new Set(ran).size).toBe(100)
  expect(most).toBeLessThanOrEqual(2)
})

test('an item with a delay waits that long and keeps nobody waiting; an id that is known is not added twice', async () => {
  const tenant = newId()
  const ran: { id: string; at: number }[] = []
  start(async ({ id }) => void ran.push({ id, at: performance.now() }))
  const began = performance.now()
  const late = await add(tenant, {}, { delayMs: 700 })
  const soon = await add(tenant)
  await add(tenant, {}, { id: late })
  await expect.poll(() => ran.length).toBe(2)
  expect(ran.map(({ id }) => id)).toEqual([soon, late])
  expect(ran[1]!.at - began).toBeGreaterThanOrEqual(690)
})

test('what a worker that died had taken is done by another, and the first cannot settle it any more', async () => {
  const tenant = newId()
  const options = { ...lane, leaseMs: 50 }
  const id = await add(tenant)
  const dead = (await claim(database.db, options))!
  expect(await claim(database.db, options)).toBeNull()
  await expect.poll(() => reclaim(database.db, options)).toBe(1)
  const heir = (await claim(database.db, { ...lane, leaseMs: 60_000 }))!
  expect([heir.id, heir.fence]).toEqual([id, dead.fence + 1])
  expect(await settle(database.db, options, dead)).toBe(false)
  expect(await left()).toBe(1)
  expect(await settle(database.db, options, heir)).toBe(true)
  expect(await left()).toBe(0)
})

test('an item that fails is tried again, and stays with its error after the last try', { timeout: 20_000 }, async () => {
  const tenant = newId()
  const attempts: number[] = []
  const id = await add(tenant)
  start(
    async ({ attempt }) => {
      attempts.push(attempt)
      throw new Error('no paper')
    },
    { attempts: 2 },
  )
  await expect
    .poll(
      async () =>
        (await sql<any>`select error, attempts from lane_items where id = ${id} and leased_until is null`.execute(database.db)).rows[0],
      {
        timeout: 10_000,
      },
    )
    .toEqual({ error: 'Error: no paper', attempts: 2 })
  expect(attempts).toEqual([1, 2])
})
