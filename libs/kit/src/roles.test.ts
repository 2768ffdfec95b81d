import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { ensureDatabase } from './db.ts'
import { migrate } from './migrate.ts'
import { ensureRoles } from './roles.ts'
import { createLogger } from './telemetry.ts'
import { dropTestDatabase, emptyTestDatabase } from './testing/database.ts'

const log = createLogger('silent')
const cleanup: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const each of cleanup.reverse()) await each()
})

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client.query(text).finally(() => client.end())
}

/** Two services of a server, each with its role's address; one has a database that a superuser filled before there were roles. */
async function server() {
  const filled = await emptyTestDatabase()
  cleanup.push(() => dropTestDatabase(filled))
  const admin = new URL(filled)
  admin.pathname = '/postgres'
  const tag = randomBytes(4).toString('hex')
  const [shop, depot] = [`shop_${tag}`, `depot_${tag}`]
  const address = (role: string, database: string) => {
    const url = new URL(filled)
    Object.assign(url, { username: role, password: randomBytes(9).toString('hex'), pathname: `/${database}` })
    return url.href
  }
  const urls = { shop: address(shop, new URL(filled).pathname.slice(1)), depot: address(depot, depot) }
  cleanup.push(() => query(admin.href, `drop role if exists ${shop}, ${depot}`))
  cleanup.push(() => dropTestDatabase(urls.depot))
  cleanup.push(() => dropTestDatabase(filled))
  return {
    filled,
    admin: admin.href,
    ...urls,
    other: (mine: string, theirs: string) => Object.assign(new URL(mine), { pathname: new URL(theirs).pathname }).href,
  }
}

test("a service's role fills, migrates and reads its own database, and cannot open another's, nor the server's", {
  timeout: 40_000,
}, async () => {
  const { filled, admin, shop, depot, other } = await server()
  // The test server may have been through this before, and keeps what was revoked.
  await query(admin, 'grant connect on database postgres to public')
  await query(
    filled,
    `create type colour as enum ('red'); create table paid (id bigserial primary key, colour colour);
    insert into paid (colour) values ('red'); create view all_paid as select * from paid; create function two() returns int language sql return 2`,
  )
  await ensureRoles(admin, [shop, depot], log)
  // As each service begins: once more by a second instance, and again at the next start.
  await ensureRoles(admin, [shop, depot], log)

  expect((await query(shop, 'select two(), count(*)::int from all_paid')).rows).toEqual([{ two: 2, count: 1 }])
  await query(
    shop,
    `alter table paid add column note text; insert into paid (note) values ('x'); alter type colour add value 'blue'; drop view all_paid`,
  )
  await ensureDatabase(depot, { log, withinMs: 1000 })
  await migrate(depot, {})

  for (const url of [other(shop, depot), other(depot, shop), other(shop, admin), other(depot, admin)])
    await expect(query(url, 'select 1'), url).rejects.toThrow(/permission denied for database/)
  await expect(query(shop, 'create database mine')).rejects.toThrow(/permission denied/)
  await expect(query(shop, 'alter role current_user superuser')).rejects.toThrow(/permission denied/)
})

test('a password that changed counts from the next run on, and a superuser is no role of a service', async () => {
  const { admin, depot } = await server()
  await ensureRoles(admin, [depot], log)
  const changed = new URL(depot)
  changed.password = 'another'
  await expect(query(changed.href, 'select 1')).rejects.toThrow(/password/)
  await ensureRoles(admin, [changed.href], log)
  expect((await query(changed.href, 'select 1')).rowCount).toBe(1)
  await expect(ensureRoles(admin, [Object.assign(new URL(admin), { pathname: '/x' }).href], log)).rejects.toThrow(/superuser/)
})

test('run by itself without the address of a superuser, it says what it needs', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'roles.ts')], {
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  })
  expect(status).not.toBe(0)
  expect(stderr).toContain('DATABASE_URL: is needed, with a superuser')
})
