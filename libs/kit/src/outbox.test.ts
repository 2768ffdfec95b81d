import type { Envelope } from '@operon/contracts/contract'
import { event, job } from '@operon/contracts/contract'
import { usageRecorded } from '@operon/contracts/usage'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Bus } from './bus/bus.ts'
import { newId } from './ids.ts'
import { addPending, markDone, parkedEvents, runOnce } from './inbox.ts'
import { JOB_MARK, type Jobs } from './jobs/jobs.ts'
import { createMetrics } from './metrics.ts'
import { clean, replayOutbox, resendLostJobs, startRelay } from './outbox.ts'
import { Reserver } from './reserver.ts'
import { settleWith, settlingWith } from './settle.ts'
import { createLogger } from './telemetry.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'
import { enqueue, inTransaction, publish } from './tx.ts'

const happened = event('crm.happened', z.object({ n: z.int() }))
const chore = job('crm.chore', z.object({ n: z.int() }))
const log = createLogger('silent')

/** The far ends of the relay, under the test's control: what the real ones do is their own suites' matter. */
function farEnds() {
  const ends = { events: [] as Envelope[], jobs: [] as string[], up: true, send: async (_: Envelope[]) => {} }
  const bus = {
    ready: () => ends.up,
    lag: async () => ({}),
    async send(envelopes: Envelope[]) {
      await ends.send(envelopes)
      ends.events.push(...envelopes)
    },
  } as unknown as Bus
  const jobs = {
    mayForget: false,
    ready: () => ends.up,
    waiting: async () => 0,
    parkedCount: async () => 0,
    add: async (rows: { id: string }[]) => void ends.jobs.push(...rows.map(({ id }) => id)),
  } as unknown as Jobs
  return { ends, bus, jobs }
}

const cleanup: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each()
})

async function world() {
  const database = await testDatabase({ name: 'relay', migrations: {} })
  cleanup.push(() => database.drop())
  const far = farEnds()
  const relay = () => {
    const started = startRelay({ db: database.db, bus: far.bus, jobs: far.jobs, log, metrics: createMetrics(), service: 'crm' })
    cleanup.push(() => started.stop())
    return started
  }
  return { ...database, ...far, relay }
}

const publishMany = ({ db }: Pick<TestDatabase, 'db'>, count: number) =>
  inTransaction(db, async (trx) => {
    const ids: string[] = []
    for (let n = 0; n < count; n++) ids.push(await publish(trx, happened, null, { n }))
    return ids
  })
const unsent = ({ db }: Pick<TestDatabase, 'db'>) => db.selectFrom('outbox').select('id').where('sent_at', 'is', null).execute()

test('two relays at once carry each of 1,000 rows once', async () => {
  const w = await world()
  const ids = await publishMany(w, 1000)
  w.relay()
  w.relay()
  await expect.poll(async () => (await unsent(w)).length, { timeout: 10_000 }).toBe(0)
  expect(w.ends.events.map(({ id }) => id).sort()).toEqual(ids.sort())
  expect(w.ends.events[0]).toMatchObject({
    name: 'crm.happened',
    user_id: null,
    at: expect.stringMatching(/Z$/),
    payload: { n: expect.any(Number) },
  })
})

test('events that one statement told together travel each with an id and a person of its own', async () => {
  const w = await world()
  const users = [newId(), newId()]
  const reserver = new Reserver(w.db, 'prompts', 'crm')
  const book = settlingWith('relay_book', 'nothing as (select 1)')
  const holds = await Promise.all(users.map((userId) => reserver.reserve({ userId, feature: 'chat' })))
  const bookings = holds.map((hold) => ({ hold, costMicrousd: 5, row: {} }))
  await settleWith(w.db, book, usageRecorded('crm'), bookings)
  expect(await unsent(w)).toHaveLength(1)
  w.relay()
  await expect.poll(() => w.ends.events.length).toBe(2)
  expect(w.ends.events.map(({ user_id }) => user_id).sort()).toEqual(users.sort())
  expect(new Set(w.ends.events.map(({ id }) => id)).size).toBe(2)
  expect(w.ends.events[0]).toMatchObject({ name: 'crm.usage_recorded', payload: { unit: 'prompts', used: 1, cost_microusd: 5 } })
})

test('a crash between the send and the mark sends the same ids again', async () => {
  const w = await world()
  const [id] = await publishMany(w, 1)
  // The first relay sends, then its database is gone before it can mark: what is left is an unsent row under a lease.
  await sql`update outbox set attempts = 1, available_at = now() + interval '10 seconds'`.execute(w.db)
  w.ends.events.push({ id: id! } as Envelope)
  const first = w.relay()
  await first.stop()
  expect(w.ends.events.length).toBe(1)
  await sql`update outbox set available_at = now()`.execute(w.db)
  w.relay()
  await expect.poll(() => w.ends.events.map((envelope) => envelope.id)).toEqual([id, id])
  await expect.poll(() => unsent(w)).toEqual([])
})

test('a row that cannot be sent goes on alone and holds up no other', { timeout: 20_000 }, async () => {
  const w = await world()
  const [bad, ...good] = await publishMany(w, 30)
  w.ends.send = async (envelopes) => {
    if (envelopes.some(({ id }) => id === bad)) throw new Error('too large for the broker')
  }
  w.relay()
  await expect.poll(() => w.ends.events.map(({ id }) => id).sort(), { timeout: 15_000 }).toEqual(good.sort())
  await expect.poll(async () => (await unsent(w)).map(({ id }) => id)).toEqual([bad])
})

test('while the broker is down nothing is tried, and on its return everything goes', async () => {
  const w = await world()
  w.ends.up = false
  w.relay()
  const ids = await publishMany(w, 20)
  const job = await inTransaction(w.db, (trx) => enqueue(trx, chore, { n: 1 }))
  expect(await w.db.selectFrom('outbox').select('id').where('attempts', '>', 0).execute()).toEqual([])
  w.ends.up = true
  await expect.poll(() => w.ends.events.length).toBe(ids.length)
  await expect.poll(() => w.ends.jobs).toEqual([job])
})

test('a job for later leaves when its time has come', async () => {
  const w = await world()
  w.relay()
  const later = await inTransaction(w.db, (trx) => enqueue(trx, chore, { n: 1 }, { runAt: new Date(Date.now() + 3_600_000) }))
  const now = await inTransaction(w.db, (trx) => enqueue(trx, chore, { n: 2 }))
  await expect.poll(() => w.ends.jobs).toEqual([now])
  await sql`update outbox set available_at = now() where id = ${later}`.execute(w.db)
  await expect.poll(() => w.ends.jobs).toEqual([now, later])
})

test('what was sent in a span of time can be sent again with the same ids', async () => {
  const w = await world()
  const ids = await publishMany(w, 3)
  w.relay()
  await expect.poll(() => unsent(w)).toEqual([])
  const span = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) }
  await expect.poll(() => w.ends.events.length).toBe(3)
  expect(await replayOutbox(w.db, { from: new Date(0), to: new Date(1) })).toBe(0)
  expect(await replayOutbox(w.db, { from: span.to, to: new Date(Date.now() + 120_000) })).toBe(0)
  expect(await replayOutbox(w.db, span)).toBe(3)
  await expect.poll(() => w.ends.events.map(({ id }) => id).sort()).toEqual([...ids, ...ids].sort())
})

test('jobs that a queue forgot are handed over again, finished ones are not [R9]', async () => {
  const w = await world()
  const relay = w.relay()
  const [lost, done] = await inTransaction(w.db, async (trx) => [await enqueue(trx, chore, { n: 1 }), await enqueue(trx, chore, { n: 2 })])
  await expect.poll(() => unsent(w)).toEqual([])
  await relay.stop()
  await markDone(w.db, JOB_MARK, done!)
  w.ends.jobs.length = 0
  expect(await resendLostJobs(w.db, w.jobs, 0)).toBe(1)
  expect(w.ends.jobs).toEqual([lost])
})

test('cleaning takes what is old and finished, and nothing else', async () => {
  const w = await world()
  const [old, fresh] = await publishMany(w, 2)
  const [running, done] = await inTransaction(w.db, async (trx) => [
    await enqueue(trx, chore, { n: 1 }),
    await enqueue(trx, chore, { n: 2 }),
  ])
  await sql`update outbox set sent_at = now() - interval '25 hours' where id <> ${fresh}`.execute(w.db)
  await sql`update outbox set sent_at = now() - interval '23 hours' where id = ${fresh}`.execute(w.db)
  await markDone(w.db, JOB_MARK, done!)
  await markDone(w.db, 'crm.old', old!)
  await sql`update inbox set done_at = now() - interval '8 days' where handler = 'crm.old'`.execute(w.db)
  await clean(w.db)
  expect((await w.db.selectFrom('outbox').select('id').execute()).map(({ id }) => id).sort()).toEqual([fresh, running].sort())
  expect((await w.db.selectFrom('inbox').select('handler').execute()).map(({ handler }) => handler)).toEqual([JOB_MARK])
})

test('two deliveries of one event at the same time run its effect once: the second waits for the first', async () => {
  const { db } = await world()
  const envelope: Envelope = { id: newId(), name: 'crm.happened', at: new Date().toISOString(), user_id: null, payload: {} }
  await addPending(db, [{ handler: 'h', envelope }])
  let runs = 0
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const first = runOnce(db, 'h', envelope, async () => {
    runs++
    await held
  })
  await expect.poll(() => runs).toBe(1)
  const second = runOnce(db, 'h', envelope, async () => void runs++)
  const waiting = () =>
    sql<{ n: number }>`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      .execute(db)
      .then(({ rows }) => rows[0]!.n)
  await expect.poll(waiting).toBe(1)
  letGo()
  expect(await Promise.all([first, second])).toEqual([true, false])
  expect(runs).toBe(1)
  const [row] = await db.selectFrom('inbox').selectAll().execute()
  expect([row!.envelope, row!.done_at]).toEqual([null, expect.any(Date)])
})

test('an effect that fails leaves no mark, so that it can run again', async () => {
  const { db } = await world()
  const envelope: Envelope = { id: newId(), name: 'crm.happened', at: new Date().toISOString(), user_id: null, payload: {} }
  await expect(runOnce(db, 'h', envelope, async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await parkedEvents(db)).toEqual([])
  expect(await runOnce(db, 'h', envelope, async () => {})).toBe(true)
})

test.each([15, -15])('a job that is wished for in a minute is due in a minute on a clock that is %i minutes off', async (minutes) => {
  const { db } = await world()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  try {
    await inTransaction(db, (trx) => enqueue(trx, chore, { n: 1 }, { runAt: new Date(Date.now() + 60_000) }))
  } finally {
    vi.useRealTimers()
  }
  const { rows } = await sql<{ seconds: number }>`select extract(epoch from available_at - now())::float as seconds from outbox`.execute(db)
  expect(rows[0]!.seconds).toBeGreaterThan(55)
  expect(rows[0]!.seconds).toBeLessThanOrEqual(60)
})
