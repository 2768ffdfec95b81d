import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'
import { SetupError } from './config.ts'
import { kitMigrations } from './migrations.ts'

// Counts and sums come as bigint text; what we keep fits a double exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export type Database<DB> = { db: Kysely<DB>; pool: pg.Pool; url: string }

export function openDatabase<DB>(url: string, max: number, onError: (error: Error) => void): Database<DB> {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    options: '-c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000',
  })
  // An idle connection that breaks is the pool's business; without a listener it would end the process.
  pool.on('error', onError)
  // One that breaks between two statements of a transaction is not: its next statement fails, and that is enough.
  pool.on('connect', (client) => client.on('error', onError))
  return { db: new Kysely<DB>({ dialect: new PostgresDialect({ pool }) }), pool, url }
}

/** Creates the database when it is missing. Two services that start at once may both try. */
export async function ensureDatabase(url: string): Promise<void> {
  const target = new URL(url)
  const name = decodeURIComponent(target.pathname.slice(1))
  const server = new URL(url)
  server.pathname = '/postgres'
  const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (!rowCount) await client.query(`create database ${pg.escapeIdentifier(name)}`)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // Another process made it first, or we may not look: connecting to it will tell.
    if (['42P04', '23505', '42501'].includes(code ?? '')) return
    throw new SetupError(`PostgreSQL at ${server.host} does not answer for database ${name}: ${message}`)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Runs what is missing, forward only; Kysely holds an advisory lock, so that instances that start together take turns. */
export async function migrate<DB>(db: Kysely<DB>, migrations: Record<string, Migration>): Promise<void> {
  const all = { ...kitMigrations, ...migrations }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => all } })
  const { error, results } = await migrator.migrateToLatest()
  if (!error) return
  const failed = results?.find((result) => result.status === 'Error')?.migrationName
  throw new Error(`migration ${failed ?? ''} failed: ${error instanceof Error ? error.message : error}`, { cause: error })
}

export const databaseAnswers = async (db: Kysely<any>): Promise<boolean> =>
  sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
