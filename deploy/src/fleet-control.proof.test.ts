import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@operon/kit/ports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFleet } from './fleet.ts'
import { tellFleet } from './fleet-control.ts'
import { runFolder } from './fleet-run.ts'
import { findProgram, scratchFolder } from './machine.ts'

const missing = ['nats-server', 'redis-server'].filter((program) => !findProgram(program))
const why = missing.length ? `skipped: ${missing.join(' and ')} not on PATH: ` : ''
const PASSWORD = 'Correct-Horse-9-Battery'

describe.skipIf(missing.length > 0)(`${why}a fleet that runs`, { timeout: 240_000 }, () => {
  let fleet: Awaited<ReturnType<typeof startFleet>>
  let urls: string[]
  const dataDir = scratchFolder('control')
  chmodSync(dataDir, 0o755)

  beforeAll(async () => {
    const port = await freePort()
    urls = [port, port + 1].map((each) => `http://127.0.0.1:${each}`)
    fleet = await startFleet({
      env: {
        ...process.env,
        NODE_ENV: 'test',
        LOG_LEVEL: 'error',
        DATA_DIR: dataDir,
        PORT: String(port),
        METRICS_PORT: String(20_000 + (process.pid % 20_000)),
        AUTH_AUTOCONFIRM: 'true',
        LIMIT_SIGN_UP_PER_MINUTE: '1000',
        ...Object.fromEntries(['AUTH_STRICT', 'AUTH', 'READ', 'ADDRESS'].map((name) => [`RATE_${name}`, '1000000/1s'])),
      },
      services: ['identity', 'sandbox'],
      web: false,
    })
  }, 180_000)
  afterAll(async () => {
    await fleet?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }, 60_000)

  /** Runs the command as an operator types it, and gives back its words. */
  async function typed(...args: string[]): Promise<[code: number, said: string]> {
    const said: string[] = []
    const code = await tellFleet(runFolder(dataDir), args, (line) => said.push(line))
    return [code, said.join('\n')]
  }
  const call = (url: string, path: string, token?: string, body?: object) =>
    fetch(url + path, {
      method: body || path.includes('logout') ? 'POST' : 'GET',
      headers: { apikey: 'anon', 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  let people = 0
  const signUp = (url: string) => call(url, '/auth/v1/signup', undefined, { email: `control-${++people}@example.com`, password: PASSWORD })

  test('gets more of a service and of the gateway, and each gateway finds the new ones', async () => {
    expect(await typed('scale', 'identity=2', 'gateway=2')).toEqual([0, 'identity runs 2 times\ngateway runs 2 times'])
    for (const url of urls)
      await expect
        .poll(async () => ((await (await fetch(`${url}/statusz`)).json()) as any).services?.identity, { timeout: 30_000 })
        .toMatchObject({ running: 2, of: 2 })
    const [, said] = await typed('status')
    expect(
      said
        .split('\n')
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual(['gateway-1', 'gateway-2', 'identity-1', 'identity-2', 'sandbox-1'])
    expect(said).toMatch(/identity-2 +version \d+\.\d+\.\d+$/m)
    expect(await typed('scale', 'sandbox=2')).toEqual([1, 'sandbox keeps its state in its own memory: there can be only one'])
    expect((await typed('scale', 'shop=2'))[1]).toContain('"shop=2" is not understood')
  })

  test('tells Prometheus where the figures of each process are, also of those that came later', async () => {
    const groups = JSON.parse(readFileSync(join(dataDir, 'prometheus.json'), 'utf8')) as {
      targets: string[]
      labels: { process: string }
    }[]
    expect(groups.map(({ labels }) => labels.process).toSorted()).toEqual([
      'gateway-1',
      'gateway-2',
      'identity-1',
      'identity-2',
      'sandbox-1',
    ])
    for (const { targets } of groups) expect(await (await fetch(`http://${targets[0]}/metrics`)).text()).toContain('operon_')
  })

  test('takes back a session for both gateways: sockets of either are told, tokens are refused at either', async () => {
    const { access_token: token } = (await (await signUp(urls[0]!)).json()) as { access_token: string }
    const sockets = await Promise.all(urls.map((url) => liveAt(url, token)))
    for (const url of urls) expect((await call(url, '/auth/v1/user', token)).status).toBe(200)
    expect((await call(urls[0]!, '/auth/v1/logout', token)).status).toBe(204)
    for (const socket of sockets) await expect.poll(() => socket.told(), { timeout: 15_000 }).toContain('revoked')
    for (const url of urls) await expect.poll(async () => (await call(url, '/auth/v1/user', token)).status, { timeout: 15_000 }).toBe(403)
    for (const { close } of sockets) close()
  })

  test('changes a setting while it serves: nobody is refused meanwhile, and a limit then counts over both gateways', async () => {
    const { access_token: token } = (await (await signUp(urls[0]!)).json()) as { access_token: string }
    // Of the one service that these calls need the instances restart in turn.
    const statuses = new Set<number>()
    let isDone = false
    const load = (async () => {
      while (!isDone) statuses.add((await call(urls[1]!, '/auth/v1/user', token)).status)
    })()
    expect((await typed('restart', 'identity'))[0]).toBe(0)
    isDone = true
    await load
    expect([...statuses]).toEqual([200])

    const [code, said] = await typed('set', 'RATE_AUTH=6/3600s')
    expect([code, said]).toEqual([0, expect.stringContaining('RATE_AUTH set, read by')])
    const answers = []
    for (let i = 0; i < 12; i++) answers.push((await signUp(urls[i % 2]!)).status)
    expect([answers.filter((status) => status === 200).length, answers.filter((status) => status === 429).length]).toEqual([6, 6])
  })

  test('refuses what it cannot change, and goes on as it was', async () => {
    expect(await typed('set', 'RATE_READ=many')).toEqual([1, expect.stringContaining('These settings are wrong')])
    expect(await typed('set', 'NO_SUCH_THING=1')).toEqual([1, expect.stringContaining('nothing reads it')])
    expect(await typed('set', 'MASTER_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=')).toEqual([
      1,
      expect.stringContaining('cannot be set while the fleet runs'),
    ])
    expect(await typed('dance')).toEqual([1, '"dance" is not understood: say scale, restart, set, status'])
    expect((await call(urls[0]!, '/readyz')).status).toBe(200)
  })

  test('gets fewer: those that go finish, and the gateways forget them', async () => {
    expect(await typed('scale', 'identity=1')).toEqual([0, 'identity runs once'])
    for (const url of urls)
      await expect
        .poll(async () => ((await (await fetch(`${url}/statusz`)).json()) as any).services?.identity, { timeout: 30_000 })
        .toMatchObject({ running: 1, of: 1 })
    expect([...fleet.processes.keys()]).not.toContain('identity-2')
  })
})

test('where no fleet runs a command says so', async () => {
  const nowhere = mkdtempSync(join(tmpdir(), 'operon-nowhere-'))
  await expect(tellFleet(nowhere, ['status'], () => {})).rejects.toThrow('no fleet runs here')
  rmSync(nowhere, { recursive: true })
})

test.skipIf(missing.length > 0)(
  `${why}a fleet does not start where another program has a port of its services`,
  async () => {
    const dataDir = scratchFolder('taken-port')
    chmodSync(dataDir, 0o755)
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    try {
      const env = { ...process.env, NODE_ENV: 'test', LOG_LEVEL: 'error', DATA_DIR: dataDir, PORT: '0', FLEET_ADDRESS: '127.0.0.1' }
      const starting = startFleet({ env: { ...env, FLEET_PORT: String(port) }, services: ['identity'], web: false })
      await expect(starting).rejects.toThrow(`Port ${port} is taken by another program: set FLEET_PORT`)
    } finally {
      other.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  120_000,
)

async function liveAt(url: string, token: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/live`)
  let told = ''
  socket.addEventListener('message', ({ data }) => (told += data))
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'auth', access_token: token })))
  await expect.poll(() => told, { timeout: 15_000 }).toContain('"ready"')
  return { told: () => told, close: () => socket.close() }
}
