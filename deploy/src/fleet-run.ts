import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { aliveProcess } from './machine.ts'

/** Where a running fleet can be found by other commands. Socket names are short, because a path over about 100 characters cannot be bound. */
export function runFolder(dataDir: string): string {
  const wanted = join(dataDir, 'run')
  const run = wanted.length < 75 ? wanted : join(tmpdir(), `operon-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`)
  mkdirSync(run, { recursive: true, mode: 0o700 })
  return run
}

/** `fleet.json`: the pid of each process as it is now, for those who look or kill. */
export function noteKeeper(run: string, content: () => Record<string, unknown>) {
  const file = join(run, 'fleet.json')
  return {
    write: () => writeFileSync(file, JSON.stringify(content(), null, 2), { mode: 0o600 }),
    remove: () => rmSync(file, { force: true }),
  }
}

/** Where the instances of a service are, a line each: gateways read it again every second. */
export function writeUpstreams(run: string, service: string, addresses: string[]): string {
  return `file:${writeWhole(join(run, `${service}.upstreams`), `${addresses.join('\n')}\n`, 0o600)}`
}

/** Where each process tells its figures, for `file_sd_configs` of Prometheus, which is another user and reads it again when it changes. */
export function writeTargets(dataDir: string, found: { name: string; target: string }[]): void {
  const groups = found.map(({ name, target }) => ({ targets: [target], labels: { process: name } }))
  writeWhole(join(dataDir, 'prometheus.json'), JSON.stringify(groups, null, 2), 0o644)
}

/** It appears whole or not at all. */
function writeWhole(file: string, text: string, mode: number): string {
  writeFileSync(`${file}.new`, text, { mode })
  renameSync(`${file}.new`, file)
  return file
}

/** Cleans up after a killed launcher: services drain by themselves, brokers are stopped here so that their stores have one owner. */
export async function endLeftovers(run: string): Promise<void> {
  const file = join(run, 'fleet.json')
  if (!existsSync(file)) return
  const left = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
    .filter(([name, pid]) => name !== 'postgres' && typeof pid === 'number' && isOurs(pid))
    .map(([, pid]) => pid as number)
  for (const pid of left) process.kill(pid, 'SIGTERM')
  for (const end = Date.now() + 15_000; left.some(aliveProcess) && Date.now() < end; ) await delay(50)
  for (const pid of left) if (aliveProcess(pid)) process.kill(pid, 'SIGKILL')
}

function isOurs(pid: number): boolean {
  if (!aliveProcess(pid)) return false
  try {
    return /nats-server|redis-server|src\/main\.ts/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}

/** Asks `/readyz` of a process, by its socket or its host and port: true when nothing of it fails, null when it does not answer. */
export function askReady(address: string): Promise<{ ok: boolean; failing: string[]; version?: string } | null> {
  const [host, port] = address.split(':')
  const where = address.startsWith('/') ? { socketPath: address } : { host: host === '0.0.0.0' ? '127.0.0.1' : host, port }
  return new Promise((resolve) => {
    const asking = request({ ...where, path: '/readyz', timeout: 3000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => resolve(parsed(text))).on('error', () => resolve(null))
    })
    asking.on('error', () => resolve(null)).on('timeout', () => asking.destroy())
    asking.end()
  })
}

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
