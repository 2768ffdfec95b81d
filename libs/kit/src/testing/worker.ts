import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

type Work = { service: string; job: string; databaseUrl: string; store: string }

/** A process of its own that takes a job and never finishes it, for tests that kill it. */
export async function spawnWorker(work: Work) {
  const child: ChildProcess = spawn(process.execPath, [fileURLToPath(new URL('./worker-main.ts', import.meta.url)), JSON.stringify(work)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout! })
  const said = new Set<string>()
  const waiting = new Map<string, () => void>()
  lines.on('line', (line) => {
    said.add(line)
    waiting.get(line)?.()
  })
  const hear = (line: string) => (said.has(line) ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(line, resolve)))
  return {
    started: hear('started'),
    took: (id: string) => hear(`took ${id}`),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
