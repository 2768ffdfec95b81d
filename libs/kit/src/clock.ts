import { type Kysely, sql } from 'kysely'
import type { Logger } from './telemetry.ts'

// Rows, tokens and jobs are dated on several machines, and the clock of one may be wrong. PostgreSQL's is the platform's: how far this
// process is from it is looked at now and then, and whatever depends on the time asks here instead of the machine.
const LOOK_EVERY_MS = 10_000
/** Less may be the way there and back. */
const NOTICED_MS = 1_000

export const DAY_MS = 86_400_000

let aheadMs = 0
let hasDatabase = false

/** The time by PostgreSQL's clock, in milliseconds. */
export const now = (): number => Date.now() - aheadMs

/** Keeps to the clock of this database from the first look on, until the returned function is called. */
export async function followClock(db: Kysely<any>, log: Logger): Promise<() => void> {
  hasDatabase = true
  const look = async () => {
    const askedAt = Date.now()
    const { rows } = await sql<{ at: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as at`.execute(db)
    setClock(rows[0]!.at, askedAt, log)
  }
  await look()
  // A database that is away is told by what needs it.
  const looking = setInterval(() => look().catch(() => {}), LOOK_EVERY_MS).unref()
  return () => clearInterval(looking)
}

/** For a process without a database, which hears the time from one that has it. */
export function hearTime(at: number, askedAt: number, log: Logger) {
  if (!hasDatabase) setClock(at, askedAt, log)
}

function setClock(at: number, askedAt: number, log: Logger) {
  const answeredAt = Date.now()
  const ahead = Math.round((askedAt + answeredAt) / 2 - at)
  const next = Math.abs(ahead) > NOTICED_MS + answeredAt - askedAt ? ahead : 0
  if (Math.abs(next - aheadMs) > NOTICED_MS)
    log.warn(
      { ahead_s: next / 1000 },
      next
        ? `this machine's clock is ${Math.abs(next)} ms ${next > 0 ? 'ahead of' : 'behind'} the database clock, which decides`
        : 'this machine and the database agree on the time again',
    )
  aheadMs = next
}
