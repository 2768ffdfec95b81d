import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../ports.ts'
import { type Contained, contain, whyNoContainer } from './containers.ts'

export type TestProgram = {
  url: string
  port: number
  /** kill -9, then the same program on the same port; `forget` empties its store first. */
  restart(options?: { forget?: boolean }): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}
type Program = 'nats-server' | 'redis-server'
type Place = { host: string; port: number; dir: string }

export const spawnNats = () =>
  runProgram('nats-server', 'nats', ({ host, port, dir }) => ['-js', '-a', host, '-p', String(port), '-sd', dir])
export const spawnRedis = () =>
  runProgram('redis-server', 'redis', ({ host, port, dir }) => [
    '--bind',
    host,
    '--port',
    String(port),
    '--dir',
    dir,
    '--appendonly',
    'yes',
    '--save',
    '',
    '--maxmemory-policy',
    'noeviction',
  ])

export function isOnPath(program: Program): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Why a program can be started neither from PATH nor by Docker, for the names of the tests that are skipped; null when it can. */
export async function whyAbsent(...programs: Program[]): Promise<string | null> {
  for (const program of programs) {
    const why = isOnPath(program) ? null : await whyNoContainer(program)
    if (why) return `${program} is not on PATH, and ${why}`
  }
  return null
}

/** An S3 server for tests, in this process. */
export async function startS3(): Promise<{ url: string; stop(): Promise<void> }> {
  const S3rver = createRequire(import.meta.url)('s3rver')
  const directory = await mkdtemp(join(tmpdir(), 'operon-s3-'))
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory })
  const { port } = await server.run()
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/operon?region=us-east-1&ssl=false`,
    async stop() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The store of the compose file, where Docker brings it. */
export async function startMinio(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const env = { MINIO_ROOT_USER: 'operon', MINIO_ROOT_PASSWORD: 'operon-secret' }
  const minio = contain({ program: 'minio', port, inside: 9000, args: ['server', '/data'], env })
  await minio.begin()
  return { url: `s3://operon:operon-secret@127.0.0.1:${port}/operon?region=us-east-1&ssl=false`, stop: minio.remove }
}

async function runProgram(program: Program, scheme: string, args: (place: Place) => string[]): Promise<TestProgram> {
  const port = await freePort()
  const running = isOnPath(program)
    ? await launch(program, (dir) => args({ host: '127.0.0.1', port, dir }))
    : contain({ program, port, args: [program, ...args({ host: '0.0.0.0', port, dir: '/data' })] })
  let alive = false

  async function start() {
    await running.begin()
    await answers(port)
    alive = true
  }
  async function kill() {
    if (alive) await running.kill()
    alive = false
  }

  await start()
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    kill,
    async restart({ forget = false } = {}) {
      await kill()
      if (forget) await running.remove()
      await start()
    },
    async stop() {
      await kill()
      await running.remove()
    },
  }
}

async function launch(program: Program, args: (dir: string) => string[]): Promise<Contained> {
  const dir = await mkdtemp(join(tmpdir(), `operon-${program}-`))
  let child: ChildProcess
  return {
    async begin() {
      child = spawn(program, args(dir), { stdio: 'ignore' })
      await once(child, 'spawn')
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

/** Redis answers a ping, and NATS has said who it is by then: a port alone may be Docker's, with nothing behind it yet. */
async function answers(port: number, until = Date.now() + 10_000): Promise<void> {
  while (Date.now() < until) {
    const socket = connect(port, '127.0.0.1').setTimeout(1000, () => socket.destroy())
    socket.write('PING\r\n')
    const up = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]).catch(() => false)
    socket.destroy()
    if (up) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`nothing answers on port ${port}`)
}
