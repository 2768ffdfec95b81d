import { createHash, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf } from './lines.ts'

/** Lines beyond two an object before the file is written anew, and between two looks at it. */
const SLACK = 1000

type Line = { t: string; id: string; n: number; v?: unknown }
export type Stored = { id: string }
export type State = ReturnType<typeof openState>
export type Table<T extends Stored> = {
  get: (id: string) => T | undefined
  put: (value: T) => T
  delete: (id: string) => void
  all: () => T[]
  size: () => number
  /** Newest first. */
  newest: () => T[]
}

/**
 * Every stand-in's objects, in memory and in one append-only file that is replayed at start. A line is written before the
 * answer leaves, so that kill -9 loses nothing a caller was told.
 */
export function openState(dir: string, seed: string | undefined, onError: (error: unknown) => void) {
  const path = join(dir, 'state.jsonl')
  const tables = new Map<string, Map<string, Stored>>()
  let counter = 0
  let lines = 0
  if (existsSync(path)) replay()
  let file = openSync(path, 'a')
  // A line that a crash has cut must not swallow the next one.
  if (lines > 0) writeSync(file, '\n')
  let looksAt = 0
  compactIfGrown()

  function replay() {
    for (const raw of linesOf(path)) {
      const line = parse(raw)
      if (!line) continue
      lines += 1
      counter = Math.max(counter, line.n)
      if (line.v === undefined) rows(line.t).delete(line.id)
      else rows(line.t).set(line.id, line.v as Stored)
    }
  }

  /** The file holds at most two lines an object and some more, while running as at start. */
  function compactIfGrown() {
    if (lines < looksAt) return
    const live = [...tables.values()].reduce((sum, table) => sum + table.size, 0)
    if (lines > 2 * live + SLACK) compact(live)
    looksAt = lines + SLACK
  }

  /** A full disk leaves the longer file, which says the same. */
  function compact(live: number) {
    try {
      const fresh = openSync(`${path}.new`, 'w')
      for (const [name, table] of tables) for (const [id, v] of table) writeSync(fresh, textOf({ t: name, id, n: counter, v }))
      fsyncSync(fresh)
      closeSync(fresh)
      renameSync(`${path}.new`, path)
    } catch (error) {
      rmSync(`${path}.new`, { force: true })
      return onError(error)
    }
    closeSync(file)
    file = openSync(path, 'a')
    lines = live
  }

  function rows(name: string) {
    const known = tables.get(name)
    if (known) return known
    const made = new Map<string, Stored>()
    tables.set(name, made)
    return made
  }

  // The last state of each object that the running change has touched.
  let batch: Map<string, Line> | undefined
  function append(line: Line) {
    if (batch) batch.set(`${line.t} ${line.id}`, line)
    else write([line])
  }

  function write(changed: Line[]) {
    writeSync(file, changed.map(textOf).join(''))
    lines += changed.length
    compactIfGrown()
  }

  /** Everything that `run` changes reaches the file in one write, whether it returns or throws. */
  function together<T>(run: () => T): T {
    if (batch) return run()
    batch = new Map()
    try {
      return run()
    } finally {
      const changed = [...batch.values()]
      batch = undefined
      if (changed.length) write(changed)
    }
  }

  function table<T extends Stored>(name: string): Table<T> {
    const map = rows(name) as Map<string, T>
    return {
      get: (id) => map.get(id),
      put: (value) => {
        map.set(value.id, value)
        append({ t: name, id: value.id, n: counter, v: value })
        return value
      },
      delete: (id) => {
        if (map.delete(id)) append({ t: name, id, n: counter })
      },
      all: () => [...map.values()],
      size: () => map.size,
      newest: () => [...map.values()].reverse(),
    }
  }

  const settings = table<{ id: string; value: unknown }>('settings')
  const secret = seed ?? (settings.get('seed')?.value as string | undefined) ?? randomBytes(12).toString('hex')
  if (settings.get('seed')?.value !== secret) settings.put({ id: 'seed', value: secret })

  return {
    table,
    setting: <T>(id: string, fallback: T): T => (settings.get(id)?.value as T | undefined) ?? fallback,
    set: (id: string, value: unknown) => void settings.put({ id, value }),
    /** `cus_` and letters that only the seed and the order of calls decide. */
    id: (prefix: string, length = 24) => `${prefix}_${letters(`${secret}:${prefix}:${counter++}`, length)}`,
    secret,
    random: randomFrom(secret),
    together,
    close: () => closeSync(file),
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
function letters(from: string, length: number) {
  const bytes = createHash('sha512').update(from).digest()
  return Array.from(bytes.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('')
}

const textOf = (line: Line) => `${JSON.stringify(line)}\n`

function parse(raw: string): Line | undefined {
  try {
    return JSON.parse(raw) as Line
  } catch {
    return undefined
  }
}

/** Numbers between 0 and 1 that only the seed decides (mulberry32). */
function randomFrom(seed: string) {
  let at = createHash('sha256').update(seed).digest().readUInt32BE(0)
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
