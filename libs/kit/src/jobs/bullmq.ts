import { type BackendFactory, DelayedError, type Job, Queue, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { type Kysely, sql } from 'kysely'
import { now } from '../clock.ts'
import { isDone, markDone, messageOf } from '../inbox.ts'
import type { KitDb } from '../schema.ts'
import { type Logger, newTrace, withTrace } from '../telemetry.ts'
import { inSpan } from '../tracing.ts'
import { type HandleOptions, JOB_ATTEMPTS, JOB_MARK, type JobHandler, type JobRow, type Jobs, Later } from './jobs.ts'

export type Progress = { user_id: string; job: string; name: string; percent: number; state: string }

export type BullOptions = {
  service: string
  db: Kysely<KitDb>
  log: Logger
  /** The connection of BullMQ's classes: Redis, or the factory of its PostgreSQL backend. */
  connection: any
  backend?: BackendFactory<any, any>
  mayForget: boolean
  memory(): Promise<string>
  ready(): boolean
  open(): Promise<void>
  close(): Promise<void>
  progress(progress: Progress): Promise<void>
  /** Tells every instance of the service to stop a running job. */
  tellCancel(id: string): Promise<void>
  onCancel(stop: (id: string) => void): void
  retryDelayMs?: number
  /** Told of each run that has ended. */
  seen?(run: { name: string; outcome: 'done' | 'failed' | 'parked' | 'later'; seconds: number }): void
  /** How long a worker that fell silent keeps its jobs. */
  lockMs?: number
}

/** The data of a queued job. */
export type JobData = { payload: unknown; user_id: string | null; trace: string | null }
type Handled = { handler: JobHandler; options: HandleOptions; lane: string }

const DEFAULT_CONCURRENCY = 4
/** How long a draining worker lets jobs finish before it aborts their signals, and then before it leaves them to be found stalled. */
const FINISH_MS = 8_000
const ABORT_MS = 4_000
const CLOSE_MS = 2_000
/** After a kill -9 a job waits for its lock to end and for two looks at what stalled: 10 to 20 seconds. */
const LOCK_MS = 10_000
const kept = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 30 * 86_400 } }

/** BullMQ on Redis or on PostgreSQL: the same queues, retries and schedules, by another store. */
export function createBullJobs(options: BullOptions): Jobs {
  const { service, db, log } = options
  const handlers = new Map<string, Handled>()
  const schedules: { name: string; repeat: { pattern: string; tz: string } | { every: number }; payload: unknown }[] = []
  const queues = new Map<string, Queue>()
  const workers: Worker[] = []
  const running = new Map<string, AbortController>()
  let draining = false

  const lockDuration = options.lockMs ?? LOCK_MS
  const lanes = { lockDuration, drainDelay: 10, runRetryDelay: 1_000, maxStalledCount: 10 }
  const base = { connection: options.connection, prefix: 'operon' }
  const noise = (err: unknown) => log.warn({ err: messageOf(err) }, 'the job queue has a problem')

  function queueOf(name: string): Queue {
    const lane = handlers.get(name)?.lane ?? service
    let queue = queues.get(lane)
    if (!queue) {
      queue = new Queue(lane, { ...base, streams: { events: { maxLen: 1000 } } } as never, options.backend as never)
      queue.on('error', noise)
      queues.set(lane, queue)
    }
    return queue
  }

  function optionsOf(name: string) {
    const { attempts = JOB_ATTEMPTS, priority } = handlers.get(name)?.options ?? {}
    return {
      attempts,
      backoff: { type: 'exponential', delay: options.retryDelayMs ?? 1000, jitter: 0.3 },
      ...kept,
      ...(priority !== undefined && { priority }),
    }
  }

  const makeSchedule = ({ name, repeat, payload }: (typeof schedules)[number]) =>
    queueOf(name).upsertJobScheduler(name, repeat, {
      name,
      data: { payload, user_id: null, trace: null } satisfies JobData,
      opts: { ...optionsOf(name), removeOnComplete: { count: 20 } },
    })

  /** The service's own is there before `start`, for who only looks or replays. */
  const allQueues = () => {
    queueOf('')
    return [...queues.values()]
  }

  async function countOf(...states: ('waiting' | 'prioritized' | 'active' | 'failed')[]): Promise<number> {
    const counts = await Promise.all([...queues.values()].map((queue) => queue.getJobCounts(...states)))
    return counts.flatMap(Object.values).reduce((sum, count) => sum + count, 0)
  }

  const find = async (id: string): Promise<Job | null> => {
    for (const queue of allQueues()) {
      const job = await queue.getJob(id)
      if (job) return job
    }
    return null
  }

  async function work(job: Job<JobData>, token: string | undefined): Promise<unknown> {
    const handled = handlers.get(job.name)
    if (!handled) throw new Error(`nothing here runs the job ${job.name}`)
    const { payload, user_id: userId, trace } = job.data
    const id = job.id!
    const fromOutbox = isUuid(id)
    // Handed over a second time after it had finished: by the sweep, or by a crash between the finish and its mark in the queue.
    if (fromOutbox && (await isDone(db, JOB_MARK, id))) return { skipped: true }
    const abort = new AbortController()
    running.set(id, abort)
    const startedAt = performance.now()
    const seen = (outcome: 'done' | 'failed' | 'parked' | 'later') =>
      options.seen?.({ name: job.name, outcome, seconds: (performance.now() - startedAt) / 1000 })
    const about = { requestId: id, tenant: userId }
    const progress = async (percent: number, state = 'running') => {
      await job.updateProgress({ percent, state })
      if (userId) await options.progress({ user_id: userId, job: id, name: job.name, percent, state })
    }
    try {
      const result = await inSpan({ service, kind: 'consumer', name: `job ${job.name}`, parent: trace, about }, () =>
        handled.handler({ id, payload, attempt: job.attemptsMade + 1, userId, progress, signal: abort.signal }),
      )
      if (fromOutbox) await markDone(db, JOB_MARK, id)
      seen('done')
      return result ?? null
    } catch (err) {
      if (abort.signal.aborted && abort.signal.reason === 'cancelled') return { cancelled: true }
      if (draining && abort.signal.aborted) {
        // Stopped by us: back to the queue for another instance, without counting a try.
        await job.moveToWait(token)
        throw new WaitingError()
      }
      if (err instanceof Later) {
        seen('later')
        await job.moveToDelayed(Date.now() + err.afterMs, token)
        throw new DelayedError()
      }
      const last = job.attemptsMade + 1 >= (job.opts.attempts ?? 1) || err instanceof UnrecoverableError
      seen(last ? 'parked' : 'failed')
      const told = { err, job: id, name: job.name, attempt: job.attemptsMade + 1 }
      withTrace(trace ?? newTrace(), () => log.warn(told, last ? 'job parked' : 'job failed, will try again'), about)
      // Otherwise a caller that waits for this job would wait forever.
      if (last && userId) await options.progress({ user_id: userId, job: id, name: job.name, percent: 100, state: 'failed' }).catch(noise)
      throw err
    } finally {
      running.delete(id)
    }
  }

  function startWorker(lane: string, names: string[], concurrency: number) {
    // Nobody waits for what runs on a schedule alone, and each look wakes the process.
    const isScheduled = names.every((name) => schedules.some((each) => each.name === name))
    const stalledInterval = isScheduled ? lockDuration : lockDuration / 2
    const worker = new Worker(
      lane,
      (job, token) => work(job, token),
      { ...base, ...lanes, stalledInterval, concurrency, name: service, autorun: true } as never,
      options.backend as never,
    )
    worker.on('error', noise)
    // A worker that was stopped past its lock does not own the job any more; whoever took it over finishes it.
    worker.on('lockRenewalFailed', (ids: string[]) => {
      for (const id of ids) running.get(id)?.abort('lock lost')
    })
    workers.push(worker)
  }

  options.onCancel((id) => running.get(id)?.abort('cancelled'))

  return {
    mayForget: options.mayForget,
    memory: options.memory,
    async remember() {
      for (const each of schedules) if (!(await queueOf(each.name).getJobScheduler(each.name))) await makeSchedule(each)
    },
    async add(rows) {
      const byQueue = Map.groupBy(rows, (row) => queueOf(row.name))
      await Promise.all(
        [...byQueue].map(([queue, some]) =>
          queue.addBulk(some.map((row) => ({ name: row.name, data: dataOf(row), opts: { ...optionsOf(row.name), jobId: row.id } }))),
        ),
      )
    },
    handle(name, handler, opts = {}) {
      handlers.set(name, { handler, options: opts, lane: opts.concurrency ? `${service}.${name.split('.').at(-1)}` : service })
    },
    schedule(name, when, payload = {}) {
      schedules.push({ name, repeat: 'cron' in when ? { pattern: when.cron, tz: 'UTC' } : { every: when.everyMs }, payload })
    },
    async cancel(id) {
      if (!isUuid(id) || (await isDone(db, JOB_MARK, id))) return false
      const { numUpdatedRows } = await db
        .updateTable('outbox')
        .set({ sent_at: sql`now()` })
        .where('id', '=', id)
        .where('kind', '=', 'job')
        .where('sent_at', 'is', null)
        .executeTakeFirst()
      const job = await find(id)
      const state = job ? await job.getState() : 'unknown'
      if (!numUpdatedRows && (state === 'unknown' || state === 'completed')) return false
      // The mark comes first: whatever the queue still does with the job, it does not run (again).
      await markDone(db, JOB_MARK, id)
      if (job && state === 'active') await options.tellCancel(id)
      else await job?.remove().catch(() => options.tellCancel(id))
      return true
    },
    async status(id) {
      const job = await find(id)
      if (job) {
        const state = await job.getState()
        const told = job.progress as { percent?: number } | number
        const progress = typeof told === 'number' ? told : (told?.percent ?? 0)
        return { state: STATES[state] ?? 'unknown', progress: state === 'completed' ? 100 : progress }
      }
      if (!isUuid(id)) return null
      if (await isDone(db, JOB_MARK, id)) return { state: 'completed', progress: 100 }
      const row = await db
        .selectFrom('outbox')
        .select(['available_at', 'attempts', 'sent_at'])
        .where('id', '=', id)
        .where('kind', '=', 'job')
        .executeTakeFirst()
      if (!row) return null
      return { state: row.attempts === 0 && row.available_at.getTime() > now() ? 'delayed' : 'waiting', progress: 0 }
    },
    async parked() {
      const failed = (await Promise.all(allQueues().map((queue) => queue.getFailed(0, 199)))).flat()
      return failed.map((job) => ({
        id: job.id!,
        name: job.name,
        payload: (job.data as JobData).payload,
        error: job.failedReason ?? '',
        attempts: job.attemptsMade,
        parkedAt: new Date(job.finishedOn ?? job.timestamp),
      }))
    },
    parkedCount: () => countOf('failed'),
    async replay(id) {
      const job = await find(id)
      if (!job || (await job.getState()) !== 'failed') return false
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
      return true
    },
    async discard(id) {
      const job = await find(id)
      if (!job || (await job.getState()) !== 'failed') return false
      // The mark comes first: a queue that forgets is not told of it again.
      if (isUuid(id)) await markDone(db, JOB_MARK, id)
      await job.remove()
      return true
    },
    async start() {
      const byLane = Map.groupBy(handlers, ([, { lane }]) => lane)
      await options.open()
      queueOf('')
      for (const name of handlers.keys()) queueOf(name)
      for (const each of schedules) await makeSchedule(each)
      for (const queue of queues.values())
        for (const { key } of await queue.getJobSchedulers())
          if (!schedules.some(({ name }) => name === key && queueOf(name) === queue)) await queue.removeJobScheduler(key)
      for (const [lane, some] of byLane)
        startWorker(
          lane,
          some.map(([name]) => name),
          some[0]![1].options.concurrency ?? DEFAULT_CONCURRENCY,
        )
    },
    async drain() {
      draining = true
      const abortAll = setTimeout(() => {
        for (const abort of running.values()) abort.abort('shutdown')
      }, FINISH_MS)
      const closed = Promise.all(workers.map((worker) => worker.close()))
      const patienceMs = running.size > 0 || options.ready() ? FINISH_MS + ABORT_MS : CLOSE_MS
      if (!(await within(patienceMs, closed)))
        log.warn({ jobs: [...running.keys()] }, 'jobs did not stop in time; another instance will find them stalled')
      clearTimeout(abortAll)
    },
    async close() {
      await within(CLOSE_MS, Promise.all(workers.map((worker) => worker.close(true))))
      await within(CLOSE_MS, Promise.all([...queues.values()].map((queue) => queue.close())))
      await options.close()
    },
    ready: options.ready,
    async oldestWaitingMs() {
      const firsts = await Promise.all([...queues.values()].map((queue) => queue.getJobs(['waiting', 'prioritized'], 0, 0, true)))
      const since = firsts.flat().map(({ timestamp, delay }) => timestamp + delay)
      return since.length ? Math.max(0, Date.now() - Math.min(...since)) : 0
    },
    waiting: () => countOf('waiting', 'prioritized', 'active'),
  }
}

const STATES = {
  waiting: 'waiting',
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  delayed: 'delayed',
  active: 'active',
  completed: 'completed',
  failed: 'parked',
} as Record<string, 'waiting' | 'delayed' | 'active' | 'completed' | 'parked'>

const dataOf = ({ payload, user_id, trace }: JobRow): JobData => ({ payload, user_id, trace })
// Jobs of a schedule have names for ids, and no row.
const isUuid = (id: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)

/** Whether it was done in time: a store that is away, or a job that does not listen, keeps no process from ending. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const done = work.then(
    () => true,
    () => true,
  )
  return Promise.race([done, late]).finally(() => clearTimeout(timer))
}
