import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { refuse } from '../deps.ts'
import type { Answer, Task } from './hash-thread.ts'

const WAITING = 64
/** One that runs and one at hand, so that a thread goes on without asking. */
const A_THREAD = 2
/** A thread and what its hashes took are a quarter of this service at rest; another one starts in a twentieth of a second. */
const REST_MS = 60_000

export type Hasher = {
  hash(password: string): Promise<string>
  /** Takes as long for nobody's password as for somebody's. `upgrade` says that the stored form is an older one. */
  verify(password: string, stored: string | null): Promise<{ ok: boolean; upgrade: boolean }>
  /** How many threads there are now. */
  threads(): number
  close(): Promise<void>
}

/**
 * A thread a core and a bounded queue: each hash takes 19 MiB, and a crowd is told to come back rather than swallowing memory. More threads
 * would only fight for the cores. Node's shared ones would hash a quarter slower, and files and names would wait behind passwords.
 */
export function createHasher(restMs = REST_MS): Hasher {
  const threads = openThreads(availableParallelism(), restMs)
  let nobodys: Promise<string> | null = null
  // The first to verify has it made, whoever that is: its time tells nothing either.
  const nobodysHash = () => {
    nobodys ??= (threads.run({ password: crypto.randomUUID() }) as Promise<string>).catch((error) => {
      nobodys = null
      throw error
    })
    return nobodys
  }
  return {
    hash: (password) => threads.run({ password }) as Promise<string>,
    verify: async (password, stored) => {
      const instead = await nobodysHash()
      const ok = (await threads.run({ password, stored: stored ?? instead })) as boolean
      return { ok: ok && stored !== null, upgrade: stored !== null && !stored.includes('m=19456,t=2') }
    },
    threads: threads.count,
    close: threads.close,
  }
}

export const isPasswordHash = (text: string) =>
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text) || /^\$argon2id?\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/.test(text)

type Job = { task: Task; resolve(answer: string | boolean): void; reject(error: Error): void }
type Thread = { worker: Worker; jobs: Job[]; resting?: NodeJS.Timeout }

function openThreads(most: number, restMs: number) {
  const threads = new Set<Thread>()
  const waiting: Job[] = []

  function start(): Thread {
    const thread: Thread = { worker: new Worker(new URL('hash-thread.ts', import.meta.url), { execArgv: [] }), jobs: [] }
    thread.worker.on('message', (answer: Answer) => {
      const { resolve, reject } = thread.jobs.shift()!
      const next = waiting.shift()
      if (next) give(thread, next)
      if (!thread.jobs.length) rest(thread)
      if ('error' in answer) reject(new Error(answer.error))
      else resolve(answer.done)
    })
    thread.worker.on('error', (error) => lose(thread, error))
    thread.worker.on('exit', () => lose(thread, new Error('the hashing thread has ended')))
    threads.add(thread)
    return thread
  }

  /** Only a thread at work holds its process open, and one that rests for long ends. */
  function rest(thread: Thread) {
    thread.worker.unref()
    thread.resting = setTimeout(() => {
      threads.delete(thread)
      thread.worker.terminate()
    }, restMs).unref()
  }

  /** Fails the jobs of a thread that died; the next password starts another thread. */
  function lose(thread: Thread, error: unknown) {
    threads.delete(thread)
    for (const { reject } of thread.jobs.splice(0)) reject(error as Error)
    for (const job of waiting.splice(0)) place(job)
  }

  function give(thread: Thread, job: Job) {
    clearTimeout(thread.resting)
    thread.jobs.push(job)
    thread.worker.ref()
    thread.worker.postMessage(job.task)
  }

  function place(job: Job) {
    const idlest = [...threads].sort((a, b) => a.jobs.length - b.jobs.length)[0]
    if (!idlest || (idlest.jobs.length > 0 && threads.size < most)) return give(start(), job)
    if (idlest.jobs.length < A_THREAD) return give(idlest, job)
    if (waiting.length >= WAITING)
      return job.reject(refuse(429, 'over_request_rate_limit', 'Request rate limit reached', { headers: { 'retry-after': '1' } }))
    waiting.push(job)
  }

  return {
    run: (task: Task) => new Promise<string | boolean>((resolve, reject) => place({ task, resolve, reject })),
    count: () => threads.size,
    async close() {
      for (const { resting } of threads) clearTimeout(resting)
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}
