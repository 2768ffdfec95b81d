import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { aliveProcess, scratchFolder } from './machine.ts'
import { type Postgres, startPostgres, survivingPostmaster } from './postgres.ts'

// A cluster is made in a second, and in many on a machine that does much else.
vi.setConfig({ testTimeout: 60_000 })

let dataDir: string
let running: Postgres[] = []
const start = async () => {
  const server = await startPostgres({ dataDir, settings: { shared_buffers: '16MB', max_connections: '20' } })
  running.push(server)
  return server
}
beforeEach(() => {
  dataDir = scratchFolder('pg')
  chmodSync(dataDir, 0o755)
})
afterEach(async () => {
  for (const server of running) await server.stop()
  running = []
  rmSync(dataDir, { recursive: true, force: true })
})

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

test('what was committed is there after a stop and a second start, which keeps the address', async () => {
  const first = await start()
  await query(first.url, 'create table kept as select 7 as n')
  await first.stop()
  expect(aliveProcess(first.pid)).toBe(false)
  const second = await start()
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }])
})

test('a launcher that was killed leaves a server that the next one adopts and stops', async () => {
  const launcher = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `
    const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'postgres.ts'))})
    await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, settings: { shared_buffers: '16MB', max_connections: '20' } })
    console.log('up'); setInterval(() => {}, 1000)`,
  ])
  await new Promise((resolve) => launcher.stdout.once('data', resolve))
  const postmaster = survivingPostmaster(join(dataDir, 'postgres/data'))!
  launcher.kill('SIGKILL')
  await new Promise((resolve) => launcher.once('exit', resolve))
  expect(aliveProcess(postmaster)).toBe(true)

  const next = await start()
  expect([next.adopted, next.pid]).toEqual([true, postmaster])
  await next.stop()
  expect(aliveProcess(postmaster)).toBe(false)
})

test('a server that died with its lock in place recovers what it acknowledged', async () => {
  const first = await start()
  await query(first.url, 'create table kept as select 7 as n')
  process.kill(first.pid, 'SIGKILL')
  await expect.poll(() => aliveProcess(first.pid)).toBe(false)
  expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(true)
  const second = await start()
  expect(second.adopted).toBe(false)
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }])
})

test('a lock whose pid now belongs to another program neither stops that program nor the start', async () => {
  const first = await start()
  await first.stop()
  const bystander = spawn('sleep', ['60'])
  writeFileSync(join(dataDir, 'postgres/data/postmaster.pid'), `${bystander.pid}\n${join(dataDir, 'postgres/data')}\n`)
  const second = await start()
  expect(second.pid).not.toBe(bystander.pid)
  expect(aliveProcess(bystander.pid!)).toBe(true)
  bystander.kill()
})

test('a lock of a dead process that nobody has buried yet does not stop the start', async () => {
  const first = await start()
  await first.stop()
  // Of the server's own user: another's would not stop it. The shell becomes the sleep, which never asks how its child ended.
  const { uid, gid } = statSync(join(dataDir, 'postgres/data'))
  const keeper = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'], uid, gid })
  const [said] = await once(keeper.stdout!, 'data')
  const dead = Number(String(said))
  await expect.poll(() => aliveProcess(dead)).toBe(false)
  expect(process.kill(dead, 0)).toBe(true)
  writeFileSync(join(dataDir, 'postgres/data/postmaster.pid'), `${dead}\n${join(dataDir, 'postgres/data')}\n`)
  expect((await start()).adopted).toBe(false)
  keeper.kill()
})

test('a server with other settings is restarted, not adopted', async () => {
  const first = await start()
  const second = await startPostgres({ dataDir, settings: { shared_buffers: '16MB', max_connections: '25' } })
  running.push(second)
  expect(second.adopted).toBe(false)
  expect(aliveProcess(first.pid)).toBe(false)
  expect(await query(second.url, 'show max_connections')).toEqual([{ max_connections: '25' }])
})

test('the password is asked for and kept from other users of the machine', async () => {
  const { url } = await start()
  const wrong = new URL(url)
  wrong.password = 'guess'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  const mode = execFileSync('stat', ['-c', '%a', join(dataDir, 'postgres/operon.json')], { encoding: 'utf8' }).trim()
  expect(mode).toBe('600')
})

test('half a cluster that a killed first start left is made anew', async () => {
  mkdirSync(join(dataDir, 'postgres/data/base'), { recursive: true })
  const server = await start()
  expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }])
})

test('a path that is no folder is named in one line', async () => {
  writeFileSync(join(dataDir, 'file'), '')
  await expect(startPostgres({ dataDir: join(dataDir, 'file') })).rejects.toThrow(`${join(dataDir, 'file')} is not a folder`)
})

test('a damaged cluster says why it did not start', async () => {
  const first = await start()
  await first.stop()
  const control = join(dataDir, 'postgres/data/PG_VERSION')
  writeFileSync(control, '12\n')
  await expect(start()).rejects.toThrow(/PostgreSQL did not start .*incompatible|version/s)
  expect(readFileSync(control, 'utf8')).toBe('12\n')
})

test('a disk that is too small for a database is named with what is missing, and nothing is left on it', async ({ skip }) => {
  const disk = join(dataDir, 'disk')
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]).status === 0
  skip(!mounted, 'this user may not mount a small disk')
  try {
    await expect(startPostgres({ dataDir: disk })).rejects.toThrow(
      /^The disk that holds \S+ is full: \d+ MB are free, and the database needs 400 MB$/,
    )
    expect(existsSync(join(disk, 'postgres/data'))).toBe(false)
  } finally {
    execFileSync('umount', [disk])
  }
})

test.skipIf(process.platform !== 'linux')('a pid whose process has ended is not alive, though its parent has not looked', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 30'])
  const pid = Number(await new Promise((resolve) => parent.stdout.once('data', (line) => resolve(String(line)))))
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
  expect(aliveProcess(pid)).toBe(false)
  parent.kill()
})
