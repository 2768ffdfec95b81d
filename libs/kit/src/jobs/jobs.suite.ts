import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { markDone } from '../inbox.ts'
import { resendLostJobs } from '../outbox.ts'
import { createLogger } from '../telemetry.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { spawnWorker } from '../testing/worker.ts'
import { type BullOptions, createBullJobs, type Progress } from './bullmq.ts'
import { JOB_MARK, type JobRow, type Jobs, Later } from './jobs.ts'

const log = createLogger('silent')
type JobsStore = Pick<BullOptions, 'connection' | 'backend' | 'mayForget' | 'memory' | 'ready' | 'open' | 'close'>
type JobsHarness = { store(databaseUrl: string): JobsStore | Promise<JobsStore>; close(): Promise<void> }

/** The promises of every job queue. */
export function jobsSuite(title: string, openHarness: () => Promise<JobsHarness>) {
  describe(title, () => {
    let harness: JobsHarness
    let database: TestDatabase
    let serial = 0
    const cleanup: (() => Promise<unknown>)[] = []

    beforeAll(async () => {
      harness = await openHarness()
      database = await testDatabase({ name: 'jobs', migrations: {} })
    })
    afterEach(async () => {
      for (const each of cleanup.splice(0).reverse()) await each()
    })
    afterAll(async () => {
      await database.drop()
      await harness.close()
    })

    /** Instances of one service; what one of them is told to cancel, all of them hear. */
    async function instances(count: number, setup: (jobs: Jobs, instance: number) => void, options: Partial<BullOptions> = {}) {
      const service = `s${++serial}`
      const progress: Progress[] = []
      const cancels: ((id: string) => void)[] = []
      const made: Jobs[] = []
      for (let i = 0; i < count; i++) {
        const jobs = createBullJobs({
          service,
          db: database.db,
          log,
          retryDelayMs: 20,
          ...(await harness.store(database.url)),
          progress: async (told) => void progress.push(told),
          tellCancel: async (id) => void cancels.map((cancel) => cancel(id)),
          onCancel: (stop) => void cancels.push(stop),
          ...options,
        })
        setup(jobs, i)
        await jobs.start()
        cleanup.push(async () => {
          await jobs.drain()
          await jobs.close()
        })
        made.push(jobs)
      }
      return { service, jobs: made[0]!, all: made, progress }
    }

    const row = (name: string, payload: unknown = {}, userId: string | null = null): JobRow => ({
      id: newId(),
      name,
      user_id: userId,
      payload,
      trace: null,
    })
    const stateOf = async (jobs: Jobs, id: string) => (await jobs.status(id))?.state

    test('each job runs once over two instances, even when it is added again', { timeout: 20_000 }, async () => {
      const ran: string[] = []
      const { jobs, all } = await instances(2, (each) => each.handle('x.work', async ({ id }) => void ran.push(id)))
      const rows = Array.from({ length: 60 }, (_, n) => row('x.work', { n }))
      await Promise.all([jobs.add(rows), all[1]!.add(rows)])
      await expect.poll(() => ran.length, { timeout: 10_000 }).toBe(60)
      await expect.poll(() => jobs.waiting()).toBe(0)
      await jobs.add(rows)
      // A further job behind them: once it has run, they would have.
      const last = row('x.work')
      await jobs.add([last])
      await expect.poll(() => ran.includes(last.id)).toBe(true)
      expect(ran.sort()).toEqual([...rows, last].map(({ id }) => id).sort())
    })

    test('a job that had finished is not run again by a queue that forgot it', async () => {
      const ran: string[] = []
      const { jobs } = await instances(1, (each) => each.handle('x.work', async ({ id }) => void ran.push(id)))
      const [done, next] = [row('x.work'), row('x.work')]
      await markDone(database.db, JOB_MARK, done.id)
      await jobs.add([done, next])
      await expect.poll(() => stateOf(jobs, next.id)).toBe('completed')
      await expect.poll(() => stateOf(jobs, done.id)).toBe('completed')
      expect(ran).toEqual([next.id])
    })

    test('a failing job is tried again, then parked with its error, and runs when it is replayed [R23]', async () => {
      let mended = false
      const attempts: number[] = []
      const { jobs, progress } = await instances(1, (each) =>
        each.handle(
          'x.break',
          async ({ attempt }) => {
            attempts.push(attempt)
            if (!mended) throw new Error('no paper')
          },
          { attempts: 3 },
        ),
      )
      const user = newId()
      const bad = row('x.break', { sheet: 1 }, user)
      await jobs.add([bad])
      await expect
        .poll(async () => (await jobs.parked()).map(({ id, name, payload, error, attempts }) => ({ id, name, payload, error, attempts })), {
          timeout: 10_000,
        })
        .toEqual([{ id: bad.id, name: 'x.break', payload: { sheet: 1 }, error: 'no paper', attempts: 3 }])
      expect(attempts).toEqual([1, 2, 3])
      expect(progress).toEqual([{ user_id: user, job: bad.id, name: 'x.break', percent: 100, state: 'failed' }])
      expect(await stateOf(jobs, bad.id)).toBe('parked')
      mended = true
      expect(await jobs.replay(bad.id)).toBe(true)
      await expect.poll(() => stateOf(jobs, bad.id)).toBe('completed')
      expect(await jobs.parked()).toEqual([])
      expect(await jobs.replay(bad.id)).toBe(false)
    })

    test('a running job tells how far it is; cancelling aborts it wherever it runs, for good', async () => {
      let runs = 0
      let aborted = false
      const { jobs, all, progress } = await instances(2, (each) =>
        each.handle('x.long', async ({ progress, signal }) => {
          runs++
          await progress(40, 'drawing')
          await new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              aborted = true
              reject(signal.reason)
            }),
          )
        }),
      )
      const user = newId()
      const long = row('x.long', {}, user)
      await jobs.add([long])
      await expect.poll(() => jobs.status(long.id), { timeout: 5_000 }).toEqual({ state: 'active', progress: 40 })
      await expect.poll(() => progress).toEqual([{ user_id: user, job: long.id, name: 'x.long', percent: 40, state: 'drawing' }])
      expect(await all[1]!.cancel(long.id)).toBe(true)
      await expect.poll(() => stateOf(jobs, long.id)).toBe('completed')
      expect([runs, aborted]).toEqual([1, true])
      expect(await jobs.parked()).toEqual([])
      expect(await jobs.cancel(long.id)).toBe(false)
      // One that nobody ever asked for is not there to be cancelled.
      expect(await jobs.cancel(newId())).toBe(false)
      expect(await jobs.cancel('not an id')).toBe(false)
    })

    test('a job that asks to run later waits that long, counts no try, holds no worker and can be cancelled', async () => {
      const ran: { id: string; at: number; attempt: number }[] = []
      const { jobs } = await instances(1, (each) =>
        each.handle(
          'x.later',
          async ({ id, attempt, payload }) => {
            ran.push({ id, at: performance.now(), attempt })
            if (ran.filter((run) => run.id === id).length === 1 && payload.waitMs) throw new Later(payload.waitMs)
          },
          { attempts: 1, concurrency: 1 },
        ),
      )
      const [first, cancelled, second] = [row('x.later', { waitMs: 1_500 }), row('x.later', { waitMs: 60_000 }), row('x.later')]
      await jobs.add([first, cancelled])
      await expect.poll(() => ran.length).toBe(2)
      await expect.poll(() => stateOf(jobs, cancelled.id)).toBe('delayed')
      await jobs.add([second])
      await expect.poll(() => stateOf(jobs, second.id)).toBe('completed')
      expect(await stateOf(jobs, first.id)).toBe('delayed')
      expect(await jobs.cancel(cancelled.id)).toBe(true)
      await expect.poll(() => stateOf(jobs, first.id), { timeout: 10_000 }).toBe('completed')
      const [before, after] = ran.filter(({ id }) => id === first.id)
      expect(after!.at - before!.at).toBeGreaterThanOrEqual(1_400)
      expect([before!.attempt, after!.attempt]).toEqual([1, 1])
      expect(await jobs.parked()).toEqual([])
    })

    test('cancelling a job that waits removes it', async () => {
      const ran: string[] = []
      let letGo = () => {}
      const held = new Promise<void>((resolve) => {
        letGo = resolve
      })
      const { jobs } = await instances(1, (each) =>
        each.handle(
          'x.queue',
          async ({ id }) => {
            ran.push(id)
            await held
          },
          { concurrency: 1 },
        ),
      )
      const [first, second] = [row('x.queue'), row('x.queue')]
      await jobs.add([first])
      await expect.poll(() => ran).toEqual([first.id])
      await jobs.add([second])
      await expect.poll(() => stateOf(jobs, second.id)).toBe('waiting')
      expect(await jobs.cancel(second.id)).toBe(true)
      letGo()
      await expect.poll(() => stateOf(jobs, first.id)).toBe('completed')
      await expect.poll(() => jobs.waiting()).toBe(0)
      expect(ran).toEqual([first.id])
    })

    test('a job with a width of its own runs no wider and does not hold up others', async () => {
      let now = 0
      let most = 0
      let letGo = () => {}
      const held = new Promise<void>((resolve) => (letGo = resolve))
      const quick: string[] = []
      const { jobs } = await instances(1, (each) => {
        each.handle(
          'x.slow',
          async () => {
            most = Math.max(most, ++now)
            await held
            now--
          },
          { concurrency: 2 },
        )
        each.handle('x.quick', async ({ id }) => void quick.push(id))
      })
      await jobs.add(Array.from({ length: 8 }, () => row('x.slow')))
      await expect.poll(() => now).toBe(2)
      await jobs.add([row('x.quick')])
      await expect.poll(() => quick.length).toBe(1)
      await expect.poll(() => jobs.waiting()).toBe(8)
      letGo()
      await expect.poll(() => jobs.waiting()).toBe(0)
      expect(most).toBe(2)
    })

    test('a schedule runs once over all instances, and ends when it is no longer asked for', { timeout: 20_000 }, async () => {
      const ran: { id: string; payload: unknown }[] = []
      const { service } = await instances(2, (each) => {
        each.handle('x.tick', async ({ id, payload }) => void ran.push({ id, payload }))
        each.schedule('x.tick', { everyMs: 150 }, { from: 'clock' })
      })
      await expect.poll(() => ran.length).toBeGreaterThan(5)
      expect(new Set(ran.map(({ id }) => id)).size).toBe(ran.length)
      expect(ran[0]!.payload).toEqual({ from: 'clock' })
      for (const each of cleanup.splice(0).reverse()) await each()
      const after = createBullJobs({
        service,
        db: database.db,
        log,
        ...(await harness.store(database.url)),
        progress: async () => {},
        tellCancel: async () => {},
        onCancel: () => {},
      })
      const late: string[] = []
      after.handle('x.tick', async ({ id }) => void late.push(id))
      after.handle('x.other', async () => {})
      await after.start()
      const other = row('x.other')
      await after.add([other])
      await expect.poll(() => stateOf(after, other.id)).toBe('completed')
      // At most the one that was due when the schedule ended.
      expect(late.length).toBeLessThanOrEqual(1)
      await after.drain()
      await after.close()
    })

    test('draining finishes what runs and gives back the rest', async () => {
      const finished: string[] = []
      let begun = 0
      let letGo = () => {}
      const held = new Promise<void>((resolve) => (letGo = resolve))
      const { jobs, service } = await instances(1, (each) =>
        each.handle(
          'x.work',
          async ({ id }) => {
            begun++
            await held
            finished.push(id)
          },
          { concurrency: 1 },
        ),
      )
      const rows = [row('x.work'), row('x.work')]
      await jobs.add(rows)
      await expect.poll(() => begun).toBe(1)
      const ending = Promise.all(cleanup.splice(0).map((end) => end()))
      letGo()
      await ending
      expect([begun, finished.length]).toEqual([1, 1])
      const next = createBullJobs({
        service,
        db: database.db,
        log,
        ...(await harness.store(database.url)),
        progress: async () => {},
        tellCancel: async () => {},
        onCancel: () => {},
      })
      next.handle('x.work', async ({ id }) => void finished.push(id), { concurrency: 1 })
      await next.start()
      await expect.poll(() => finished.length).toBe(2)
      await next.drain()
      await next.close()
      expect(finished.sort()).toEqual(rows.map(({ id }) => id).sort())
    })

    test('a worker that was killed leaves its job to another [R12]', { timeout: 30_000 }, async () => {
      const service = `s${++serial}`
      const options = async () => ({
        service,
        db: database.db,
        log,
        lockMs: 1000,
        ...(await harness.store(database.url)),
        progress: async () => {},
        tellCancel: async () => {},
        onCancel: () => {},
      })
      const taken = newId()
      const dead = await spawnWorker({ service, job: 'x.hang', id: taken, databaseUrl: database.url, store: title })
      cleanup.push(dead.kill)
      await dead.took
      await dead.kill()
      const heir = createBullJobs(await options())
      const ran: string[] = []
      heir.handle('x.hang', async ({ id }) => void ran.push(id))
      await heir.start()
      cleanup.push(heir.close)
      cleanup.push(heir.drain)
      await expect.poll(() => ran, { timeout: 15_000 }).toEqual([taken])
      await expect.poll(() => stateOf(heir, taken)).toBe('completed')
    })

    test('the sweep brings back what the queue lost, without running anything twice [R9]', async () => {
      const ran: string[] = []
      const { jobs } = await instances(1, (each) => each.handle('x.sweep', async ({ id }) => void ran.push(id)))
      const rows = Array.from({ length: 5 }, () => row('x.sweep'))
      await database.db
        .insertInto('outbox')
        .values(rows.map((each) => ({ ...each, kind: 'job', payload: '{}', sent_at: new Date() })) as never)
        .execute()
      // The queue never heard of them, though they are marked as handed over.
      expect(await resendLostJobs(database.db, jobs, -1)).toBeGreaterThanOrEqual(5)
      await expect.poll(() => ran.length).toBe(5)
      await expect.poll(async () => resendLostJobs(database.db, jobs, -1)).toBe(0)
      expect(ran.sort()).toEqual(rows.map(({ id }) => id).sort())
    })
  })
}
