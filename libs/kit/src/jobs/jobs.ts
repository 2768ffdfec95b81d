/** The function that runs a job. `progress` is told to the job's user over the socket; `signal` is aborted on cancel and on shutdown. */
export type JobRun<P> = {
  id: string
  payload: P
  attempt: number
  userId: string | null
  progress(percent: number, state?: string): Promise<void>
  signal: AbortSignal
}
export type JobHandler = (run: JobRun<any>) => Promise<unknown>
export type JobRow = { id: string; name: string; user_id: string | null; payload: unknown; trace: string | null }
type ParkedJob = { id: string; name: string; payload: unknown; error: string; attempts: number; parkedAt: Date }
/** `concurrency` gives the job a lane of its own, so wide in each instance; `attempts` is how often it is tried before it is parked; a lower `priority` runs first. */
export type HandleOptions = { concurrency?: number | undefined; attempts?: number | undefined; priority?: number | undefined }

/** Of a queue in PostgreSQL: one for queries, none of which is more than a statement, and one to listen on. */
export const QUEUE_CONNECTIONS = 2

/** Thrown by a handler whose job has to wait: it runs again after that time, and no try is counted. */
export class Later extends Error {
  override name = 'Later'
  readonly afterMs: number

  constructor(afterMs: number) {
    super(`runs again in ${afterMs} ms`)
    this.afterMs = afterMs
  }
}

/** One queue a service; the job's name picks the handler. Register handlers and schedules before `start`. */
export interface Jobs {
  /** The queue can lose what it acknowledged: the relay then looks for lost jobs. */
  readonly mayForget: boolean
  /** Changes when the queue may have lost what it acknowledged: it was away, or its store was emptied. */
  memory(): Promise<string>
  /** Makes the schedules again that the queue does not know any more. */
  remember(): Promise<void>
  /** Resolves when each is in the queue for good; a job id that is there already is not added twice. */
  add(jobs: JobRow[]): Promise<void>
  handle(name: string, handler: JobHandler, options?: HandleOptions): void
  /** Runs a job on a cron pattern (UTC) or every so many ms, once across all instances. */
  schedule(name: string, when: { cron: string } | { everyMs: number }, payload?: unknown): void
  /** A waiting job is removed; a running one, wherever it runs, gets its signal aborted and is not tried again. */
  cancel(id: string): Promise<boolean>
  status(id: string): Promise<{ state: 'waiting' | 'delayed' | 'active' | 'completed' | 'parked' | 'unknown'; progress: number } | null>
  parked(): Promise<ParkedJob[]>
  parkedCount(): Promise<number>
  replay(id: string): Promise<boolean>
  /** Takes a parked job away for good. */
  discard(id: string): Promise<boolean>
  start(): Promise<void>
  drain(): Promise<void>
  close(): Promise<void>
  ready(): boolean
  waiting(): Promise<number>
  /** How long the first of each queue has been due. */
  oldestWaitingMs(): Promise<number>
}

/** The inbox row that says a job has finished stands under this handler. */
export const JOB_MARK = 'job'
export const JOB_ATTEMPTS = 5
