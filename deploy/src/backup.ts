import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { SetupError } from '@operon/kit/config'
import pg from 'pg'
import { keptUrl, takeDataDir } from './data-dir.ts'
import { exitWith, launcherEnv } from './launcher.ts'
import { say } from './log.ts'
import { survivingPostmaster } from './postgres.ts'
import { postgresHome } from './postgres-home.ts'
import { checkEnv } from './services.ts'

/** Leaves out files that only a running server has, and the write-ahead log, which is copied last. */
const SERVERS_OWN =
  /^(postmaster\.(pid|opts)|pg_wal\/.*|pg_replslot\/.*|pg_(dynshmem|notify|serial|snapshots|stat_tmp|subtrans)\/.*|(.*\/)?pgsql_tmp.*)$/
/** The rest of DATA_DIR, but for what a start makes anew. NATS and Redis hold nothing that is not a row first. */
const MADE_ANEW = /^(operon\.lock|run|nats|redis|postgres)(\/|$)/

type Options = { dataDir: string; file: string; log?: (line: string) => void }

/** The databases, the files and the keys of a platform of this machine, in one archive. It may run meanwhile; what is done after the databases were copied is not in it. */
export async function backup({ dataDir, file, log = () => {} }: Options): Promise<void> {
  const root = resolve(dataDir)
  const home = postgresHome(root, log).dir
  const data = join(home, 'data')
  if (!existsSync(join(data, 'PG_VERSION'))) throw new SetupError(`No platform has run in ${root}: set DATA_DIR`)
  const out = resolve(file)
  if (existsSync(out)) throw new SetupError(`${out} is there already: name another file`)
  mkdirSync(dirname(out), { recursive: true })
  // Beside the archive: where that has room, this has.
  const stage = mkdtempSync(`${out}.part-`)
  try {
    const copied = join(stage, 'operon', 'postgres', 'data')
    if (survivingPostmaster(data)) await copyWhileItRuns(keptUrl(root, 'postgres'), data, copied)
    else {
      const giveBack = takeDataDir(root)
      try {
        copyFolder(data, copied, (path) => /^postmaster\.pid$/.test(path))
      } finally {
        giveBack()
      }
    }
    cpSync(join(home, 'operon.json'), join(stage, 'operon', 'postgres', 'operon.json'))
    // After the databases: each row finds the file that it names.
    copyFolder(root, join(stage, 'operon'), (path) => MADE_ANEW.test(path))
    if (!existsSync(join(root, 'keys'))) log('The master key is not in this folder: keep MASTER_KEY beside the backup')
    execFileSync('tar', ['-czf', `${stage}.tgz`, '-C', stage, 'operon'])
    // It opens every secret that it holds.
    chmodSync(`${stage}.tgz`, 0o600)
    renameSync(`${stage}.tgz`, out)
  } finally {
    rmSync(stage, { recursive: true, force: true })
    rmSync(`${stage}.tgz`, { force: true })
  }
}

/** Into a folder that holds no platform. The next start recovers the databases to the moment at which they were copied. */
export async function restore({ dataDir, file, log = () => {} }: Options): Promise<void> {
  const root = resolve(dataDir)
  if (!existsSync(file)) throw new SetupError(`There is no ${resolve(file)}`)
  const { dir: home, runAs } = postgresHome(root, log)
  for (const folder of [root, home])
    if (existsSync(folder) && readdirSync(folder).length)
      throw new SetupError(`${folder} is not empty: move it away, or set DATA_DIR to a new folder`)
  mkdirSync(root, { recursive: true, mode: 0o755 })
  execFileSync('tar', ['-xzf', resolve(file), '-C', root, '--strip-components=1', '--no-same-owner'])
  if (!existsSync(join(root, 'postgres', 'data', 'PG_VERSION'))) throw new SetupError(`${resolve(file)} is no backup of Operon`)
  if (home !== join(root, 'postgres')) {
    mkdirSync(dirname(home), { recursive: true, mode: 0o755 })
    cpSync(join(root, 'postgres'), home, { recursive: true })
    rmSync(join(root, 'postgres'), { recursive: true })
  }
  chmodSync(join(home, 'data'), 0o700)
  if (runAs.uid === undefined) return
  chownSync(home, runAs.uid, runAs.gid!)
  for (const path of readdirSync(join(home, 'data'), { recursive: true, encoding: 'utf8' }))
    chownSync(join(home, 'data', path), runAs.uid, runAs.gid!)
  chownSync(join(home, 'data'), runAs.uid, runAs.gid!)
}

/** PostgreSQL's own way for copies of a running server (its manual: "Making a Base Backup Using the Low Level API"): the packaged one has no pg_basebackup. */
async function copyWhileItRuns(url: string, data: string, copied: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Goes with this connection. Until then the server keeps every piece of its log that the copy needs.
    await client.query(`select pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`)
    await client.query(`select pg_backup_start('operon', true)`)
    copyFolder(data, copied, (path) => SERVERS_OWN.test(path))
    const { rows } = await client.query<{ labelfile: string; spcmapfile: string }>(
      'select labelfile, spcmapfile from pg_backup_stop(false)',
    )
    writeFileSync(join(copied, 'backup_label'), rows[0]!.labelfile, { mode: 0o600 })
    copyFolder(join(data, 'pg_wal'), join(copied, 'pg_wal'), (path) => !/^[0-9A-F]{24}$|\.history$/.test(path))
  } finally {
    await client.end()
  }
  for (const folder of [
    'pg_wal/archive_status',
    'pg_wal/summaries',
    'pg_replslot',
    'pg_dynshmem',
    'pg_notify',
    'pg_serial',
    'pg_snapshots',
    'pg_stat_tmp',
    'pg_subtrans',
  ])
    mkdirSync(join(copied, folder), { recursive: true, mode: 0o700 })
}

/** A file that goes while it is copied belongs to what the log does again, or to nobody any more. */
function copyFolder(from: string, to: string, leftOut: (path: string) => boolean): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name))
    if (leftOut(path)) continue
    try {
      if (entry.isDirectory()) mkdirSync(join(to, path), { recursive: true, mode: lstatSync(join(from, path)).mode & 0o777 })
      else if (entry.isFile()) {
        mkdirSync(dirname(join(to, path)), { recursive: true })
        cpSync(join(from, path), join(to, path), { preserveTimestamps: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function main() {
  const env = launcherEnv()
  const { DATA_DIR, DATABASE_URL } = checkEnv(env, [])
  if (DATABASE_URL)
    throw new SetupError("The databases are a server's of your own (DATABASE_URL): copy them by its own tools, see docs/operating.md")
  const file = process.argv[2] ?? `operon-${new Date().toISOString().slice(0, 16).replace(':', '')}.tar.gz`
  await backup({ dataDir: DATA_DIR, file, log: say })
  say(`The databases, files and keys of ${resolve(DATA_DIR)} are in ${resolve(file)}: it opens every secret, so keep it as a password`)
}

if (import.meta.main) await main().then(() => process.exit(0), exitWith)
