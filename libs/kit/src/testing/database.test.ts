import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase, testServer } from './database.ts'

const definition = (column: string) => ({
  name: 'probe',
  migrations: {
    '0001_things': {
      up: (db: any) =>
        sql
          .raw(`create table things (${column} int)`)
          .execute(db)
          .then(() => {}),
    },
  },
})

test('two tests of one service have databases of their own, made from one template', async () => {
  const [one, two] = await Promise.all([testDatabase(definition('a')), testDatabase(definition('a'))])
  await one.db.insertInto('things').values({ a: 1 }).execute()
  expect(await two.db.selectFrom('things').selectAll().execute()).toEqual([])
  expect(await two.db.selectFrom('outbox').selectAll().execute()).toEqual([])
  await Promise.all([one.drop(), two.drop()])
  const client = new pg.Client({ connectionString: testServer() })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = any($1)', [
    [one.url, two.url].map((url) => new URL(url).pathname.slice(1)),
  ])
  await client.end()
  expect(rowCount).toBe(0)
})
