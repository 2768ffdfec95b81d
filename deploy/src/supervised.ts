import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { lineReader } from './log.ts'

export type Supervised = {
  name: string
  pid(): number | null
  restarts(): number
  /** Leaves it down when it dies, until `release`: for those who kill it on purpose. */
  hold(): void
  release(): void
  /** Asks it to end and waits; after `withinMs` it is killed. */
  stop(withinMs?: number): Promise<void>
  /** Stops it and starts it again, as a rolling deploy does; with other arguments or more environment until the next restart. */
  restart(as?: RunAs, withinMs?: number): Promise<void>
}
export type RunAs = { args?: string[]; env?: NodeJS.ProcessEnv }
type SupervisedOptions = {
  name: string
  command: string
  args: string[]
  /** A function is asked at each start: what it says may have changed. */
  env?: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv)
  /** A Node process hears of our end through its channel. */
  node?: boolean
  onLine?: (line: string) => void
  log: (line: string) => void
  /** Called with each new pid, and with null when it has ended. */
  onChange?: (pid: number | null) => void
}

const living = new Set<ChildProcess>()
/** A forced end waits for nobody, and leaves nobody behind. */
export function killSupervised() {
  for (const child of living) child.kill('SIGKILL')
}

/** Keeps one process running: what dies is started again, sooner when it had run for long. */
export function supervise({ name, command, args, env, node, onLine, log, onChange }: SupervisedOptions): Supervised {
  let child: ChildProcess | null = null
  let ended: Promise<void> = Promise.resolve()
  let restarts = -1
  let wait = 100
  let held = false
  let stopping = false
  let as: RunAs = {}

  function start() {
    restarts += 1
    const begun = Date.now()
    // In a group of its own, so that Ctrl-C does not reach it before its turn.
    const next = spawn(command, as.args ?? args, {
      env: { ...process.env, ...(typeof env === 'function' ? env() : env), ...as.env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...(node ? ['ipc' as const] : [])],
    })
    child = next
    living.add(next)
    next.once('exit', () => living.delete(next))
    const read = lineReader((line) => onLine?.(line))
    next.stdout?.on('data', read)
    next.stderr?.on(
      'data',
      lineReader((line) => onLine?.(line)),
    )
    onChange?.(next.pid ?? null)
    ended = new Promise((resolve) => {
      const over = (why: string) => {
        if (child !== next) return
        child = null
        onChange?.(null)
        resolve()
        if (!stopping) log(`${name} ended (${why})${held ? '' : ', starting it again'}`)
        wait = Date.now() - begun > 10_000 ? 100 : Math.min(wait * 2, 5000)
        if (!stopping && !held) void delay(wait).then(startIfWanted)
      }
      next.once('exit', (code, signal) => over(signal ?? `code ${code}`))
      next.once('error', (error) => over(error.message))
    })
  }
  function startIfWanted() {
    if (!stopping && !held && !child) start()
  }
  async function end(withinMs: number) {
    const ending = child
    if (!ending) return
    const killing = setTimeout(() => ending.kill('SIGKILL'), withinMs)
    ending.kill('SIGTERM')
    await ended
    clearTimeout(killing)
  }

  start()
  return {
    name,
    pid: () => child?.pid ?? null,
    restarts: () => restarts,
    hold() {
      held = true
    },
    release() {
      held = false
      startIfWanted()
    },
    async stop(withinMs = 25_000) {
      stopping = true
      await end(withinMs)
    },
    async restart(next = {}, withinMs = 25_000) {
      held = true
      await end(withinMs)
      as = next
      held = false
      startIfWanted()
    },
  }
}
