import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SetupError } from '@operon/kit/config'
import { aliveProcess } from './machine.ts'

/** Takes the folder for this process: two launchers on the same data would work against each other. Returns how to give it back. */
export function takeDataDir(dataDir: string): () => void {
  const dir = resolve(dataDir)
  const lock = join(dir, 'operon.lock')
  try {
    makeFolder(dir)
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    // The second try is for a lock that a killed launcher left.
    if (!written(lock)) {
      const { pid, since } = JSON.parse(readFileSync(lock, 'utf8') || '{}') as { pid?: number; since?: string }
      if (pid && pid !== process.pid && aliveProcess(pid) && startOf(pid) === since) {
        throw new SetupError(`Operon is already running on ${dir} (pid ${pid}): stop it first, or set DATA_DIR to another folder`)
      }
      rmSync(lock, { force: true })
      written(lock)
    }
  } catch (error) {
    throw explain(error, dir)
  }
  return () => rmSync(lock, { force: true })
}

/** The address that a launcher made for itself. */
export function keptUrl(dataDir: string, what: 'postgres' | 'redis'): string {
  const note = join(resolve(dataDir), what, 'operon.json')
  if (!existsSync(note)) throw new SetupError(`No platform has run in ${dataDir}: set DATA_DIR, or DATABASE_URL and QUEUE_URL`)
  const { port, password, secret } = JSON.parse(readFileSync(note, 'utf8'))
  return what === 'redis' ? `redis://:${secret}@127.0.0.1:${port}/0` : `postgres://operon:${password}@127.0.0.1:${port}/postgres`
}

/** One step at a time: Node's own `recursive` never ends where a parent takes no folders at all, as below /proc. */
function makeFolder(dir: string) {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(dir))
  mkdirSync(dir, { mode: 0o755 })
}

function written(lock: string): boolean {
  try {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, since: startOf(process.pid) }), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A pid is reused, a pid with its time of start is not. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? ''
  } catch {
    try {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    } catch {
      return ''
    }
  }
}

function explain(error: unknown, dir: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof SetupError || !code) return error
  const reason = {
    EACCES: 'this user may not use it',
    EPERM: 'this user may not use it',
    EROFS: 'it is on a read-only file system',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    ENOENT: 'it cannot be made there',
    ENOTDIR: 'it is not a folder',
    EEXIST: 'it is not a folder',
  }[code]
  return new SetupError(`DATA_DIR ${dir} cannot be used: ${reason ?? message}`)
}
