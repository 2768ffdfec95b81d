import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SetupError } from '@operon/kit/config'
import { freePort, portIsFree } from '@operon/kit/ports'
import { aliveProcess } from './machine.ts'
import { type PostgresHome, postgresHome } from './postgres-home.ts'

export type Postgres = {
  /** `postgres://…/postgres`; another database is another path. */
  url: string
  pid: number
  /** It was running already when we came. */
  adopted: boolean
  stop(): Promise<void>
}
export type PostgresOptions = {
  dataDir: string
  log?: (line: string) => void
  /** Settings over the ones below, as `postgres -c` takes them. */
  settings?: Record<string, string>
}
/** Left for the next start, which adopts or stops this server. */
type Note = { pid: number; port: number; password: string; directory: string; started: string }

const tuning = {
  max_connections: '300',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  min_wal_size: '256MB',
  max_wal_size: '1GB',
  checkpoint_completion_target: '0.9',
  random_page_cost: '1.1',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_min_messages: 'warning',
  password_encryption: 'scram-sha-256',
}

const ours = new Set<number>()

/** For a launcher that must leave at once: PostgreSQL's fast shutdown, not waited for. */
export function abandonPostgres() {
  for (const pid of ours) if (aliveProcess(pid)) process.kill(pid, 'SIGINT')
}

/** Starts the packaged PostgreSQL, or adopts the one that a killed launcher left behind on the same data. */
export async function startPostgres({ dataDir, log = () => {}, settings = {} }: PostgresOptions): Promise<Postgres> {
  const home = explained(dataDir, () => openHome(dataDir, log))
  const data = join(home.dir, 'data')
  const flags = Object.entries({ ...tuning, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const started = createHash('sha256').update(flags.join()).digest('hex')
  let note = readNote(home)

  const survivor = survivingPostmaster(data)
  if (survivor && note?.pid === survivor && note.started === started) {
    await untilReady(home, survivor)
    log(`PostgreSQL was still running (pid ${survivor}) and is used again`)
    return handle(home, note, true)
  }
  if (survivor) await stopPostmaster(survivor)
  else disownLock(data)

  demandSpace(home, existsSync(join(data, 'PG_VERSION')))
  if (!existsSync(join(data, 'PG_VERSION')) || !note) {
    if (existsSync(join(data, 'PG_VERSION')))
      throw new SetupError(`${noteFile(home)} is missing, and with it the password of the database in ${data}`)
    log('Creating the database')
    note = { pid: 0, port: 0, password: randomBytes(24).toString('base64url'), directory: data, started }
    writeNote(home, note)
    explained(data, () => initialise(home, data, note!.password))
  }
  const running = await launchOnceFree(home, data, flags, { ...note, started })
  return handle(home, running, false)
}

/** The pid of the postmaster that serves exactly this data, if one does. A pid alone proves nothing: they are reused. */
export function survivingPostmaster(data: string): number | null {
  const pid = Number(readOrNull(join(data, 'postmaster.pid'))?.split('\n')[0])
  return pid && aliveProcess(pid) && commandLine(pid).includes(data) ? pid : null
}

function openHome(dataDir: string, log: (line: string) => void): PostgresHome {
  mkdirSync(dataDir, { recursive: true, mode: 0o755 })
  const home = postgresHome(dataDir, log)
  mkdirSync(home.dir, { recursive: true, mode: 0o755 })
  if (home.runAs.uid !== undefined) chownSync(home.dir, home.runAs.uid, home.runAs.gid!)
  return home
}

/** A server that runs out of disk at its first steps dies of it, again and again; one that runs refuses and recovers. */
function demandSpace({ dir }: PostgresHome, made: boolean) {
  const { bavail, bsize } = statfsSync(dir)
  const [free, needed] = [Math.floor((bavail * bsize) / 1e6), made ? 20 : 400]
  if (free < needed) throw new SetupError(`The disk that holds ${dir} is full: ${free} MB are free, and the database needs ${needed} MB`)
}

function initialise(home: PostgresHome, data: string, password: string) {
  // A start that was killed during initdb leaves half a cluster, which initdb refuses.
  rmSync(data, { recursive: true, force: true })
  const passwordFile = join(home.dir, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (home.runAs.uid !== undefined) chownSync(passwordFile, home.runAs.uid, home.runAs.gid!)
  const options = [
    '--auth=scram-sha-256',
    '--username=operon',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--locale-provider=builtin',
  ]
  try {
    execFileSync(
      join(home.bin, 'initdb'),
      [`--pgdata=${data}`, ...options, '--lc-messages=C', '--lc-collate=C', '--lc-ctype=C', '--set', 'scram_iterations=1'],
      {
        ...home.runAs,
        cwd: home.dir,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, LC_ALL: 'C' },
      },
    )
  } catch (error) {
    rmSync(data, { recursive: true, force: true })
    throw error
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/**
 * No postmaster has this pid any more: another program has, or nobody has asked yet how the dead one ended. PostgreSQL would refuse at either.
 * The rest of its lock (shared memory) still has to be checked.
 */
function disownLock(data: string) {
  const lock = join(data, 'postmaster.pid')
  const [pid, ...rest] = readOrNull(lock)?.split('\n') ?? []
  if (pid) writeFileSync(lock, ['99999999', ...rest].join('\n'))
}

/** The sessions of a postmaster that was killed outlive it by a moment, and two sets must never share the data. */
async function launchOnceFree(home: PostgresHome, data: string, flags: string[], note: Note): Promise<Note> {
  const until = Date.now() + 10_000
  for (;;) {
    try {
      return await launch(home, data, flags, note)
    } catch (error) {
      if (!/pre-existing shared memory/.test(String(error)) || Date.now() > until) throw error
      await delay(100)
    }
  }
}

async function launch(home: PostgresHome, data: string, flags: string[], note: Note): Promise<Note> {
  const port = note.port && (await portIsFree(note.port)) ? note.port : await freePort()
  const logFile = join(home.dir, 'server.log')
  if (existsSync(logFile) && statSync(logFile).size > 10_000_000) truncateSync(logFile)
  const logStart = existsSync(logFile) ? statSync(logFile).size : 0
  const output = openSync(logFile, 'a', 0o640)
  // In a process group of its own: Ctrl-C must not reach it before the services have drained.
  const child = spawn(join(home.bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...home.runAs,
    cwd: home.dir,
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, LC_ALL: 'C', PGPORT: undefined },
  })
  closeSync(output)
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(error))
    child.once('exit', () => reject(new Error(readFileSync(logFile, 'utf8').slice(logStart))))
  })
  failed.catch(() => {})
  child.unref()
  try {
    await Promise.race([failed, untilReady(home, () => child.pid)])
  } catch (error) {
    throw readable(error, home.dir)
  }
  child.removeAllListeners('exit')
  const running = { ...note, pid: child.pid!, port }
  writeNote(home, running)
  return running
}

async function untilReady(home: PostgresHome, pid: number | (() => number | undefined), deadlineMs = 60_000): Promise<void> {
  const until = Date.now() + deadlineMs
  while (Date.now() < until) {
    // The server writes its state into the last line of its lock file.
    const lines = readOrNull(join(home.dir, 'data', 'postmaster.pid'))?.split('\n')
    const wanted = typeof pid === 'number' ? pid : pid()
    if (Number(lines?.[0]) === wanted && lines?.[7]?.trim() === 'ready') return
    await delay(10)
  }
  throw new SetupError(`PostgreSQL did not become ready within ${deadlineMs / 1000} s: see ${join(home.dir, 'server.log')}`)
}

function handle(home: PostgresHome, note: Note, adopted: boolean): Postgres {
  ours.add(note.pid)
  return {
    url: `postgres://operon:${note.password}@127.0.0.1:${note.port}/postgres`,
    pid: note.pid,
    adopted,
    async stop() {
      if (survivingPostmaster(join(home.dir, 'data')) === note.pid) await stopPostmaster(note.pid)
      ours.delete(note.pid)
    },
  }
}

async function stopPostmaster(pid: number, deadlineMs = 20_000): Promise<void> {
  const signal = (name: NodeJS.Signals) => {
    if (aliveProcess(pid)) process.kill(pid, name)
  }
  const gone = async (withinMs: number) => {
    for (const until = Date.now() + withinMs; aliveProcess(pid) && Date.now() < until; ) await delay(10)
  }
  // A pool says that it has ended while its goodbyes are still under way: wait for the sessions, but not for long.
  signal('SIGTERM')
  await gone(500)
  // The fast shutdown: sessions are cut, everything is written.
  signal('SIGINT')
  await gone(deadlineMs)
  signal('SIGQUIT')
  await gone(5000)
}

function commandLine(pid: number): string {
  const fromProc = readOrNull(`/proc/${pid}/cmdline`)
  if (fromProc !== null) return fromProc.replaceAll('\0', ' ')
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

const noteFile = (home: PostgresHome) => join(home.dir, 'operon.json')

function readNote(home: PostgresHome): Note | null {
  const text = readOrNull(noteFile(home))
  if (!text) return null
  try {
    return JSON.parse(text) as Note
  } catch {
    throw new SetupError(`${noteFile(home)} is not readable JSON`)
  }
}

function writeNote(home: PostgresHome, note: Note) {
  explained(home.dir, () => writeFileSync(noteFile(home), JSON.stringify(note, null, 2), { mode: 0o600 }))
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

function explained<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw readable(error, path)
  }
}

/** A failure that the operator can mend becomes one line that names the path. */
function readable(error: unknown, path: string): unknown {
  if (error instanceof SetupError) return error
  const { code, path: at = path, stderr, message } = error as NodeJS.ErrnoException & { stderr?: Buffer }
  const text = `${code ?? ''} ${stderr ?? ''} ${message}`
  if (/ENOSPC|No space left|Disk quota/i.test(text)) return new SetupError(`The disk that holds ${at} is full`)
  if (/EACCES|EPERM|Permission denied/i.test(text))
    return new SetupError(`No permission for ${at}: give this user access, or set DATA_DIR to a folder that it can use`)
  if (/EROFS|Read-only file system/i.test(text))
    return new SetupError(`${at} is on a read-only file system: set DATA_DIR to a folder that can be written`)
  if (/ENOTDIR|EEXIST/.test(text)) return new SetupError(`${at} is not a folder`)
  const reason = String(stderr ?? message)
    .trim()
    .split('\n')
    .filter((line) => /FATAL|PANIC|error/i.test(line))
    .at(-1)
  return new SetupError(`PostgreSQL did not start from ${path}: ${reason ?? message}`)
}
