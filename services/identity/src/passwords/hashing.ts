import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { refuse } from '../deps.ts'
import type { Answer, Task } from './hash-thread.ts'

const WAITING = 64
/** One that runs and one at hand, so that a thread goes on without asking. */
const A_THREAD = 2

export type Hasher = {
  hash(password: string): Promise<string>
  /** Takes as long for nobody's password as for somebody's. `upgrade` says that the stored form is an older one. */
  verify(password: string, stored: string | null): Promise<{ ok: boolean; upgrade: boolean }>
  close(): Promise<void>
}

/**
 * A thread a core and a bounded queue: each hash takes 19 MiB, and a crowd is told to come back rather than swallowing memory. More threads
 * would only fight for the cores. Node's shared ones would hash a quarter slower, and files and names would wait behind passwords.
 */
export async function createHasher(): Promise<Hasher> {
  const threads = openThreads(availableParallelism())
  const nobodys = (await threads.run({ password: crypto.randomUUID() })) as string
  return {
    hash: (password) => threads.run({ password }) as Promise<string>,
    verify: async (password, stored) => {
      const ok = (await threads.run({ password, stored: stored ?? nobodys })) as boolean
      return { ok: ok && stored !== null, upgrade: stored !== null && !stored.includes('m=19456,t=2') }
    },
    close: threads.close,
  }
}

export const isPasswordHash = (text: string) =>
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text) || /^\$argon2id?\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+$/.test(text)

type Job = { task: Task; resolve(answer: string | boolean): void; reject(error: Error): void }
type Thread = { worker: Worker; jobs: Job[] }

function openThreads(most: number) {
  const threads = new Set<Thread>()
  const waiting: Job[] = []

  function start(): Thread {
    const thread: Thread = { worker: new Worker(new URL('hash-thread.ts', import.meta.url), { execArgv: [] }), jobs: [] }
    thread.worker.on('message', (answer: Answer) => {
      const { resolve, reject } = thread.jobs.shift()!
      const next = waiting.shift()
      if (next) give(thread, next)
      // Only a thread at work holds its process open.
      if (!thread.jobs.length) thread.worker.unref()
      if ('error' in answer) reject(new Error(answer.error))
      else resolve(answer.done)
    })
    thread.worker.on('error', (error) => lose(thread, error))
    thread.worker.on('exit', () => lose(thread, new Error('the hashing thread has ended')))
    threads.add(thread)
    return thread
  }

  /** Fails the jobs of a thread that died; the next password starts another thread. */
  function lose(thread: Thread, error: unknown) {
    threads.delete(thread)
    for (const { reject } of thread.jobs.splice(0)) reject(error as Error)
    for (const job of waiting.splice(0)) place(job)
  }

  function give(thread: Thread, job: Job) {
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
    async close() {
      await Promise.all([...threads].map(({ worker }) => worker.terminate()))
    },
  }
}
