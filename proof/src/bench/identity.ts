import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@operon/deploy/postgres'
import { freePort } from '@operon/kit/ports'
import { median, run, start } from './measure.ts'

type Load = { perSecond: number; bad: number; p50Ms: number; p99Ms: number }
const PASSWORD = 'Bench-horse-battery-1'

/** Sign-in beside the raw hash, refresh and /user beside the Postgres they stand on: one process, one run, taking turns. */
export async function bench({ short }: { short: boolean }) {
  const [accounts, warmUpSeconds, rounds] = short ? [1_000, 0.5, 1] : [4_000, 1.5, 3]
  const folder = mkdtempSync(join(tmpdir(), 'bench-identity-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'pg') })
  let child: ChildProcess | undefined
  try {
    const port = await freePort()
    const started = await start('identity-process.ts', {
      port,
      databaseUrl: postgres.url,
      dataDir: join(folder, 'data'),
      accounts,
      password: PASSWORD,
    })
    child = started.child
    const service = child
    const seconds = short ? 1 : 5
    const limit = (measure: string) => ask<{ perSecond: number }>(service, { measure, seconds }).then((told) => told.perSecond)
    let from = 0
    const load = async (kind: 'password' | 'refresh' | 'user', people: number, forSeconds = seconds) => {
      from += 1000
      return run<Load>('identity-load.ts', {
        port,
        kind,
        people,
        seconds: forSeconds,
        warmUpSeconds,
        password: PASSWORD,
        accounts,
        from,
      })
    }
    // A sign-in takes as long as ten refreshes, and the compiler counts calls: a young process is measured as one that has run for a while.
    for (const kind of ['refresh', 'user', 'password'] as const) await load(kind, 16, short ? 1 : 4)
    const samples = {
      argon2id: [] as number[],
      password: [] as Load[],
      select: [] as number[],
      user: [] as Load[],
      update: [] as number[],
      refresh: [] as Load[],
    }
    // A kind at a time, each beside its limit: ten thousands of updates would leave their dead rows to the sign-ins after them.
    for (let round = 0; round < rounds; round++) {
      samples.argon2id.push(await limit('argon2id'))
      samples.password.push(await load('password', 8))
    }
    for (let round = 0; round < rounds; round++) {
      samples.select.push(await limit('select'))
      samples.user.push(await load('user', 16))
    }
    for (let round = 0; round < rounds; round++) {
      await ask(service, { tidy: true })
      samples.update.push(await limit('update'))
      samples.refresh.push(await load('refresh', 16))
    }
    report(samples, await roundTrips(service, port))
  } finally {
    if (child) {
      child.kill()
      await once(child, 'exit')
    }
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ask<T>(child: ChildProcess, question: object): Promise<T> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [T]
  return answer
}

/** Statements that one call of each kind sends, the relay's and the queue's own idle ones taken off. */
async function roundTrips(child: ChildProcess, port: number): Promise<Record<string, number>> {
  const url = `http://127.0.0.1:${port}/auth/v1`
  const call = async (path: string, init: RequestInit) => {
    const response = await fetch(url + path, init)
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`)
    return (await response.json()) as { access_token: string; refresh_token: string }
  }
  const post = (body: object) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  let session = await call('/token?grant_type=password', post({ email: 'bench-1@example.com', password: PASSWORD }))
  const calls: Record<string, () => Promise<unknown>> = {
    refresh: async () => (session = await call('/token?grant_type=refresh_token', post({ refresh_token: session.refresh_token }))),
    user: () => call('/user', { headers: { authorization: `Bearer ${session.access_token}` } }),
    password: () => call('/token?grant_type=password', post({ email: 'bench-1@example.com', password: PASSWORD })),
  }
  const count = async () => (await ask<{ statements: number }>(child, {})).statements
  const found: Record<string, number> = {}
  for (const [name, each] of Object.entries(calls)) {
    const seen: number[] = []
    for (let at = 0; at < 7; at++) {
      const before = await count()
      await each()
      seen.push((await count()) - before)
    }
    found[name] = Math.min(...seen)
  }
  return found
}

type Samples = {
  argon2id: number[]
  password: Load[]
  select: number[]
  user: Load[]
  update: number[]
  refresh: Load[]
}

function report(samples: Samples, trips: Record<string, number>) {
  const bad = [...samples.password, ...samples.user, ...samples.refresh].reduce((sum, each) => sum + each.bad, 0)
  const line = (name: string, limits: number[], loads: Load[]) => {
    const [limit, rate] = [median(limits), median(loads.map((each) => each.perSecond))]
    const ratios = loads.map((each, at) => each.perSecond / limits[at]!)
    console.log(
      `${name}: ${rate.toFixed(0)}/s of ${limit.toFixed(0)}/s = ${(100 * median(ratios)).toFixed(0)} % (rounds ${ratios.map((ratio) => (100 * ratio).toFixed(0)).join(', ')}), p50 ${median(loads.map((each) => each.p50Ms)).toFixed(1)} ms, p99 ${median(loads.map((each) => each.p99Ms)).toFixed(1)} ms, ${trips[name]} SQL round trips`,
    )
  }
  console.log(`raw: ${JSON.stringify(samples)}`)
  console.log('Each as a share of its limit, measured in the same process and run; client, service and Postgres share the machine.')
  console.log(
    'Limits: password of raw argon2id (19 MiB, t=2, eight waiting for the threads, as the sign-ins do: the fastest this machine does it); user of a primary key select through the same pool; refresh of a durable guarded update through it.',
  )
  line('password', samples.argon2id, samples.password)
  line('user', samples.select, samples.user)
  line('refresh', samples.update, samples.refresh)
  console.log(`answers other than 200: ${bad}`)
}
