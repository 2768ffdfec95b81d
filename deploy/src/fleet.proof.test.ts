import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { startS3 } from '@operon/kit/testing/servers'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startFleet } from './fleet.ts'
import { readCounts } from './fleet-control.ts'
import { aliveProcess, findProgram, scratchFolder } from './machine.ts'

const missing = ['nats-server', 'redis-server'].filter((program) => !findProgram(program))
const why = missing.length ? `skipped: ${missing.join(' and ')} not on PATH: ` : ''

test.skipIf(missing.length > 0)(
  `${why}a page says over the broker whose it is; what is killed comes back, the note names each pid, and nothing is left after the stop [spec-102]`,
  { timeout: 180_000 },
  async () => {
    const dataDir = scratchFolder('fleet')
    chmodSync(dataDir, 0o755)
    const env = { ...process.env, NODE_ENV: 'test', LOG_LEVEL: 'error', DATA_DIR: dataDir, PORT: '0', WEB_DIST: writtenWeb(dataDir) }
    const fleet = await startFleet({ env, services: ['marketplace'], counts: { marketplace: 2 } })
    onTestFinished(async () => {
      await fleet.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }, 60_000)
    const note = () => JSON.parse(readFileSync(join(dataDir, 'run/fleet.json'), 'utf8')) as Record<string, number>
    expect(Object.keys(note()).sort()).toEqual(['gateway-1', 'marketplace-1', 'marketplace-2', 'nats', 'postgres', 'redis', 'url'])

    // The gateway asks, marketplace answers: two processes, and NATS between them.
    await ownStorefront(new URL('/marketplace', fleet.env.DATABASE_URL).href, 'mara', 'Mara Lindt')
    const page = async (slug: string) => {
      const response = await fetch(`${fleet.url}/marketplace/${slug}`)
      return [response.status, await response.text()]
    }
    expect(await page('mara')).toEqual([200, '<p>storefront Mara Lindt</p></body>'])
    expect(await page('nobody')).toEqual([404, '<p>missing</p></body>'])

    const killed = fleet.processes.get('marketplace-1')!.pid()!
    process.kill(killed, 'SIGKILL')
    await expect.poll(() => note()['marketplace-1'], { timeout: 30_000 }).not.toBe(killed)
    await expect.poll(() => fleet.ready('marketplace-1'), { timeout: 60_000 }).toBe(true)

    const database = fleet.postgres!.pid()
    process.kill(database, 'SIGKILL')
    await expect.poll(() => fleet.postgres!.pid(), { timeout: 30_000 }).not.toBe(database)
    await expect.poll(() => fleet.ready('marketplace-2'), { timeout: 60_000 }).toBe(true)

    // A broker that does its work is left alone.
    expect([fleet.processes.get('nats')!.restarts(), fleet.processes.get('redis')!.restarts()]).toEqual([0, 0])
    const pids = Object.values(note()).filter((pid) => typeof pid === 'number')
    await fleet.stop()
    expect(pids.filter(aliveProcess)).toEqual([])
    expect(existsSync(join(dataDir, 'run/fleet.json'))).toBe(false)
  },
)

/** As much of a built app as a storefront's frame needs. */
function writtenWeb(dataDir: string): string {
  const dist = join(dataDir, 'web')
  const files = {
    'app.html': '<h1>App</h1>',
    'routes.json': '["/marketplace/:userSlug"]',
    'marketplace/:userSlug/index.html': '<p>nobody was asked</p>',
    '.server/frame.html': '<!--app--></body>',
    '.server/drawPage.js': `export const drawPage = async (_, { kind, seller }) =>
      ({ status: kind === 'missing' ? 404 : 200, head: '', body: '<p>' + [kind, seller?.name].join(' ').trim() + '</p>', after: '' })`,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    writeFileSync(join(dist, name), text)
  }
  return dist
}

async function ownStorefront(connectionString: string, slug: string, name: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('insert into profiles (user_id, display_name, marketplace_slug, version) values (gen_random_uuid(), $1, $2, 1)', [
    name,
    slug,
  ])
  await client.end()
}

test.skipIf(missing.length > 0)(
  `${why}a start that waits says for which process and why, and goes on once that is mended`,
  { timeout: 240_000 },
  async () => {
    const dataDir = scratchFolder('fleet')
    chmodSync(dataDir, 0o755)
    const s3 = await startS3()
    let mended = false
    const door = createServer((socket) => {
      if (!mended) return socket.destroy()
      const store = connect(Number(new URL(s3.url.replace('s3:', 'http:')).port), '127.0.0.1')
      for (const end of [socket, store]) end.on('error', () => end.destroy())
      socket.pipe(store).pipe(socket)
    })
    await once(door.listen(0, '127.0.0.1'), 'listening')
    const STORAGE_URL = s3.url.replace(/:\d+\//, `:${(door.address() as AddressInfo).port}/`)
    const settings = { NODE_ENV: 'test', LOG_LEVEL: 'warn', DATA_DIR: dataDir, PORT: '0', WEB_DIST: writtenWeb(dataDir), STORAGE_URL }
    const env = { ...process.env, ...settings }
    const lines: string[] = []
    const starting = startFleet({ env, services: ['analytics'], log: (line) => void lines.push(line) })
    onTestFinished(async () => {
      mended = true
      await (await starting).stop()
      door.close()
      await s3.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }, 60_000)
    await expect.poll(() => lines, { timeout: 120_000 }).toContain('still waiting for analytics-1 (analytics: storage)')
    expect(lines.join('\n')).toMatch(/the file store does not answer yet .*\(.+\)/)
    mended = true
    expect(await (await starting).ready('analytics-1')).toBe(true)
  },
)

test('counts are read from the command line, and what is not understood is said', () => {
  expect(readCounts(['ai-gateway=2', 'gateway=3'])).toEqual({ 'ai-gateway': 2, gateway: 3 })
  expect(() => readCounts(['billing'])).toThrow('"billing" is not understood')
  expect(() => readCounts(['shop=2'])).toThrow('"shop=2" is not understood')
})
