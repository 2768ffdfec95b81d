import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { aliveProcess, scratchFolder } from './machine.ts'
import { survivingPostmaster } from './postgres.ts'

type Run = { child: ChildProcess; output(): string; ended: Promise<number | NodeJS.Signals | null> }

let dataDir: string
let runs: Run[] = []
beforeEach(() => {
  dataDir = scratchFolder('aio')
  chmodSync(dataDir, 0o755)
})
afterEach(async () => {
  for (const { child, ended } of runs) {
    child.kill('SIGTERM')
    await ended
  }
  runs = []
  rmSync(dataDir, { recursive: true, force: true })
})

/** The data of the first whole run, reused so that later tests do not each create and migrate eight databases. */
const left = mkdtempSync(join(tmpdir(), 'operon-aio-left-'))
afterAll(() => rmSync(left, { recursive: true, force: true }))
const copy = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to])

const file = (name: string) => join(import.meta.dirname, name)
const launch = (env: Record<string, string> = {}, args = [file('all-in-one.ts')], command = process.execPath): Run => {
  const child = spawn(command, args, {
    env: { ...process.env, NODE_ENV: 'test', LOG_LEVEL: 'error', PORT: '0', DATA_DIR: dataDir, WEB_DIST: '/none', ...env },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  const run = { child, output: () => output, ended }
  runs.push(run)
  return run
}
const ready = async (run: Run) => {
  const up = expect.poll(run.output, { timeout: 80_000 }).toContain('is ready at')
  up.catch(() => {})
  await Promise.race([up, run.ended.then(() => Promise.reject(new Error(`ended before it was ready:\n${run.output()}`)))])
  return /ready at (\S+)/.exec(run.output())![1]!
}
const postmaster = () => survivingPostmaster(join(dataDir, 'postgres/data'))
/** The lock goes last. */
const isLetGo = () => postmaster() === null && !existsSync(join(dataDir, 'operon.lock'))

test('every wrong setting is named at once, in a line each, without a stack', async () => {
  const run = launch({ PORT: 'eighty', LOG_LEVEL: 'loud', BUS_URL: 'http://bus', RATE_READ: 'lots', MASTER_KEY: 'short' })
  expect(await run.ended).toBe(1)
  for (const name of ['PORT', 'LOG_LEVEL', 'BUS_URL', 'RATE_READ', 'MASTER_KEY'])
    expect(run.output()).toMatch(new RegExp(`^  ${name}: .+$`, 'm'))
  expect(run.output()).not.toMatch(/\n\s+at /)
})

test('a taken port is one clear line, before the database is made', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const run = launch({ PORT: String(port) })
  expect(await run.ended).toBe(1)
  expect(run.output()).toContain(`operon: Port ${port} is taken by another program`)
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  other.close()
})

test('a DATA_DIR that cannot be used is one clear line', async () => {
  writeFileSync(join(dataDir, 'file'), '')
  const run = launch({ DATA_DIR: join(dataDir, 'file') })
  expect(await run.ended).toBe(1)
  expect(run.output().trim().split('\n').at(-1)).toBe(`operon: DATA_DIR ${join(dataDir, 'file')} cannot be used: it is not a folder`)
})

test('it answers for every service, refuses a second start on its data, and leaves no process behind', { timeout: 180_000 }, async () => {
  const run = launch()
  const url = await ready(run)
  const status = async () => {
    const answer = await fetch(`${url}/statusz`)
    return [answer.status, await answer.json()]
  }
  await expect
    .poll(status, { timeout: 20_000 })
    .toMatchObject([200, { ok: true, services: { identity: { ok: true }, sandbox: { ok: true } } }])

  const second = launch()
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain(`Operon is already running on ${dataDir} (pid ${run.child.pid})`)

  const database = postmaster()!
  expect(aliveProcess(database)).toBe(true)
  run.child.kill('SIGTERM')
  expect(await run.ended).toBe(0)
  expect(aliveProcess(database)).toBe(false)
  expect(isLetGo()).toBe(true)
  copy(dataDir, left)
})

test('after kill -9 the next start takes over what was left, and a second Ctrl-C forces the end', { timeout: 180_000 }, async () => {
  copy(left, dataDir)
  const first = launch()
  await ready(first)
  first.child.kill('SIGKILL')
  await first.ended
  const survivor = postmaster()!
  expect(aliveProcess(survivor)).toBe(true)

  const next = launch()
  const url = await ready(next)
  expect(next.output()).toContain(`PostgreSQL was still running (pid ${survivor}) and is used again`)
  await expect.poll(async () => (await fetch(`${url}/statusz`)).status, { timeout: 20_000 }).toBe(200)
  next.child.kill('SIGINT')
  next.child.kill('SIGTERM')
  expect([0, 1]).toContain(await next.ended)
  await expect.poll(() => aliveProcess(survivor), { timeout: 20_000 }).toBe(false)
})

test('the bootstrap passes one signal on when it hears several at once, and its own sudden end stops the server', {
  timeout: 180_000,
}, async () => {
  copy(left, dataDir)
  const polite = launch({}, [file('../bootstrap.mjs'), 'start'])
  await ready(polite)
  // A terminal signals the whole group, and npm passes the signal on as well.
  polite.child.kill('SIGINT')
  polite.child.kill('SIGINT')
  expect(await polite.ended).toBe(0)
  expect(postmaster()).toBe(null)

  const sudden = launch({}, [file('../bootstrap.mjs'), 'start'])
  await ready(sudden)
  sudden.child.kill('SIGKILL')
  await sudden.ended
  await expect.poll(isLetGo, { timeout: 20_000 }).toBe(true)
})

test('the end of the shell that npm started it in stops the server', { timeout: 180_000 }, async () => {
  copy(left, dataDir)
  const shell = launch({ npm_lifecycle_event: 'start' }, ['-c', `"${process.execPath}" "${file('../bootstrap.mjs')}" start; true`], 'sh')
  await ready(shell)
  shell.child.kill('SIGTERM')
  await shell.ended
  await expect.poll(isLetGo, { timeout: 20_000 }).toBe(true)
})
