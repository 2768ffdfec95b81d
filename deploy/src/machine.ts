import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** One that has ended and waits to be noticed by its parent is not alive: in a container nobody may ever notice. */
export function aliveProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return stateOf(pid) !== 'Z'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2]
  } catch {
    return undefined
  }
}

/** Where a program is on PATH; Debian keeps servers in sbin, which is not on everyone's. */
export function findProgram(...names: string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {}
    }
  }
  return null
}

const MEMORY = '/dev/shm'
const ROOM_BYTES = 6e9

/**
 * Where databases live that are thrown away: in memory where it has room. A new database is a thousand new files, and ext4 looks long for
 * room for each one when as many have just gone: that took more of a test run than the tests did.
 */
export function scratchRoot(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    accessSync(MEMORY, constants.W_OK)
    if (Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES) return MEMORY
  } catch {}
  return tmpdir()
}

/** A folder to be thrown away. Those of runs that were killed go first: what is kept in memory would stay there. */
export function scratchFolder(name: string): string {
  const root = scratchRoot()
  for (const left of readdirSync(root)) {
    const pid = Number(/^operon-scratch-(\d+)-/.exec(left)?.[1])
    if (!pid || aliveProcess(pid)) continue
    try {
      rmSync(join(root, left), { recursive: true, force: true })
    } catch {}
  }
  return mkdtempSync(join(root, `operon-scratch-${process.pid}-${name}-`))
}
