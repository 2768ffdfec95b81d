import { setTimeout as wait } from 'node:timers/promises'
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { kitMigrations } from './migrations.ts'
import type { Logger } from './telemetry.ts'

/** One step of a database's history, forward only. An instance of the version before serves meanwhile, and goes on writing. */
export type Migration = {
  /** Runs in a transaction, with the migrations beside it: for what is quick however large a table is. */
  up?(db: Kysely<any>): Promise<void>
  /** Indexes of tables that may be large, by name: `on facts (user_id, at)`, or `unique on …`. Made after `up`, while others write. */
  indexes?: Record<string, string>
  /** Indexes that nothing reads any more. They go last. */
  dropped?: string[]
  /** Fills what may be large, in small transactions. A kill may cut it off anywhere, and it begins again. */
  fill?(db: Kysely<any>): Promise<void>
}

export type Migrations = Record<string, Migration>

const LOCK = 'migrate'
const TURN_MS = 100
/** Writes to a table queue behind a change that waits for its lock, so the change steps back and tries again. */
const LOCK_TIMEOUT_MS = 2_000
const TRIES = 100
/** A lock that did not come in time, and two that waited for each other. */
const STEPPED_BACK = ['55P03', '40P01']

/** Runs what is missing. Instances that start together take turns. */
export async function migrate(url: string, migrations: Migrations, log?: Logger): Promise<void> {
  const steps = stepsOf({ ...kitMigrations, ...migrations })
  // One connection of its own: the lock belongs to it and ends with it, and no statement is stopped for taking long.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    options: `-c statement_timeout=0 -c lock_timeout=${LOCK_TIMEOUT_MS}`,
  })
  client.on('error', () => {})
  await client.connect()
  const connection = Object.assign(client, { release() {} })
  const pool = { connect: async () => connection, options: {}, end: () => client.end() }
  const db = new Kysely<any>({ dialect: new PostgresDialect({ pool: pool as never }) })
  try {
    await takeTurn(db, log)
    await run(db, steps, log)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * A statement that waits for a lock holds a snapshot, and an index that is made while others write waits for all older snapshots: each would
 * wait for the other. So this asks again and again instead.
 */
async function takeTurn(db: Kysely<any>, log?: Logger): Promise<void> {
  for (let asked = 0; ; asked++) {
    const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(hashtext(${LOCK})) as mine`.execute(db)
    if (rows[0]!.mine) return
    if (asked === 0) log?.info('another instance is migrating the database; this one waits for it')
    await wait(TURN_MS)
  }
}

/** In a new database there are no rows and nobody writes, so all of it is one transaction. */
type Online = (db: Kysely<any>, how: { isNew: boolean; log?: Logger | undefined }) => Promise<void>
type Step = { up(db: Kysely<any>): Promise<void>; online?: Online }
const nothing = async () => {}

/** Work outside transactions is a step of its own, so that each is remembered for itself. */
function stepsOf(migrations: Migrations): Record<string, Step> {
  return Object.fromEntries(
    Object.entries(migrations).flatMap(([name, { up = nothing, fill, indexes, dropped }]): [string, Step][] => [
      [name, { up }],
      ...(fill ? [[`${name} fill`, { up: nothing, online: fill }] as [string, Step]] : []),
      ...(indexes || dropped ? [[`${name} indexes`, { up: nothing, online: makeIndexes(indexes, dropped) }] as [string, Step]] : []),
    ]),
  )
}

async function run(db: Kysely<any>, steps: Record<string, Step>, log?: Logger): Promise<void> {
  const migratorOf = (known: Record<string, Step>) =>
    // The kit's migrations and a service's are two rows of their own: a new one of the kit comes before those that a service has run.
    new Migrator({ db, provider: { getMigrations: async () => known }, allowUnorderedMigrations: true })
  const states = await migratorOf(steps).getMigrations()
  const pending = states.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
  if (!pending.length) return
  if (pending.length === states.length) {
    const atOnce = Object.entries(steps).map(([name, { up, online }]) => [
      name,
      { up: online ? (trx: Kysely<any>) => online(trx, { isNew: true, log }) : up },
    ])
    return steadily(() => migrateTo(migratorOf(Object.fromEntries(atOnce)), pending.at(-1)!))
  }
  // Migrations of a later version stay: an instance of this version can start again beside it.
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`
    .execute(db)
    .catch(() => ({ rows: [] as { name: string }[] }))
  const migrator = migratorOf({ ...Object.fromEntries(rows.map(({ name }) => [name, { up: nothing }])), ...steps })
  for (const [i, name] of pending.entries()) {
    await steadily(() => steps[name]!.online?.(db, { isNew: false, log }))
    const next = pending[i + 1]
    if (!next || steps[next]!.online) await steadily(() => migrateTo(migrator, name))
  }
}

async function migrateTo(migrator: Migrator, name: string): Promise<void> {
  const { error, results } = await migrator.migrateTo(name)
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName
  const told = new Error(`migration ${failed ?? ''} failed: ${error instanceof Error ? error.message : error}`, { cause: error })
  throw Object.assign(told, { code: (error as { code?: string }).code })
}

/** Both kinds of step may run again: the one was rolled back, the other goes on where it was. */
async function steadily(step: () => Promise<void> | undefined): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await step()
    } catch (error) {
      if (tries === TRIES || !STEPPED_BACK.includes((error as { code?: string }).code ?? '')) throw error
      await wait(TURN_MS)
    }
}

function makeIndexes(indexes: Record<string, string> = {}, dropped: string[] = []): Online {
  return async (db, how) => {
    const concurrently = sql.raw(how.isNew ? '' : 'concurrently')
    // It waits for transactions that began before it, and nobody waits for it.
    await sql`set lock_timeout = 0`.execute(db)
    for (const [name, definition] of Object.entries(indexes))
      await makeIndex(db, name, definition, concurrently, how.isNew ? undefined : how.log)
    for (const name of dropped) await sql`drop index ${concurrently} if exists ${sql.id(name)}`.execute(db)
    await sql`set lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db)
  }
}

async function makeIndex(
  db: Kysely<any>,
  name: string,
  definition: string,
  concurrently: RawBuilder<unknown>,
  log?: Logger,
): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db)
  if (rows[0]?.valid) return
  // Left by an instance that was killed: it costs every write and serves no read.
  if (rows[0]) await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db)
  log?.info({ index: name }, 'making an index; reads and writes go on')
  const [, unique = '', on = ''] = /^(unique )?(.*)$/s.exec(definition)!
  await sql`create ${sql.raw(unique)}index ${concurrently} ${sql.id(name)} ${sql.raw(on)}`.execute(db)
}
