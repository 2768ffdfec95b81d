import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startFleet } from '@operon/deploy/fleet'
import { startPostgres } from '@operon/deploy/postgres'
import pg from 'pg'
import { cpuSeconds, ownMb, residentMb } from './measure.ts'

const PASSWORD = 'Bench-horse-battery-1'
/** The image's own flags: a young generation of 2 MB instead of 16. */
const SMALL = '--max-semi-space-size=2'

/** Of twenty calls: what screens ask, and one answer of a model. */
const CALLS: [method: string, path: string, body?: unknown][] = [
  ...Array.from({ length: 5 }, () => ['GET', '/auth/v1/user'] as [string, string]),
  ...Array.from({ length: 5 }, () => ['GET', '/rest/v1/notifications?select=*&order=created_at.desc&limit=20'] as [string, string]),
  ...Array.from({ length: 5 }, () => ['GET', '/rest/v1/activity_logs?select=*&order=created_at.desc&limit=20'] as [string, string]),
  ...Array.from({ length: 4 }, () => ['GET', '/rest/v1/user_roles?select=*'] as [string, string]),
  ['POST', '/functions/v1/ai-chat', { prompt: 'Write a line about bread', model: 'gpt-4o-mini' }],
]

type Taken = { cpu: Map<string, number>; statements: number; bytes: number }

/** The cost of a seller and of a thousand calls on this machine: processor, memory, disk, statements. The sandbox is left out: it plays others. */
export async function bench({ short }: { short: boolean }) {
  const [sellers, calls, settledMs] = short ? [20, 200, 3_000] : [300, 3000, 20_000]
  // Right after a start tables are analysed and compiled code settles.
  const [startedMs, restMs] = short ? [3_000, 3_000] : [90_000, 60_000]
  const folder = mkdtempSync(join(tmpdir(), 'bench-cost-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'pg'), settings: { shared_preload_libraries: 'pg_stat_statements' } })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('create extension pg_stat_statements')
  const bounds = { RATE_AUTH_STRICT: '100000/60s', RATE_AUTH: '100000/60s', LIMIT_SIGN_UP_PER_MINUTE: '100000', RATE_READ: '100000/60s' }
  const fleet = await startFleet({
    env: {
      ...process.env,
      ...bounds,
      NODE_ENV: 'development',
      LOG_LEVEL: 'error',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: postgres.url,
      AUTH_AUTOCONFIRM: 'true',
      NODE_OPTIONS: SMALL,
    },
    log: (line) => console.log(line),
  })
  try {
    const ours = [...fleet.processes].filter(([name]) => !name.startsWith('sandbox'))
    const pids = () => new Map([...ours.map(([name, each]) => [name, each.pid()] as const), ['postgres', postgres.pid] as const])
    const look = async (): Promise<Taken> => {
      const { rows } = await client.query<{ statements: number; bytes: number }>(
        `select (select coalesce(sum(calls), 0)::float8 from pg_stat_statements) as statements,
                (select sum(pg_database_size(oid))::float8 from pg_database) as bytes`,
      )
      return { cpu: new Map([...pids()].map(([name, pid]) => [name, cpuSeconds(pid!)])), ...rows[0]! }
    }
    const asked = async () =>
      (
        await client.query<{ query: string; calls: number }>(
          "select left(regexp_replace(query, '\\s+', ' ', 'g'), 70) as query, sum(calls)::float8 as calls from pg_stat_statements group by 1",
        )
      ).rows
    const call = async (method: string, path: string, token: string, body?: unknown) => {
      const headers = { apikey: 'anon', authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(fleet.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`)
      return text ? JSON.parse(text) : null
    }

    await delay(startedMs)
    const idle = new Map([...pids()].map(([name, pid]) => [name, memoryOf(pid!)]))
    const began = await look()
    const askedBefore = await asked()
    await delay(restMs)
    const rested = await look()
    const askedMost = (await asked())
      .map(({ query, calls }) => ({ query, calls: calls - (askedBefore.find((each) => each.query === query)?.calls ?? 0) }))
      .toSorted((a, b) => b.calls - a.calls)
      .slice(0, 8)
    const tokens: string[] = []
    await sideBySide(sellers, 4, async (n) => {
      const { access_token: token } = await call('POST', '/auth/v1/signup', 'anon', {
        email: `cost-${n}@example.com`,
        password: PASSWORD,
        data: { name: 'Ann' },
      })
      await call('POST', '/rest/v1/user_roles', token, { role: 'seller' })
      tokens.push(token)
    })
    // The consumers and jobs that follow a sign-up belong to it.
    await delay(settledMs)
    const signedUp = await look()
    await sideBySide(calls, 8, async (n) => {
      const [method, path, body] = CALLS[n % CALLS.length]!
      await call(method, path, tokens[n % tokens.length]!, body)
    })
    await delay(settledMs)
    const called = await look()

    const restingCpu = (sum(rested.cpu) - sum(began.cpu)) / (restMs / 1000)
    const restingStatements = (rested.statements - began.statements) / (restMs / 1000)
    console.log(`idle, with NODE_OPTIONS=${SMALL}: ${[...idle].map(([name, mb]) => `${name} ${mb}`).join(', ')}`)
    console.log(`idle, all: ${(restingCpu * 100).toFixed(1)} % of a core, ${restingStatements.toFixed(1)} statements/s`)
    const each = [...rested.cpu].map(([name, seconds]) => [name, ((seconds - began.cpu.get(name)!) / restMs) * 100_000] as const)
    console.log(`  ${each.map(([name, percent]) => `${name} ${percent.toFixed(2)} %`).join(', ')}`)
    for (const { query, calls: times } of askedMost) console.log(`  ${((times / restMs) * 1000).toFixed(1).padStart(5)}/s  ${query}`)
    print(`a seller (${sellers})`, rested, signedUp, sellers)
    print(`1,000 calls (${calls})`, signedUp, called, calls / 1000)
    console.log(`after it: ${[...pids()].map(([name, pid]) => `${name} ${memoryOf(pid!)}`).join(', ')}`)
  } finally {
    await client.end()
    await fleet.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const memoryOf = (pid: number) => `${residentMb(pid)} MB (${ownMb(pid)} its own)`
const sum = (values: Map<string, number>) => [...values.values()].reduce((all, each) => all + each, 0)

function print(what: string, before: Taken, after: Taken, units: number) {
  const cpu = [...after.cpu].map(([name, seconds]) => [name, ((seconds - before.cpu.get(name)!) / units) * 1000] as const)
  const most = cpu.toSorted(([, a], [, b]) => b - a).slice(0, 5)
  const total = (sum(after.cpu) - sum(before.cpu)) / units
  console.log(
    `${what}: ${(total * 1000).toFixed(0)} ms of a core (${most.map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(', ')}), ` +
      `${((after.statements - before.statements) / units).toFixed(0)} statements, ${((after.bytes - before.bytes) / units / 1000).toFixed(0)} kB of database`,
  )
}

async function sideBySide(count: number, width: number, work: (n: number) => Promise<void>) {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++)
    }),
  )
}
