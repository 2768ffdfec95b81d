import { CompiledQuery, Kysely, type LogConfig, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { SetupError } from './config.ts'
import { isTls, type Patience, patiently } from './patience.ts'
import { stayInside } from './trial.ts'

// Counts and sums come as bigint text; what we keep fits a double exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export type Database<DB> = { db: Kysely<DB>; pool: pg.Pool; url: string }

/** The pool ends with the database: `db.destroy()`. */
export function openDatabase<DB>(url: string, max: number, onError: (error: Error) => void, seen: { log?: LogConfig } = {}): Database<DB> {
  const open = (size: number, options = '') => {
    const pool = new pg.Pool({
      connectionString: url,
      max: size,
      application_name: 'operon',
      connectionTimeoutMillis: 5000,
      // Longer than jobs of each minute are apart: a new connection costs more than their statements.
      idleTimeoutMillis: 90_000,
      options: `-c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000${options}`,
    })
    // An idle connection that breaks is the pool's business; without a listener it would end the process.
    pool.on('error', onError)
    // One that breaks between two statements of a transaction is not: its next statement fails, and that is enough.
    pool.on('connect', (client) => client.on('error', onError))
    return pool
  }
  const pool = open(max)
  const hot = open(HOT_CONNECTIONS, BY_KEY)
  const end = async () => void (await Promise.all([pool.end(), hot.end()]))
  const connect = async () => {
    stayInside('another connection')
    return pool.connect()
  }
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { connect, options: pool.options, end } }),
    ...seen,
  })
  hots.set(db, { pool: hot, ...seen })
  return { db, pool, url }
}

export const HOT_CONNECTIONS = 2
/**
 * Statements of a hot path find their rows by a key, one by one. A plan that is kept was made when tables were small or their statistics
 * old, and whatever reads a table or an index through is right then and ruinous later, so these connections do not consider it.
 */
const BY_KEY = [
  ...['enable_seqscan=off', 'enable_bitmapscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off', 'jit=off'],
  'plan_cache_mode=force_generic_plan',
]
  .map((setting) => ` -c ${setting}`)
  .join('')
const hots = new WeakMap<object, { pool: pg.Pool; log?: LogConfig }>()

/** How many connections each pool of a database has, and how many callers wait for one. */
export const poolsOf = ({ db, pool }: Pick<Database<any>, 'db' | 'pool'>): Record<string, pg.Pool> => ({
  main: pool,
  hot: hots.get(db)!.pool,
})

/** A statement of a hot path, parsed and planned once a connection. It names its columns, so that it outlives a migration. */
export type Statement = { name: string; text: string }

/** Within the caller's transaction, where there is one; else as a transaction of its own. */
export async function runStatement<Row extends pg.QueryResultRow>(
  db: Kysely<any>,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  const hot = hots.get(db)
  if (!hot) return (await db.executeQuery<Row>(CompiledQuery.raw(statement.text, values))).rows
  stayInside('another connection')
  if (typeof hot.log !== 'function') return (await hot.pool.query<Row>({ ...statement, values })).rows
  const startedAt = performance.now()
  const told = () => ({ query: CompiledQuery.raw(statement.text, values), queryDurationMillis: performance.now() - startedAt })
  try {
    const { rows } = await hot.pool.query<Row>({ ...statement, values })
    hot.log({ level: 'query', ...told() })
    return rows
  } catch (error) {
    hot.log({ level: 'error', error, ...told() })
    throw error
  }
}

/**
 * Joined to a statement that is a transaction of its own, it lets the answer come once everybody sees the change, before the disk has it: a
 * crash of PostgreSQL undoes the last tenths of a second. Only for what is harmless to lose, or mended by what comes after it.
 */
export const UNSYNCED = "(select set_config('synchronous_commit', 'off', true)) as unsynced"

/** Creates the database when it is missing; waits for a server that is starting. Two services that start at once may both try. */
export async function ensureDatabase(url: string, patience: Patience): Promise<void> {
  const { host } = new URL(url)
  await patiently({ ...patience, what: `PostgreSQL at ${host}`, open: () => createIfMissing(url), isFinal: isRefusal })
}

async function createIfMissing(url: string): Promise<void> {
  const server = new URL(url)
  const name = decodeURIComponent(server.pathname.slice(1))
  server.pathname = '/postgres'
  const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 5000 })
  // A server that dies between two statements fails the next one, and that is enough.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (!rowCount) await client.query(`create database ${pg.escapeIdentifier(name)}`)
  } catch (error) {
    // Another process made it first, or we may not look: connecting to it will tell.
    if (!['42P04', '23505', '42501'].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await client.end().catch(() => {})
  }
}

/** A wrong password, user or certificate, a full disk, as opposed to a server that is not there yet or just starting (57P03). */
const isRefusal = (error: unknown) =>
  /^(28|3D|42|0A|53100)/.test((error as { code?: string }).code ?? '') ||
  isTls(error) ||
  /does not support SSL/.test((error as Error).message)

/** For a command that somebody types: one line when there is nobody to ask. */
export async function demandDatabase({ db, url }: Pick<Database<any>, 'db' | 'url'>): Promise<void> {
  await sql`select 1`.execute(db).catch((error: Error) => {
    throw new SetupError(`PostgreSQL at ${new URL(url).host} does not answer (${error.message}): does the platform run?`)
  })
}

export const databaseAnswers = async (db: Kysely<any>): Promise<boolean> =>
  sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
