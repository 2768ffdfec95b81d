import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCounts, startFleet } from './fleet.ts'
import { aliveProcess, findProgram } from './machine.ts'

const missing = ['nats-server', 'redis-server'].filter((program) => !findProgram(program))

test.skipIf(missing.length > 0)(
  'what is killed comes back, the note names each pid, and nothing is left after the stop',
  { timeout: 180_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'operon-fleet-'))
    chmodSync(dataDir, 0o755)
    const env = { ...process.env, NODE_ENV: 'test', LOG_LEVEL: 'error', DATA_DIR: dataDir, PORT: '0', WEB_DIST: dataDir }
    const fleet = await startFleet({ env, services: ['marketplace'], counts: { marketplace: 2 } })
    const note = () => JSON.parse(readFileSync(join(dataDir, 'run/fleet.json'), 'utf8')) as Record<string, number>
    expect(Object.keys(note()).sort()).toEqual(['gateway-1', 'marketplace-1', 'marketplace-2', 'nats', 'postgres', 'redis', 'url'])

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
    rmSync(dataDir, { recursive: true, force: true })
  },
)

test('counts are read from the command line, and what is not understood is said', () => {
  expect(readCounts(['ai-gateway=2', 'gateway=3'])).toEqual({ 'ai-gateway': 2, gateway: 3 })
  expect(() => readCounts(['billing'])).toThrow('"billing" is not understood')
  expect(() => readCounts(['shop=2'])).toThrow('"shop=2" is not understood')
})
