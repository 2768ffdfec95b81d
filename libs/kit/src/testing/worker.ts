import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

type Work = { service: string; job: string; id: string; databaseUrl: string; store: string }

/** A process of its own that takes a job and never finishes it, for tests that kill it. */
export async function spawnWorker(work: Work) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./worker-main.ts', import.meta.url)), JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const gone = once(child, 'exit')
  const took = once(createInterface({ input: child.stdout }), 'line')
  return {
    took: Promise.race([took, gone.then(() => Promise.reject(new Error('the worker ended by itself')))]),
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
