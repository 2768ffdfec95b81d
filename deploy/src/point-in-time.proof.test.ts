import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backup, restore } from './backup.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { postgresHome } from './postgres-home.ts'

const folder = mkdtempSync(join(tmpdir(), 'operon-moment-'))
const archive = join(folder, 'archive')
const [dataDir, restored, file] = ['data', 'restored', 'base.tar.gz'].map((name) => join(folder, name)) as [string, string, string]
const operating = readFileSync(resolve(import.meta.dirname, '../../docs/operating.md'), 'utf8')
/** As the guide has it, with the folder of the test. */
const documented = (name: string) => {
  const found = new RegExp(`^${name} = '?([^'\\n]+)'?$`, 'm').exec(operating)
  if (!found) throw new Error(`docs/operating.md does not say ${name}`)
  return found[1]!.replaceAll('/archive', archive)
}
let server: Postgres | undefined
beforeAll(() => {
  chmodSync(folder, 0o755)
  mkdirSync(archive)
  const { runAs } = postgresHome(dataDir, () => {})
  if (runAs.uid !== undefined) chownSync(archive, runAs.uid, runAs.gid!)
})
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server!.url })
  await client.connect()
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

test('a database comes back as it was a moment before somebody dropped a table, by the archive and the settings of the guide', {
  timeout: 240_000,
}, async () => {
  server = await startPostgres({
    dataDir,
    settings: { archive_mode: documented('archive_mode'), archive_command: documented('archive_command') },
  })
  await query('create table orders (id int primary key)')
  await query('insert into orders values (1)')
  await backup({ dataDir, file })
  await query('insert into orders values (2)')
  const [{ moment }] = (await query<{ moment: string }>('select clock_timestamp()::text as moment')) as [{ moment: string }]
  await query('insert into orders values (3)')
  await query('drop table orders')
  const [{ segment }] = (await query<{ segment: string }>('select pg_walfile_name(pg_switch_wal()) as segment')) as [{ segment: string }]
  await expect.poll(() => existsSync(join(archive, segment)), { timeout: 60_000 }).toBe(true)
  await server.stop()
  // The machine is gone; the archive and the base backup are elsewhere.
  rmSync(dataDir, { recursive: true })

  await restore({ dataDir: restored, file })
  const home = postgresHome(restored, () => {})
  // Only what the archive has: the log that came with the base would be enough for its own moment alone.
  const signal = join(home.dir, 'data', 'recovery.signal')
  writeFileSync(signal, '')
  if (home.runAs.uid !== undefined) chownSync(signal, home.runAs.uid, home.runAs.gid!)
  const recovery = { restore_command: documented('restore_command'), recovery_target_time: moment, recovery_target_action: 'promote' }
  server = await startPostgres({ dataDir: restored, settings: recovery })
  expect(await query('select id from orders order by id')).toEqual([{ id: 1 }, { id: 2 }])
  await expect.poll(async () => (await query('select pg_is_in_recovery() as recovering'))[0]).toEqual({ recovering: false })
  expect(readdirSync(archive).filter((name) => name.endsWith('.part'))).toEqual([])
})
