import { setTimeout as delay } from 'node:timers/promises'
import type { Job } from '@operon/contracts/contract'
import type { ServiceName } from '@operon/contracts/services'
import { loadDefinitions } from '@operon/deploy/services'
import { newId } from '@operon/kit/ids'
import type { Runtime, ServiceDefinition } from '@operon/kit/service'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import pg from 'pg'
import { type Call, growingCalls, type Who } from './calls.ts'
import { fillTables } from './fill.ts'
import { idsOfOwner } from './ids.ts'
import { type Looked, watchLooks } from './looks.ts'

/** An export or erasure that takes so long is stuck. */
const STUCK_MS = 600_000

/** `heaviest`: the statement that read the most of the blocks. */
export type Sample = { ms: number[]; control: number[]; blocks?: number; looked?: Looked; bytes?: number; note?: string; heaviest?: string }
/** `screen`: a person looks at a page until it is answered. */
export type Row = { name: string; waits: 'screen' | 'call' | 'nobody'; at: Sample[]; refused?: string; everyMs?: number }

const PASSWORD = 'Growth-horse-battery-1'
const SERVICE_KEY = 'test-service-key-0123456789'
type Person = { id: string; token: string; email: string }
type Scheduled = { name: string; rt: Runtime; everyMs: number; run: (ctx: any, run: any) => Promise<unknown> }

/** The services to fill and to time, and beside their periodic jobs their calls, and the export and the erasure of a person. */
type What = { short: boolean; of: string[]; calls: boolean; people: boolean }

/** The platform with an account that owns half of every table, and what can be asked of it. */
export async function openGrowth(postgres: string, { short, of, calls: withCalls, people: withPeople }: What) {
  const jobs: Scheduled[] = []
  const definitions = (await loadDefinitions()).map((definition) => withoutSchedules(definition, jobs))
  const bounds = {
    RATE_AUTH_STRICT: '100000/60s',
    RATE_AUTH: '100000/60s',
    LIMIT_SIGN_UP_PER_MINUTE: '100000',
    LIMIT_EXPORTS_PER_DAY: '100',
  }
  const platform = await startTestPlatform(definitions, {
    ...bounds,
    AUTH_AUTOCONFIRM: 'true',
    AUTH_STAFF_EMAILS: 'staff@studio.example',
    LOG_LEVEL: 'fatal',
  })
  const services = Object.keys(platform.services) as ServiceName[]
  const rt = (service: ServiceName) => platform.services[service]!.rt
  const client = new pg.Client({ connectionString: postgres })
  await client.connect()
  await client.query('create extension pg_stat_statements')
  await client.query(`create table control as select n, repeat('x', 200) as text from generate_series(1, 1000) n`)
  await client.query('alter table control add primary key (n)')

  const people = { owner: await signUp('owner@example.com'), staff: await signUp('staff@studio.example') }
  // A configured address counts as staff's once it is proven.
  await ask(`/auth/v1/admin/users/${people.staff.id}`, 'PUT', 'identity', SERVICE_KEY, { email_confirm: true })
  await rt('marketplace').db.updateTable('profiles').set({ marketplace_slug: 'slug-7' }).where('user_id', '=', people.owner.id).execute()
  let size = 0

  async function ask(path: string, method: string, service: ServiceName, token: string | null, body?: unknown) {
    const answer = await fetch(platform.url(service) + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  async function signUp(email: string): Promise<Person> {
    const body = { email, password: PASSWORD, data: { name: 'Ann', accept_terms: true } }
    const { text } = await ask('/auth/v1/signup', 'POST', 'identity', null, body)
    const { access_token: token, user } = JSON.parse(text)
    if (!token) throw new Error(`${email} could not sign up: ${text.slice(0, 200)}`)
    return { id: user.id, token, email }
  }

  async function signIn(person: Person): Promise<void> {
    const body = { email: person.email, password: PASSWORD }
    const { text } = await ask('/auth/v1/token?grant_type=password', 'POST', 'identity', null, body)
    person.token = JSON.parse(text).access_token ?? person.token
  }

  const tokenOf = (who: Who) => (who === 'service' ? SERVICE_KEY : people[who].token)

  /** By the id of each statement seen: its text, or null where its blocks do not count. */
  const known = new Map<string, string | null>()

  /** Blocks that each statement has touched so far, in all databases. PostgreSQL keeps their texts in a file: only those of new statements are read. */
  async function statements(): Promise<Map<string, number>> {
    const { rows } = await client.query<{ id: string; blocks: number }>(
      `select queryid::text as id, sum(shared_blks_hit + shared_blks_read + temp_blks_read + temp_blks_written)::float8 as blocks
       from pg_stat_statements(false) group by queryid`,
    )
    const unknown = rows.filter(({ id }) => !known.has(id)).map(({ id }) => id)
    if (unknown.length) {
      const texts = await client.query<{ id: string; query: string; counts: boolean }>(
        `select queryid::text as id, min(query) as query, bool_and(query !~ 'pg_stat_|outbox|inbox|add_jobs|bullmq') as counts
         from pg_stat_statements where queryid = any($1::bigint[]) group by queryid`,
        [unknown],
      )
      for (const { id, query, counts } of texts.rows) known.set(id, counts ? query : null)
    }
    return new Map(rows.filter(({ id }) => known.get(id)).map(({ id, blocks }) => [id, blocks]))
  }

  const looks = watchLooks(postgres)
  async function readBy(work: () => Promise<unknown>): Promise<{ blocks: number; looked: Looked; heaviest: string }> {
    const before = await statements()
    const looked = await looks.during(work)
    const read = [...(await statements())].map(([id, blocks]) => ({ id, blocks: blocks - (before.get(id) ?? 0) }))
    const [most] = read.toSorted((a, b) => b.blocks - a.blocks)
    return {
      blocks: read.reduce((sum, { blocks }) => sum + blocks, 0),
      looked,
      heaviest: most ? `${most.blocks}: ${known.get(most.id)}` : '',
    }
  }

  async function control(): Promise<number> {
    const began = performance.now()
    await client.query('select text from control where n = $1', [1 + Math.floor(Math.random() * 1000)])
    return performance.now() - began
  }

  async function time(call: Call): Promise<Row> {
    const run = () => ask(call.path, call.method, call.service, tokenOf(call.who), call.body)
    const row: Row = { name: call.name, waits: call.screen ? 'screen' : 'call', at: [] }
    // Statements are prepared and pages in memory, as they are for whoever comes next.
    for (let n = 0; n < 2; n++) {
      const { status, text } = await run()
      if (status >= 400) return { ...row, refused: `answers ${status} ${text.slice(0, 160)}` }
    }
    const taken: Sample = { ms: [], control: [], blocks: Number.POSITIVE_INFINITY, bytes: 0 }
    for (let n = 0; n < 2; n++) {
      const read = await readBy(async () => {
        taken.bytes = (await run()).text.length
      })
      if (read.blocks < taken.blocks!) Object.assign(taken, read)
    }
    const [least, most, untilMs] = short ? [3, 5, 100] : [5, 60, 1500]
    for (const began = performance.now(); taken.ms.length < least || (taken.ms.length < most && performance.now() - began < untilMs); ) {
      taken.control.push(await control())
      const start = performance.now()
      await run()
      taken.ms.push(performance.now() - start)
    }
    return { ...row, at: [taken] }
  }

  async function runJob({ name, rt, run, everyMs }: Scheduled): Promise<Row> {
    const row: Row = { name: `job ${name}`, waits: 'nobody', at: [], everyMs }
    const work = () =>
      run(rt.ctx(), { id: newId(), payload: {}, attempt: 1, userId: null, progress: async () => {}, signal: new AbortController().signal })
    let ms = 0
    const timed = async () => {
      const began = performance.now()
      await work()
      ms = performance.now() - began
    }
    try {
      // The first does what years have left, and costs what that costs; the next ones are what each tick costs from then on.
      const backlog = await readBy(timed)
      const note = `at first ${ms.toFixed(0)} ms, ${backlog.blocks} blocks`
      await vacuumChanged(rt)
      await readBy(timed)
      const read = await readBy(timed)
      return { ...row, at: [{ ms: [ms], control: [await control()], ...read, note }] }
    } catch (error) {
      return { ...row, refused: `fails: ${String(error).slice(0, 160)}` }
    }
  }

  /** As autovacuum does it, which is off lest it come in the middle of a measurement: else each tick would read what the first has left dead. */
  async function vacuumChanged({ db }: Runtime): Promise<void> {
    const { rows } = await sql<{ name: string }>`
      select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables where n_dead_tup > 50 + 0.2 * n_live_tup`.execute(db)
    for (const { name } of rows) await sql`vacuum (analyze) ${sql.raw(name)}`.execute(db)
  }

  /** A file of everything of the owner: what a row of it costs must not depend on how many there are. */
  async function exportOwner(): Promise<Row> {
    const row: Row = { name: 'export, a thousand rows', waits: 'nobody', at: [] }
    await rt('identity').db.deleteFrom('exports').where('user_id', '=', people.owner.id).execute()
    const memory = watchMemory()
    const began = performance.now()
    const { status, text } = await ask('/functions/v1/account-export-begin', 'POST', 'identity', people.owner.token, {})
    if (status >= 400) return { ...row, refused: `answers ${status} ${text.slice(0, 160)}` }
    for (;;) {
      await delay(20)
      const answer = await ask('/functions/v1/account-exports', 'POST', 'identity', people.owner.token, {})
      const [made] = JSON.parse(answer.text).exports
      if (made.state === 'working' && performance.now() - began < STUCK_MS) continue
      const ms = performance.now() - began
      const grown = memory()
      if (made.state !== 'ready') return { ...row, refused: `is ${made.state}` }
      const note = `${made.rows} rows, ${(made.bytes / 1e6).toFixed(1)} MB in ${(ms / 1000).toFixed(1)} s, memory +${grown} MB`
      return { ...row, at: [{ ms: [(ms * 1000) / made.rows], control: [await control()], note }] }
    }
  }

  /** Somebody who has rows everywhere leaves. */
  async function eraseLeaver(leaver: Person): Promise<Row> {
    const row: Row = { name: 'erasure, a thousand rows', waits: 'nobody', at: [] }
    await signIn(leaver)
    const memory = watchMemory()
    const began = performance.now()
    const { status, text } = await ask('/functions/v1/account-delete', 'POST', 'identity', leaver.token, {})
    if (status >= 400) return { ...row, refused: `answers ${status} ${text.slice(0, 160)}` }
    const answeredMs = performance.now() - began
    for (;;) {
      await delay(20)
      const left = await rt('identity').db.selectFrom('erasures').select(['erased_at', 'report']).where('user_id', '=', leaver.id).execute()
      if (!left.length || left.some(({ erased_at }) => !erased_at)) {
        if (performance.now() - began > STUCK_MS) return { ...row, refused: 'did not end' }
        continue
      }
      const ms = performance.now() - began
      const gone = left
        .flatMap(({ report }) => [report?.deleted, report?.anonymised])
        .flatMap((counts) => Object.values(counts ?? {}))
        .reduce((sum: number, count) => sum + Number(count), 0)
      const note = `${gone} rows in ${(ms / 1000).toFixed(1)} s, answered after ${answeredMs.toFixed(0)} ms, memory +${memory()} MB`
      return { ...row, at: [{ ms: [(ms * 1000) / gone], control: [await control()], note }] }
    }
  }

  let leaver: Person
  return {
    async fillTo(rows: number) {
      leaver = await signUp(`leaver-${rows}@example.com`)
      const own = Math.round((rows - size) / 5)
      const fill = { from: size, rows, own, userId: leaver.id, ownerId: people.owner.id, ownerEvery: 2 }
      await fillTables(
        Object.values(platform.services).filter(({ rt }) => of.includes(rt.name)),
        fill,
      )
      size = rows
    },
    /** All rows, or those of the given calls and jobs alone. */
    async measure(names?: Set<string>): Promise<Row[]> {
      await signIn(people.owner)
      await signIn(people.staff)
      const share = (picture_id: string) => ask('/functions/v1/share-image', 'POST', 'media', people.owner.token, { picture_id })
      const ids = await idsOfOwner(platform, people.owner.id, async (picture) => (await share(picture)).text)
      const calls = await growingCalls(services, ids)
      const rows: Row[] = []
      const wanted = (service: string, name: string) => of.includes(service) && (!names || names.has(name))
      for (const call of withCalls ? calls : []) if (wanted(call.service, call.name)) rows.push(await time(call))
      for (const job of jobs) if (wanted(job.rt.name, `job ${job.name}`)) rows.push(await runJob(job))
      if (withPeople && !names) rows.push(await exportOwner(), await eraseLeaver(leaver))
      return rows
    },
    async close() {
      await looks.close()
      await client.end()
      await platform.close()
    },
  }
}

/** Its periodic jobs run when they are told to, and not in the middle of a measurement. */
function withoutSchedules(definition: ServiceDefinition, jobs: Scheduled[]): ServiceDefinition {
  return {
    ...definition,
    setup(rt) {
      const job: Runtime['job'] = (contract: Job, run: any, { cron, everyMs, ...options } = {}) => {
        if (cron || everyMs) jobs.push({ name: contract.name, rt, run, everyMs: everyMs ?? periodOf(cron!) })
        rt.job(contract, run, options)
      }
      return definition.setup(Object.assign(Object.create(rt), { job }))
    },
  }
}

/** Every minute, hour or day: no pattern here has more stars than that. */
function periodOf(cron: string): number {
  const [minute, hour] = cron.split(' ')
  return minute === '*' ? 60_000 : hour === '*' ? 3_600_000 : 86_400_000
}

/** Says by how much the process grew at most since. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 50)
  return () => {
    clearInterval(timer)
    return Math.round((most - before) / 1e6)
  }
}
