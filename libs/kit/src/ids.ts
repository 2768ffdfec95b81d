import { randomFillSync } from 'node:crypto'
import { now as timeNow } from './clock.ts'

// Randomness is fetched by the page: a system call an id would cost more than the id.
const pool = Buffer.alloc(4096)
let drawn = pool.length
/** Random bytes for ids and traces; valid until the next call. Secrets take theirs from node:crypto. */
export function drawRandom(size: number): Buffer {
  if (drawn + size > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += size
  return pool.subarray(drawn - size, drawn)
}

const bytes = Buffer.alloc(16)
let last = 0
let counter = 0

/** UUIDv7: time-ordered, and within one process strictly rising, so that it is a good primary key and sorts as it was made. */
export function newId(now = timeNow()): string {
  drawRandom(10).copy(bytes, 6)
  // Within one millisecond the twelve bits after the version count up; beyond them the clock is let run ahead by one.
  if (now > last) counter = bytes.readUInt16BE(6) & 0x7ff
  else if (++counter > 0xfff) counter = 0
  last = now > last ? now : counter === 0 ? last + 1 : last
  bytes.writeUIntBE(last, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** No id made at that time or later is below it. */
export function firstIdOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Whether PostgreSQL may be given a text from outside where it expects an id. */
export const isUuid = (text: string | null | undefined): text is string => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text ?? '')
