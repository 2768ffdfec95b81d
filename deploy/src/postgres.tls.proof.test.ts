import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AllInOne, startAllInOne } from './all-in-one.ts'
import { findProgram, scratchFolder } from './machine.ts'
import { type Postgres, startPostgres } from './postgres.ts'

const openssl = findProgram('openssl')
const settings = { shared_buffers: '16MB', max_connections: '60' }
let dir: string
let server: Postgres | undefined
let running: AllInOne | undefined

beforeAll(async () => {
  if (!openssl) return
  dir = scratchFolder('tls')
  chmodSync(dir, 0o755)
  certificates()
  const plain = await startPostgres({ dataDir: dir, settings })
  await plain.stop()
  const [key, hba] = [owned('server.key'), owned('hba.conf')]
  server = await startPostgres({
    dataDir: dir,
    settings: { ...settings, ssl: 'on', ssl_cert_file: join(dir, 'server.pem'), ssl_key_file: key, hba_file: hba },
  })
})
afterAll(async () => {
  await running?.stop()
  await server?.stop()
  if (dir) rmSync(dir, { recursive: true, force: true })
})

test.skipIf(!openssl)(
  `${openssl ? '' : 'skipped: no openssl on PATH: '}a whole platform talks to PostgreSQL over TLS alone, and a certificate nobody vouches for ends the start`,
  async () => {
    const asked = (query: string) => `${server!.url.replace('127.0.0.1', 'localhost')}${query}`
    const start = (query: string) =>
      startAllInOne({
        env: {
          NODE_ENV: 'test',
          LOG_LEVEL: 'error',
          PORT: '0',
          DATA_DIR: join(dir, 'data'),
          DATABASE_URL: asked(query),
          START_WAIT_S: '5',
        },
        services: ['marketplace', 'sandbox'],
        web: false,
      })
    await expect(start('')).rejects.toThrow(/PostgreSQL at localhost:\d+ refuses: no pg_hba.conf entry .* no encryption/)
    await expect(start('?sslmode=require')).rejects.toThrow(/PostgreSQL at localhost:\d+ refuses: .*certificate/)

    running = await start(`?sslmode=verify-full&sslrootcert=${join(dir, 'ca.pem')}`)
    const { address } = running
    await expect.poll(async () => (await fetch(`${address}/statusz`)).status, { timeout: 20_000 }).toBe(200)
    expect(await unencrypted(asked(`?sslmode=verify-full&sslrootcert=${join(dir, 'ca.pem')}`))).toEqual({ plain: 0, databases: 3 })
  },
  60_000,
)

/** An authority of our own and a certificate of it for `localhost`. */
function certificates() {
  const run = (...args: string[]) => execFileSync(openssl!, args, { cwd: dir, stdio: 'pipe' })
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  run('req', '-x509', ...ec, '-subj', '/CN=Operon test authority', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2')
  run('req', ...ec, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr')
  writeFileSync(join(dir, 'names'), 'subjectAltName=DNS:localhost')
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2']
  run('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem')
  writeFileSync(join(dir, 'hba.conf'), 'hostssl all all all scram-sha-256\n')
}

/** PostgreSQL takes only a key that is its user's. */
function owned(name: string): string {
  const path = join(dir, 'postgres', name)
  const { uid, gid } = statSync(join(dir, 'postgres'))
  copyFileSync(join(dir, name), path)
  chmodSync(path, 0o600)
  chownSync(path, uid, gid)
  return path
}

async function unencrypted(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // One that is still being let in has no database yet, nor what is known of its encryption.
  const { rows } = await client.query(
    `select (count(*) filter (where not ssl))::int as plain, count(distinct datname)::int as databases
     from pg_stat_ssl join pg_stat_activity using (pid) where client_addr is not null and datname is not null`,
  )
  await client.end()
  return rows[0]
}
