import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { claimSlug } from '@operon/contracts/marketplace/events'
import { startPostgres } from '@operon/deploy/postgres'
import { loadDefinitions } from '@operon/deploy/services'
import { openBus } from '@operon/kit/open'
import { startTestPlatform, type TestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'

const goals = { listMs: 100, slotsMs: 150 }
const columns = ['Name', 'Email', 'Phone', 'Company', 'Title', 'Tags']
const mapping = { name: 0, email: 1, phone: 2, company: 3, job_title: 4, tags: 5 }
const PIECE = 2_000

/**
 * One account's contacts and calendar, over HTTP against crm alone: a file of 100,000 rows imported, imported again and taken back, the first page
 * of the list between, and a month of free times beside 20,000 bookings.
 */
export async function benchContacts({ short }: { short: boolean }) {
  const rows = short ? 20_000 : 100_000
  const folder = mkdtempSync(join(tmpdir(), 'bench-crm-'))
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({ dataDir: join(folder, 'pg') })
  process.env.OPERON_TEST_PG = postgres.url
  const definitions = (await loadDefinitions()).filter(({ name }) => name === 'crm')
  const platform = await startTestPlatform(definitions, { RATE_READ: '100000/1s', RATE_WRITE: '100000/1s' })
  try {
    const ann = platform.user()
    const file = Array.from({ length: rows }, (_, n) => [`Person ${n}`, `p${n}@example.com`, '', `Firm ${n % 900}`, '', 'list'])
    const first = await imported(platform, ann, file)
    console.log(
      `import of ${rows}: staged ${first.staged} ms, dry run ${first.checked} ms, merged ${first.merged} ms, ${first.counts.new} new`,
    )
    await list(platform, ann, short)
    const second = await imported(platform, ann, file)
    const { new: added, changed, same } = second.counts
    told(`the same file again: dry run ${second.checked} ms, ${added} new, ${changed} changed, ${same} the same`, added + changed > 0)
    const began = performance.now()
    await call(platform, 'undo-import', { import_id: first.import_id }, ann)
    const { undone } = await state(platform, ann, first.import_id, 'undone')
    const left = (await call(platform, 'find-contacts', { limit: 10 }, ann)).contacts.length
    told(`undo: ${since(began)} ms, ${undone.removed} taken away, ${left} left`, undone.removed !== rows || left > 0)
    await slots(platform, short)
  } finally {
    await platform.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function imported(platform: TestPlatform, user: TestUser, file: string[][]) {
  let began = performance.now()
  const { import_id } = await call(platform, 'start-import', { file_name: 'people.csv', columns }, user)
  for (let from = 0; from < file.length; from += PIECE)
    await call(platform, 'stage-import', { import_id, from, rows: file.slice(from, from + PIECE) }, user)
  const staged = since(began)
  began = performance.now()
  const { counts } = await call(platform, 'check-import', { import_id, mapping, on_match: 'fill' }, user)
  const checked = since(began)
  began = performance.now()
  await call(platform, 'run-import', { import_id }, user)
  await state(platform, user, import_id, 'done')
  return { import_id, counts, staged, checked, merged: since(began) }
}

async function list(platform: TestPlatform, user: TestUser, short: boolean) {
  for (const [name, body] of [
    ['first page', { limit: 50 }],
    ['search', { limit: 50, query: 'person 77' }],
  ] as const) {
    const took: number[] = []
    for (let n = 0; n < (short ? 50 : 200); n++) {
      const began = performance.now()
      await call(platform, 'find-contacts', body, user)
      took.push(performance.now() - began)
    }
    const p95 = percentile(took, 95)
    told(`list, ${name}: p50 ${percentile(took, 50).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (goal ${goals.listMs})`, p95 > goals.listMs)
  }
}

async function slots(platform: TestPlatform, short: boolean) {
  const { infra } = platform
  const { db } = platform.services.crm!.rt
  const user = platform.user()
  // In the place of marketplace, which gives addresses.
  const bus = await openBus(infra, { service: 'marketplace', db: db as never, log: infra.log })
  bus.reply(claimSlug.name, async () => ({ slug: 'ann', name: 'Ann' }))
  await bus.start()
  const hours = Array.from({ length: 7 }, () => [{ from: 540, to: 1020 }])
  await call(platform, 'save-availability', { zone: 'Europe/Berlin', hours, exceptions: [], version: 0 }, user)
  const type = { title: 'Call', slug: 'call', minutes: 30, step_minutes: 15, notice_minutes: 0, place_kind: 'address', place: 'Here' }
  await call(platform, 'create-event-type', type, user)
  await sql`
    insert into bookings (id, user_id, title, starts_at, ends_at, during, state)
    select gen_random_uuid(), ${user.id}, 'x', at, at + interval '30 minutes', tstzrange(at, at + interval '30 minutes'), 'confirmed'
    from (select date_trunc('hour', now()) + interval '20 days' - n * interval '1 hour' as at from generate_series(1, 20000) n)`.execute(db)
  const from = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  const took: number[] = []
  for (let n = 0; n < (short ? 50 : 200); n++) {
    const began = performance.now()
    const { slots } = await call(platform, 'list-slots', { profile: 'ann', event_type: 'call', from, days: 31, zone: 'America/New_York' })
    if (slots.length < 100) throw new Error(`only ${slots.length} free times`)
    took.push(performance.now() - began)
  }
  const p95 = percentile(took, 95)
  told(`slots of 31 days: p50 ${percentile(took, 50).toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (goal ${goals.slotsMs})`, p95 > goals.slotsMs)
}

async function call(platform: TestPlatform, name: string, body: object, user?: TestUser): Promise<any> {
  const answer = await fetch(`${platform.url('crm')}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user?.headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

async function state(platform: TestPlatform, user: TestUser, import_id: string, wanted: string) {
  for (const end = Date.now() + 300_000; Date.now() < end; await delay(50)) {
    const run = await call(platform, 'show-import', { import_id }, user)
    if (run.state === wanted) return run
    if (run.state === 'failed') break
  }
  throw new Error(`the import did not become ${wanted}`)
}

const since = (began: number) => Math.round(performance.now() - began)
const told = (line: string, missed: boolean) => console.log(`${line}${missed ? '  MISSED' : ''}`)
const percentile = (values: number[], of: number) => values.toSorted((a, b) => a - b)[Math.ceil((values.length * of) / 100) - 1] ?? 0
