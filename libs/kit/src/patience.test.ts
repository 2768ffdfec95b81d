import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { connectNats, readNatsUrl } from './bus/nats-connection.ts'
import { connectRedis } from './cache/redis.ts'
import { SetupError } from './config.ts'
import { ensureDatabase } from './db.ts'
import { freePort, freePorts } from './ports.ts'
import type { Logger } from './telemetry.ts'
import { testServer } from './testing/database.ts'
import { isOnPath } from './testing/servers.ts'

const cleanup: (() => unknown)[] = []
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each()
})

/** Says what a start says. */
function listener() {
  const said: string[] = []
  const note = (first: unknown, second?: string) => void said.push(typeof first === 'string' ? first : `${second}`)
  return { said, log: { warn: note, info: note, error: note, debug: note } as unknown as Logger }
}

describe('a server that is still starting', () => {
  test('PostgreSQL: the start says that it waits, and goes on once it answers', async () => {
    const real = new URL(testServer())
    const port = await freePort()
    const { said, log } = listener()
    const late = new URL(real)
    late.host = `127.0.0.1:${port}`
    late.pathname = '/patience_probe'
    const ensured = ensureDatabase(late.href, { log, withinMs: 10_000 })
    await expect.poll(() => said.length).toBe(1)
    const door = createServer((socket) => {
      const inside = connect(Number(real.port), real.hostname)
      socket.pipe(inside).pipe(socket)
      for (const each of [socket, inside]) each.on('error', () => {})
    }).listen(port, '127.0.0.1')
    cleanup.push(() => door.close())
    await ensured
    expect(said).toEqual([
      expect.stringMatching(new RegExp(`^PostgreSQL at 127.0.0.1:${port} does not answer yet \\(connect ECONNREFUSED.*up to 10 s`)),
      expect.stringMatching(/answers after \d/),
    ])
    const admin = new pg.Client({ connectionString: real.href })
    await admin.connect()
    expect((await admin.query(`drop database patience_probe`)).command).toBe('DROP')
    await admin.end()
  })

  test('one that never comes ends the start with one line, after the time that was given', async () => {
    const port = await freePort()
    const { log } = listener()
    const gone = `127.0.0.1:${port}`
    const failures = await Promise.all([
      ensureDatabase(`postgres://a:secret@${gone}/x`, { log, withinMs: 400 }).catch((error) => error),
      connectNats(`nats://a:secret@${gone}`, log, 400).catch((error) => error),
      connectRedis(`redis://:secret@${gone}`, log, 'queue', 400).catch((error) => error),
    ])
    for (const failure of failures) expect(failure).toBeInstanceOf(SetupError)
    expect(failures.map(({ message }) => message.split(' did not')[0])).toEqual([
      `PostgreSQL at ${gone}`,
      `NATS at ${gone}`,
      `Redis at ${gone}`,
    ])
    expect(failures.map(({ message }) => message).join()).not.toContain('secret')
  })

  test('a wrong password is said at once', async () => {
    const wrong = new URL(testServer())
    wrong.password = 'wrong'
    const { log, said } = listener()
    await expect(ensureDatabase(wrong.href, { log, withinMs: 60_000 })).rejects.toThrow(/refuses: password authentication failed/)
    expect(said).toEqual([])
  })
})

test('NATS: several servers and credentials are read from the address', () => {
  expect(readNatsUrl('nats://ann:p%40ss@a,b:5222, nats://c')).toEqual({
    servers: ['a:4222', 'b:5222', 'c:4222'],
    user: 'ann',
    pass: 'p@ss',
  })
  expect(readNatsUrl('tls://token@a:1')).toEqual({ servers: ['a:1'], token: 'token', tls: {} })
  expect(() => readNatsUrl('nats://ann:p@a,tls://b')).toThrow(/one scheme and one account/)
})

const absent = (['nats-server', 'redis-server'] as const).filter((program) => !isOnPath(program))
describe.skipIf(absent.length > 0)(absent.length ? `skipped: ${absent.join(' and ')} not on PATH` : 'the real programs', () => {
  test('NATS: another server of the list is taken when the first is away, and a wrong password ends the start', async () => {
    const [port, away] = (await freePorts(2)) as [number, number]
    await run('nats-server', ['-js', '-a', '127.0.0.1', '-p', `${port}`, '-sd', folder(), '--user', 'ann', '--pass', 'right'], port)
    const { log } = listener()
    const nats = await connectNats(`nats://ann:right@127.0.0.1:${away},127.0.0.1:${port}`, log)
    cleanup.push(nats.close)
    expect(nats.connected()).toBe(true)
    await expect(connectNats(`nats://ann:wrong@127.0.0.1:${port}`, log)).rejects.toThrow(/refuses: .*authorization/i)
  })

  test('Redis: a wrong password ends the start, for the queue and for the cache', async () => {
    const port = await freePort()
    await run('redis-server', ['--bind', '127.0.0.1', '--port', `${port}`, '--requirepass', 'right', '--dir', folder()], port)
    const { log } = listener()
    const redis = await connectRedis(`redis://:right@127.0.0.1:${port}/1`, log, 'queue')
    cleanup.push(() => redis.disconnect())
    expect(await redis.ping()).toBe('PONG')
    for (const use of ['queue', 'cache'] as const)
      await expect(connectRedis(`redis://:wrong@127.0.0.1:${port}`, log, use)).rejects.toThrow(/refuses: .*(WRONGPASS|invalid)/)
  })

  test('TLS: tls:// and rediss:// speak to a server whose certificate is trusted, to no other, and never in the clear', async () => {
    const dir = folder()
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
    ]
    const files = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', join(dir, 'key.pem'), '-out', join(dir, 'cert.pem')]
    execFileSync('openssl', [...made, ...files], { stdio: 'ignore' })
    const [nats, redis, clear] = (await freePorts(3)) as [number, number, number]
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
    await run('nats-server', ['-js', '-p', `${nats}`, '-sd', folder(), '--tls', '--tlscert', cert, '--tlskey', key], nats)
    await run('nats-server', ['-js', '-p', `${clear}`, '-sd', folder()], clear)
    const withTls = ['--tls-port', `${redis}`, '--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no']
    await run('redis-server', ['--port', '0', ...withTls, '--dir', folder()], redis)
    const { log } = listener()

    await expect(connectNats(`tls://localhost:${nats}`, log)).rejects.toThrow(/refuses: .*self-signed/)
    await expect(connectRedis(`rediss://localhost:${redis}`, log, 'cache')).rejects.toThrow(/refuses: .*self-signed/)
    const usual = getCACertificates('default')
    cleanup.push(() => setDefaultCACertificates(usual))
    setDefaultCACertificates([...usual, readFileSync(cert, 'utf8')])
    const bus = await connectNats(`tls://localhost:${nats}`, log)
    cleanup.push(bus.close)
    const queue = await connectRedis(`rediss://localhost:${redis}`, log, 'queue')
    cleanup.push(() => queue.disconnect())
    expect([bus.connected(), await queue.ping()]).toEqual([true, 'PONG'])
    await expect(connectNats(`tls://localhost:${clear}`, log)).rejects.toThrow(/does not support 'tls'/)
  })
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'operon-patience-'))
  cleanup.push(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function run(program: string, args: string[], port: number) {
  const child = spawn(program, args, { stdio: 'ignore' })
  cleanup.push(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await expect.poll(() => accepts(port)).toBe(true)
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
