import { type ChildProcess, spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { testGateway } from './testing/start.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const hosts = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
type Copy = { host: string; child: ChildProcess; did: string[] }

/** Copies of a service, each a process at an address of its own and all at one port, as machines behind a name are. */
async function copies(of = hosts): Promise<{ port: number; all: Copy[] }> {
  const port = await portOn(of[0]!)
  const all = await Promise.all(of.map((host) => startCopy(host, port)))
  return { port, all }
}

async function startCopy(host: string, port: number): Promise<Copy> {
  const program = new URL('testing/instance-main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, host, String(port)], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  ends.push(() => child.kill('SIGKILL'))
  const did: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${host}:${port} did not start`)))
    createInterface(child.stdout!).on('line', (line) => (line === 'ready' ? resolve() : did.push(line.slice(4))))
  })
  return { host, child, did }
}

function portOn(host: string): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

async function gatewayTo(port: number, lookup: () => Promise<string[]>) {
  const gateway = await testGateway({
    upstreams: { billing: { kind: 'remote', addresses: [`http://billing.fleet:${port}`] } },
    lookup,
    // They ask until a change has come round, as often as a quick machine lets them.
    env: { RATE_WRITE: '100000/1s', RATE_ADDRESS: '100000/1s' },
  })
  ends.push(gateway.close)
  const post = async (call: string, ms = 0) => {
    const body = JSON.stringify({ call, ms })
    const response = await fetch(`${gateway.url}/functions/v1/open`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    return [response.status, ((await response.json()) as { host?: string }).host] as const
  }
  const get = async () => (await fetch(`${gateway.url}/functions/v1/stream`)).status
  const status = async () => ((await (await fetch(`${gateway.url}/statusz`)).json()) as any).services.billing
  return { gateway, post, get, status }
}

describe('a name with several addresses', () => {
  test('each of them gets its share, one that is new is found, and one that is not named any more gets nothing', {
    timeout: 60_000,
  }, async () => {
    const { port } = await copies()
    let named = hosts.slice(0, 2)
    let looks = 0
    const { post, status } = await gatewayTo(port, async () => {
      looks += 1
      return named
    })
    const asked = async (what: string) => {
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => post(`${what}-${i}`)))
      expect(new Set(answers.map(([code]) => code))).toEqual(new Set([200]))
      return Map.groupBy(answers, ([, host]) => host!)
    }
    await vi.waitFor(async () => expect(await status()).toMatchObject({ running: 2, of: 2 }), 20_000)
    const first = await asked('first')
    expect([...first.keys()].sort()).toEqual(hosts.slice(0, 2))
    for (const share of first.values()) expect(share.length).toBeGreaterThan(2)

    named = hosts.slice(1)
    await vi.waitFor(async () => expect([...(await asked('then')).keys()].sort()).toEqual(hosts.slice(1)), 20_000)

    // A name server that says nothing has not taken the machines away.
    named = []
    const before = looks
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 1), 20_000)
    expect([...(await asked('silent')).keys()].sort()).toEqual(hosts.slice(1))
  })
})

describe('an instance that stands still', () => {
  test('gets nothing new; what it had not begun is done by another, once, and what it had begun when it wakes', {
    timeout: 120_000,
  }, async () => {
    const { port, all } = await copies()
    const { post, get, status } = await gatewayTo(port, async () => hosts)
    await vi.waitFor(async () => expect(await status()).toMatchObject({ running: 3, of: 3 }), 20_000)
    const [victim] = all as [Copy]

    // In its hands when it stops: done by it alone, however long that takes.
    const begun = Array.from({ length: 6 }, (_, i) => post(`begun-${i}`, 700))
    await vi.waitFor(() => expect(victim.did.length).toBeGreaterThan(0), 10_000)
    victim.child.kill('SIGSTOP')

    const sent = Array.from({ length: 12 }, (_, i) => post(`sent-${i}`))
    const read = Array.from({ length: 12 }, get)
    await vi.waitFor(async () => expect(await status()).toMatchObject({ running: 2, of: 3 }), 20_000)

    expect(new Set(await Promise.all(read))).toEqual(new Set([200]))
    for (const [code, host] of await Promise.all(sent)) expect([code, host === victim.host]).toEqual([200, false])
    const without = await Promise.all(Array.from({ length: 30 }, (_, i) => post(`after-${i}`)))
    expect(without.filter(([, host]) => host === victim.host)).toEqual([])

    victim.child.kill('SIGCONT')
    for (const [code] of await Promise.all(begun)) expect(code).toBe(200)
    await vi.waitFor(async () => expect(await status()).toMatchObject({ running: 3, of: 3 }), 20_000)
    // By then it has read what lay in its buffers, and everything was done once.
    await vi.waitFor(async () => expect((await post('last'))[1]).toBe(victim.host), 20_000)
    const done = all.flatMap(({ did }) => did).filter((call) => call !== 'last')
    expect(done).toHaveLength(6 + 12 + 30)
    expect(new Set(done).size).toBe(done.length)
  })

  test('alone it is waited for: nobody else could answer', { timeout: 60_000 }, async () => {
    const { port, all } = await copies(hosts.slice(0, 1))
    const { post, status } = await gatewayTo(port, async () => hosts.slice(0, 1))
    await vi.waitFor(async () => expect(await status()).toMatchObject({ running: 1 }), 20_000)
    all[0]!.child.kill('SIGSTOP')
    const waiting = post('waits')
    await vi.waitFor(async () => expect(await status()).toMatchObject({ running: 0 }), 20_000)
    all[0]!.child.kill('SIGCONT')
    expect((await waiting)[0]).toBe(200)
    expect(all[0]!.did).toEqual(['waits'])
  })
})
