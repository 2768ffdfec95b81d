import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { WorkerSettings } from '@operon/crm/email/worker'
import { update } from '@operon/kit/testing/rows'
import { sql } from 'kysely'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

// CAMPAIGN_RECIPIENTS makes it a larger one.
const RECIPIENTS = Number(process.env.CAMPAIGN_RECIPIENTS ?? 2_000)
const KILLS = 20

// The service itself leaves the sending to those that are killed.
const world = await emailWorld({ CAMPAIGN_WORKERS: '0' })
const { rt } = world.platform.services.crm!
const [smtp, pages] = await Promise.all(
  (['smtp', 'stripe'] as const).map(async (provider) => (await rt.ask(sandboxAddress, { provider })).url),
)
const settings: WorkerSettings = {
  databaseUrl: world.platform.infra.env.DATABASE_URL_CRM!,
  dataDir: world.platform.dataDir,
  smtp: smtp!,
  pages: pages!,
  leaseMs: 3_000,
}
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => world.platform.close())

const start = () => children.push(fork(join(import.meta.dirname, '../../../services/crm/src/email/worker.ts'), [JSON.stringify(settings)]))

/** How often the sandbox took each email, by the recipient's id. */
async function truth(): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  for (let after = 0; ; ) {
    const { truth: lines } = (await (
      await fetch(`${world.platform.url('sandbox')}/sandbox/api/truth?provider=smtp&kind=mail&after=${after}`)
    ).json()) as { truth: { n: number; message_id: string }[] }
    if (lines.length === 0) return times
    for (const { message_id } of lines) {
      const id = message_id.slice(1, message_id.indexOf('@'))
      times.set(id, (times.get(id) ?? 0) + 1)
    }
    after = lines.at(-1)!.n
  }
}

test(`${RECIPIENTS} recipients through ${KILLS} kills of every sender: each gets the email at most once, and what is not known is listed [spec-134]`, async () => {
  const { db, seller, draft, call, campaign } = world
  const ann = await seller('enterprise')
  await sql`
    insert into leads (id, user_id, name, email, status, source)
    select uuidv7(), ${ann.id}, 'Contact ' || n, 'c' || n || '@example.com', 'new', 'import' from generate_series(1, ${RECIPIENTS}) n`.execute(
    db,
  )
  const id = await draft(ann)
  expect((await call('send-campaign', ann, { campaign_id: id })).body).toMatchObject({ recipients: RECIPIENTS })
  const state = async () => (await campaign(id)) as { sent_count: number; unknown_count: number; status: string }
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = (await state()).sent_count
    start()
    start()
    // Somewhere in the middle of a batch, once something has gone out.
    await vi.waitFor(async () => expect((await state()).sent_count).toBeGreaterThan(before), { timeout: 30_000, interval: 20 })
    await delay((kill * 37) % 200)
    for (const child of children.splice(0)) child.kill('SIGKILL')
    // No more than a share goes out between two kills, so that all of them hit a campaign that is being sent.
    if ((await state()).status !== 'sending') break
  }
  const { status } = await state()
  const killedWhileSending = status === 'sending'
  start()
  await vi.waitFor(async () => expect((await state()).status).toBe('sent'), { timeout: 60_000 + RECIPIENTS * 20, interval: 250 })
  for (const child of children.splice(0)) child.kill('SIGKILL')
  const times = await truth()
  expect([...times.values()].filter((count) => count > 1)).toEqual([])
  const rows = (await db.selectFrom('email_recipients').select(['id', 'state']).where('campaign_id', '=', id).execute()) as {
    id: string
    state: string
  }[]
  const of = (wanted: string) => rows.filter(({ state: is }) => is === wanted)
  // Each recipient who is said to have it has it; each who has it is said to, or is listed as not known.
  expect(of('sent').filter((row) => !times.has(row.id))).toEqual([])
  expect(rows.filter((row) => times.has(row.id) && row.state !== 'sent' && row.state !== 'unknown')).toEqual([])
  expect(of('sent').length + of('unknown').length).toBe(RECIPIENTS)
  const { sent_count, unknown_count } = await state()
  expect([sent_count, unknown_count]).toEqual([of('sent').length, of('unknown').length])
  const listed = (await call('list-recipients', ann, { campaign_id: id, filter: 'unknown', limit: 200 })).body.recipients
  expect(listed.length).toBe(Math.min(200, of('unknown').length))
  expect(killedWhileSending).toBe(true)
  console.log(JSON.stringify({ recipients: RECIPIENTS, sent: sent_count, unknown: unknown_count, arrived: times.size }))
}, 600_000)

test('a server that takes an email and hangs up is looked up and never sent to again; what it surely refused goes again', async () => {
  const { seller, contacts, draft, call, campaign, platform } = world
  const bo = await seller()
  const [lost, later] = await contacts(bo, 2)
  const order = (fault: object) => platform.fault({ provider: 'smtp', times: 1, ...fault })
  await order({ account: lost, kind: 'reset_after' })
  await order({ account: later, kind: 'status', status: 451 })
  const id = await draft(bo)
  await call('send-campaign', bo, { campaign_id: id })
  start()
  const rows = () => world.recipients(id)
  await vi.waitFor(async () => expect((await rows()).map(({ state }: any) => state)).toEqual(['unknown', 'waiting']), {
    timeout: 20_000,
    interval: 50,
  })
  await world.db
    .updateTable('email_recipients')
    .set({ look_at: new Date() })
    .where('campaign_id', '=', id)
    .where('state', '=', 'unknown')
    .execute()
  await world.db
    .updateTable('email_recipients')
    .set({ due_at: new Date() })
    .where('campaign_id', '=', id)
    .where('state', '=', 'waiting')
    .execute()
  await update(world.db, 'email_campaigns', { id }, { next_at: new Date() })
  await vi.waitFor(async () => expect((await campaign(id)).sent_count).toBe(2), { timeout: 20_000 })
  expect((await campaign(id)).unknown_count).toBe(0)
  const times = await truth()
  expect((await rows()).map((row: any) => times.get(row.id))).toEqual([1, 1])
}, 60_000)
