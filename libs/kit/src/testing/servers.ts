import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type TestProgram = {
  url: string
  port: number
  /** kill -9, then the same program on the same port; `forget` empties its store first. */
  restart(options?: { forget?: boolean }): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}

export const spawnNats = () => runProgram('nats-server', 'nats', (port, dir) => ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', dir])
export const spawnRedis = () =>
  runProgram('redis-server', 'redis', (port, dir) => [
    '--bind',
    '127.0.0.1',
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

/** Whether a program can be started here; the reason goes into the names of the tests that are skipped. */
export function isInstalled(program: 'nats-server' | 'redis-server'): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** An S3 server for tests: s3rver, which checks no signatures. */
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

async function runProgram(command: string, scheme: string, args: (port: number, dir: string) => string[]): Promise<TestProgram> {
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), `operon-${scheme}-`))
  let child: ChildProcess

  async function start() {
    child = spawn(command, args(port, dir), { stdio: 'ignore' })
    await answers(port)
  }
  async function kill() {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  await start()
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    kill,
    async restart({ forget = false } = {}) {
      await kill()
      if (forget) await rm(dir, { recursive: true, force: true })
      await start()
    },
    async stop() {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function answers(port: number, until = Date.now() + 10_000): Promise<void> {
  while (Date.now() < until) {
    const socket = connect(port, '127.0.0.1')
    const up = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(
        () => false,
        () => false,
      ),
    ]).catch(() => false)
    socket.destroy()
    if (up) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`nothing answers on port ${port}`)
}
