import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { aliveProcess, scratchRoot } from './machine.ts'
import { startPostgres } from './postgres.ts'

// Kept between runs, so that a single file starts in a blink and templates are made once.
const root = join(scratchRoot(), `operon-test-pg-${userInfo().username}`)
// A crash of the machine may cost this cluster, which holds nothing: clones are three times faster so.
const fast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '64MB',
  max_wal_size: '256MB',
  max_connections: '500',
  shared_buffers: '64MB',
}

/** vitest's global set-up: one PostgreSQL for everything that runs now, several runs at once included. */
export async function setup(): Promise<() => Promise<void>> {
  if (process.env.OPERON_TEST_PG) return async () => {}
  const me = join(root, 'users', String(process.pid))
  const server = await exclusively(async () => {
    mkdirSync(join(root, 'users'), { recursive: true })
    writeFileSync(me, '')
    const server = await startPostgres({ dataDir: root, settings: fast, log: (line) => console.log(line) })
    await dropLeftovers(server.url)
    return server
  })
  process.env.OPERON_TEST_PG = server.url
  return async () => {
    await exclusively(async () => {
      rmSync(me, { force: true })
      const others = livingUsers()
      if (others.length === 0 && process.env.OPERON_TEST_PG_KEEP !== '1') await server.stop()
    })
  }
}

function livingUsers(): string[] {
  const users = readdirSync(join(root, 'users'))
  for (const pid of users) if (!aliveProcess(Number(pid))) rmSync(join(root, 'users', pid), { force: true })
  return users.filter((pid) => aliveProcess(Number(pid)))
}

/** Databases of runs that were killed: their name carries the pid. */
async function dropLeftovers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(`select datname from pg_database where datname ~ '^t_.*_[0-9]+_[0-9a-f]{8}$'`)
  for (const { datname } of rows) {
    if (!aliveProcess(Number(datname.split('_').at(-2)))) await client.query(`drop database if exists ${datname} with (force)`)
  }
  await client.end()
}

/** One run at a time starts or stops the server. The lock is a folder that names its holder, so that a dead one is seen. */
async function exclusively<T>(run: () => Promise<T>): Promise<T> {
  mkdirSync(root, { recursive: true, mode: 0o755 })
  const lock = join(root, 'lock')
  while (!takeLock(lock)) await delay(50)
  try {
    return await run()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    writeFileSync(join(lock, String(process.pid)), '')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const holder = holderOf(lock)
    if (holder && !aliveProcess(holder)) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function holderOf(lock: string): number | null {
  try {
    return Number(readdirSync(lock)[0]) || null
  } catch {
    return null
  }
}
