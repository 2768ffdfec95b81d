import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../db.ts'
import { type Migrations, migrate } from '../migrate.ts'
import { kitMigrations } from '../migrations.ts'
import type { KitDb } from '../schema.ts'
import { createLogger } from '../telemetry.ts'

export type TestDatabase<DB = any> = {
  url: string
  db: Kysely<DB & KitDb>
  /** Ends the connections and drops the database. */
  drop(): Promise<void>
}

/** A database of the test's own, migrated: a clone of a template that is made once per content of the migrations. As files, a quarter of the time. */
export async function testDatabase<DB = any>(definition: { name: string; migrations: Migrations }): Promise<TestDatabase<DB>> {
  const server = testServer()
  const template = await templateOf(server, definition)
  const name = `t_${definition.name.replaceAll('-', '_')}_${process.pid}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`create database ${name} template ${template} strategy file_copy`))
  const url = databaseOn(server, name)
  const { db, pool } = openDatabase<DB & KitDb>(url, 10, () => {})
  return {
    url,
    db,
    async drop() {
      await db.destroy()
      if (!pool.ended) await pool.end()
      await dropTestDatabase(url)
    },
  }
}

/** An empty database of the test's own, for what runs its migrations itself. */
export async function emptyTestDatabase(): Promise<string> {
  const server = testServer()
  const name = `t_empty_${process.pid}_${randomBytes(4).toString('hex')}`
  await onServer(server, (client) => client.query(`create database ${name} strategy file_copy`))
  return databaseOn(server, name)
}

export async function dropTestDatabase(url: string): Promise<void> {
  await onServer(testServer(), (client) => client.query(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`))
}

/** The server of this test run: the global set-up of vitest starts it and leaves its address. */
export function testServer(): string {
  const url = process.env.OPERON_TEST_PG
  if (!url)
    throw new Error('OPERON_TEST_PG is not set: run the tests from the root of the repository, whose vitest.config.ts starts PostgreSQL')
  return url
}

async function templateOf(server: string, { name, migrations }: { name: string; migrations: Migrations }): Promise<string> {
  const text = Object.entries({ ...kitMigrations, ...migrations })
    .map(([key, { up, fill, indexes, dropped }]) => `${key}:${up}${fill}${JSON.stringify({ indexes, dropped })}`)
    .join()
  const template = `tpl_${name.replaceAll('-', '_')}_${createHash('sha256').update(text).digest('hex').slice(0, 10)}`
  await onServer(server, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    // The mark is set last: a template without it was left half made.
    const { rows } = await client.query('select datistemplate as done from pg_database where datname = $1', [template])
    if (rows[0]?.done) return
    await client.query(`drop database if exists ${template} with (force)`)
    await client.query(`create database ${template}`)
    await migrate(databaseOn(server, template), migrations)
    await prepareQueue(databaseOn(server, template))
    await client.query(`alter database ${template} with is_template true allow_connections false`)
  })
  return template
}

/** A service makes the tables of its job queue at its start, a hundred statements of one millisecond: here they are in the template. */
async function prepareQueue(url: string): Promise<void> {
  const { openPostgresQueue } = await import('../jobs/postgres.ts')
  const queue = openPostgresQueue(url, createLogger('fatal'))
  await queue.open()
  await queue.close()
}

async function onServer<T>(server: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

function databaseOn(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
