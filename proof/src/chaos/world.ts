import { existsSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceName, serviceNames } from '@operon/contracts/services'
import type { Fleet } from '@operon/deploy/fleet'
import pg from 'pg'
import { seededRandom } from '../random.ts'
import type { Older } from './versions.ts'

export type Outcome = {
  injected: string
  /** Requests that succeeded during the fault. */
  work: string
  lost: number
  twice: number
  recoveredMs?: number
  /** Every invariant that did not hold, in a sentence. */
  broken: string[]
  /** Why it could not be tried here. */
  skipped?: string
}
/** `later`: the fault is in, and its check comes when all the others have run. */
export type Fault = (world: World) => Promise<Outcome | { later: () => Promise<Outcome> }>
export type Answer = { status: number; body: any }
export type CallOptions = { token?: string | null; body?: unknown; headers?: Record<string, string>; deadlineMs?: number }
export type World = {
  fleet: Fleet
  url: string
  seed: number
  short: boolean
  /** How many are placed while services are killed. */
  orders: number
  /** How many are paid out in one run. */
  sellers: number
  /** The same numbers again under the same seed. */
  random(): number
  /** A machine that others keep busy gets so many times longer to recover; nothing else changes. */
  patience: number
  serviceKey: string
  /** Events that were made to fail: not counted as lost. */
  poisoned: Set<string>
  /** Status 0 when nobody answered. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The same through another gateway. */
  callAt(url: string): World['call']
  query<Row = any>(service: ServiceName, text: string, values?: unknown[]): Promise<Row[]>
  /** The instances of a service, by the names of their processes. */
  instances(service: ServiceName): string[]
  /** kill -9; the fleet starts it again unless it is held. */
  kill(name: string): void
  truth(kind?: string): TruthLine[]
  /** The tree that the fleet started from, where it was not this one. */
  older: Older
  /** Undone once the fleet is down. */
  afterwards: (() => unknown)[]
  close(): Promise<void>
}
export type TruthLine = { n: number; at: string; provider: string; kind: string } & Record<string, any>

type Options = {
  fleet: Fleet
  seed: number
  short: boolean
  orders: number
  sellers: number
  serviceKey: string
  busy: number
  older: Older
  afterwards: (() => unknown)[]
}

export function openWorld({ fleet, seed, short, orders, sellers, serviceKey, busy, older, afterwards }: Options): World {
  const pools = new Map(serviceNames.map((name) => [name, openPool(fleet.env.DATABASE_URL!, name)]))
  const truthFile = join(fleet.env.DATA_DIR!, 'sandbox', 'truth.jsonl')
  return {
    fleet,
    url: fleet.url,
    seed,
    short,
    orders,
    sellers,
    random: seededRandom(seed),
    patience: Math.min(5, Math.max(1, busy)),
    serviceKey,
    poisoned: new Set(),
    call: (method, path, options = {}) => call(fleet.url, method, path, options),
    callAt:
      (url) =>
      (method, path, options = {}) =>
        call(url, method, path, options),
    async query(service, text, values) {
      // Its server may have been killed on purpose a moment ago.
      for (const until = Date.now() + 30_000; ; await delay(100)) {
        try {
          return (await pools.get(service)!.query(text, values)).rows
        } catch (error) {
          if (Date.now() > until || !isAway(error)) throw error
        }
      }
    },
    instances: (service) => [...fleet.processes.keys()].filter((name) => name.replace(/-\d+$/, '') === service),
    kill(name) {
      const pid = fleet.processes.get(name)?.pid()
      if (pid) process.kill(pid, 'SIGKILL')
    },
    truth(kind) {
      if (!existsSync(truthFile)) return []
      const lines = readFileSync(truthFile, 'utf8').split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line) as TruthLine).filter((line) => !kind || line.kind === kind)
    },
    older,
    afterwards,
    async close() {
      for (const pool of pools.values()) await pool.end()
    },
  }
}

/** How many want each core of this machine just now. */
export const busyness = (cores: number) => loadavg()[0]! / cores

function openPool(server: string, service: ServiceName): pg.Pool {
  const url = new URL(server)
  url.pathname = `/${service.replaceAll('-', '_')}`
  const pool = new pg.Pool({ connectionString: url.href, max: 2, connectionTimeoutMillis: 5000, idleTimeoutMillis: 5000 })
  pool.on('error', () => {})
  return pool
}

async function call(
  url: string,
  method: string,
  path: string,
  { token, body, headers, deadlineMs = 15_000 }: CallOptions,
): Promise<Answer> {
  try {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlineMs),
      headers: {
        apikey: 'anon',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: parse(await response.text()) }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error }
    return { status: 0, body: { message: cause?.message ?? message } }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isAway(error: unknown): boolean {
  const { code = '', message } = error as { code?: string; message: string }
  return /^(08|57P|55000|53300|ECONN|EPIPE)/.test(code) || /terminated|timeout|not currently accepting/i.test(message)
}

/** Polls until it holds; answers how long that took, or null when the time was up. */
export async function until(fact: () => Promise<boolean> | boolean, withinMs: number, everyMs = 50): Promise<number | null> {
  const began = performance.now()
  for (;;) {
    if (await fact()) return performance.now() - began
    if (performance.now() - began > withinMs) return null
    await delay(everyMs)
  }
}
