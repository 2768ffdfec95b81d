import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Migrations, migrate } from './migrate.ts'
import { dropTestDatabase, emptyTestDatabase } from './testing/database.ts'

const things: Migrations = { '0001_things': { up: async (db) => void (await sql`create table things (name text)`.execute(db)) } }
const indexed: Migrations = { ...things, '0002_names': { indexes: { things_by_name: 'on things (name)' } } }

let url: string
let here: pg.Client
/** A transaction that has written and not ended: whatever locks the table against writes waits for it. */
let writer: pg.Client
beforeAll(async () => {
  url = await emptyTestDatabase()
  await migrate(url, things)
  ;[here, writer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([here.connect(), writer.connect()])
})
afterAll(async () => {
  await Promise.all([here.end(), writer.end()])
  await dropTestDatabase(url)
})

const indexes = async () =>
  (await here.query("select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = 'things'::regclass"))
    .rows
const migrating = async (query: string) =>
  (
    await here.query('select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like $1', [
      query,
    ])
  ).rows as { pid: number }[]

test('others write while an index is made; one that a kill cut off is dropped and made again, and a second instance waits', async () => {
  await writer.query('begin')
  await writer.query("insert into things values ('open')")
  const first = migrate(url, indexed)
  await expect.poll(indexes).toEqual([{ name: 'things_by_name', valid: false }])
  // A writer that had to wait behind the index would give up.
  await here.query("set lock_timeout = '3s'")
  await here.query("insert into things values ('meanwhile')")

  const [maker] = await migrating('create index%')
  await Promise.all([expect(first).rejects.toThrow(), here.query('select pg_terminate_backend($1)', [maker!.pid])])
  expect(await indexes()).toEqual([{ name: 'things_by_name', valid: false }])

  const second = migrate(url, indexed)
  await expect.poll(() => migrating('drop index concurrently%')).toHaveLength(1)
  const third = migrate(url, indexed)
  await expect.poll(() => migrating('%pg_try_advisory_lock%')).toHaveLength(1)
  await here.query("insert into things values ('again')")
  await writer.query('commit')
  await Promise.all([second, third])
  expect(await indexes()).toEqual([{ name: 'things_by_name', valid: true }])
  await here.query('set enable_seqscan = off')
  expect((await here.query("select name from things where name > '' order by name")).rows.map(({ name }) => name)).toEqual([
    'again',
    'meanwhile',
    'open',
  ])
})

test('a change that waits for a long transaction steps back, so that others write meanwhile', async () => {
  await migrate(url, indexed)
  await writer.query('begin')
  await writer.query("insert into things values ('long')")
  const changed = migrate(url, {
    ...indexed,
    '0003_notes': { up: async (db) => void (await sql`alter table things add column note text`.execute(db)) },
  })
  await expect.poll(() => migrating('alter table%')).toHaveLength(1)
  await here.query("set lock_timeout = '10s'")
  await here.query("insert into things values ('behind')")
  await writer.query('commit')
  await changed
  expect((await here.query('select note from things limit 1')).rows).toEqual([{ note: null }])
})

test('no statement of a migration is stopped for taking long, whatever the database says of others', async () => {
  await here.query(`alter database ${new URL(url).pathname.slice(1)} set statement_timeout = '50ms'`)
  await migrate(url, { ...indexed, '0004_long': { up: async (db) => void (await sql`select pg_sleep(0.2)`.execute(db)) } })
  await here.query(`alter database ${new URL(url).pathname.slice(1)} reset statement_timeout`)
})

test('an instance of the version before starts again after the next one has migrated', async () => {
  const next = { ...indexed, '0005_next': { dropped: ['things_by_name'] } }
  await migrate(url, next)
  expect(await indexes()).toEqual([])
  await migrate(url, { ...indexed, '0004_fix': { up: async (db) => void (await sql`create table fixes (name text)`.execute(db)) } })
  expect((await here.query('select count(*)::int as n from fixes')).rows).toEqual([{ n: 0 }])
})
