import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SetupError } from '@operon/kit/config'
import { freePort, portIsFree } from '@operon/kit/ports'
import { findProgram } from './machine.ts'
import { watchStore } from './nats-watch.ts'
import { type Supervised, supervise } from './supervised.ts'

type Broker = { url: string; process: Supervised; stop(): Promise<void> }
type Options = { dataDir: string; log: (line: string) => void; onChange: (pid: number | null) => void }

/** JetStream, its store under DATA_DIR, on a loopback port that stays the same over restarts. */
export async function startNats({ dataDir, log, onChange }: Options): Promise<Broker> {
  const command = findProgram('nats-server')
  if (!command)
    throw new SetupError(
      'nats-server is not on PATH: install it (apt-get install nats-server), or set BUS_URL to a NATS server with JetStream',
    )
  const dir = folder(dataDir, 'nats')
  const { port, secret } = await keptAddress(dir)
  const config = `listen: "127.0.0.1:${port}"
max_payload: 4MB
log_file: "${join(dir, 'server.log')}"
authorization { user: operon, password: "${secret}" }
jetstream { store_dir: "${dir}" }
`
  const process = supervise({
    name: 'nats',
    command,
    args: ['-c', writeSecret(join(dir, 'nats.conf'), config)],
    log,
    onChange,
    onLine: log,
  })
  await answers(port, 'NATS', process, join(dir, 'server.log'))
  const url = `nats://operon:${secret}@127.0.0.1:${port}`
  const unwatch = watchStore(url, process, log)
  return {
    url,
    process,
    async stop() {
      await unwatch()
      await process.stop()
    },
  }
}

/** Jobs are rows of the outbox first, kept for a day: what the last second of the log may lose is sent again from there. */
export async function startRedis({ dataDir, log, onChange }: Options): Promise<Broker> {
  const command = findProgram('redis-server')
  if (!command)
    throw new SetupError(
      'redis-server is not on PATH: install it (apt-get install redis-server), or set QUEUE_URL and CACHE_URL to a Redis server',
    )
  const dir = folder(dataDir, 'redis')
  const { port, secret } = await keptAddress(dir)
  const config = `bind 127.0.0.1
port ${port}
requirepass ${secret}
dir "${dir}"
logfile "${join(dir, 'server.log')}"
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
save ""
`
  const process = supervise({ name: 'redis', command, args: [writeSecret(join(dir, 'redis.conf'), config)], log, onChange, onLine: log })
  await answers(port, 'Redis', process, join(dir, 'server.log'))
  return { url: `redis://:${secret}@127.0.0.1:${port}`, process, stop: () => process.stop() }
}

function folder(dataDir: string, name: string): string {
  const dir = join(dataDir, name)
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  return dir
}

async function keptAddress(dir: string): Promise<{ port: number; secret: string }> {
  const file = join(dir, 'operon.json')
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { port: number; secret: string }) : null
  if (kept && (await portIsFree(kept.port))) return kept
  const address = { port: await freePort(), secret: kept?.secret ?? randomBytes(24).toString('hex') }
  writeSecret(file, JSON.stringify(address))
  return address
}

function writeSecret(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

async function answers(port: number, what: string, process: Supervised, logFile: string): Promise<void> {
  for (const until = Date.now() + 15_000; Date.now() < until; await delay(20)) if (await accepts(port)) return
  await process.stop(1000)
  throw new SetupError(`${what} did not start: see ${logFile}`)
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
