import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'
import { compareSync } from 'bcryptjs'

/** With `stored` a password is held against it, without it is hashed. */
export type Task = { password: string; stored?: string }
export type Answer = { done: string | boolean } | { error: string }

// argon2id is this library's default.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

function run({ password, stored }: Task): string | boolean {
  if (stored === undefined) return hashSync(password, COST)
  return /^\$2[aby]\$/.test(stored) ? compareSync(password, stored) : verifySync(stored, password)
}

parentPort!.on('message', (task: Task) => {
  try {
    parentPort!.postMessage({ done: run(task) } satisfies Answer)
  } catch (error) {
    parentPort!.postMessage({ error: (error as Error).message } satisfies Answer)
  }
})
