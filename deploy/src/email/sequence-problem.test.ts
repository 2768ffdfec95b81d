import { turn } from '@operon/crm/email/engine'
import { campaignPaces } from '@operon/crm/email/pace'
import { stepSequences } from '@operon/crm/email/sequences/step'
import { openCarriers } from '@operon/crm/email/transports'
import { update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { emailWorld } from './world.ts'

// Each try goes out when a test says so.
const world = await emailWorld({ CAMPAIGN_WORKERS: '0' })
const rt = world.platform.services.crm!.rt as any
const { db, call } = world
const carriers = openCarriers(rt)
const engine = { rt, carriers, paces: campaignPaces(rt.config), leaseMs: 60_000, width: 1 }
afterAll(async () => {
  carriers.close()
  await world.platform.close()
})

const step = () => stepSequences({ rt }, new AbortController().signal)
/** All that waits in it is due, and nothing of the other tests. */
async function send(id: string) {
  await sql`update email_campaigns set next_at = case when sequence_id = ${id} then now() else 'infinity' end`.execute(db)
  await sql`update email_recipients r set due_at = now() from email_campaigns c where c.id = r.campaign_id and c.sequence_id = ${id} and r.state = 'waiting'`.execute(
    db,
  )
  await turn(engine)
}
async function running(count: number) {
  const user = await world.seller()
  const addresses = await world.contacts(user, count)
  const steps = [{ subject: 'One', text: 'Hello.' }]
  const { sequence_id: id } = (await call('create-sequence', user, { name: 'Welcome', steps })).body
  await call('start-sequence', user, { sequence_id: id })
  const contacts: { id: string; email: string }[] = await db
    .selectFrom('leads')
    .select(['id', 'email'])
    .where('user_id', '=', user.id)
    .execute()
  const enter = async (at: number) => {
    const contact = contacts.find(({ email }) => email === addresses[at])!
    await call('add-to-sequence', user, { sequence_id: id, contact_ids: [contact.id] })
    await step()
  }
  return { user, id, addresses: addresses as [string, ...string[]], enter }
}
const order = (account: string, status: number, times = 1) =>
  world.platform.fault({ provider: 'smtp', kind: 'status', account, status, times })
const shown = async (user: TestUser, id: string) => (await call('show-sequence', user, { sequence_id: id })).body.sequence
const problem = async (user: TestUser, id: string) => (await shown(user, id)).problem?.text ?? null
const told = async (user: TestUser) =>
  (await db.selectFrom('outbox').select('payload').where('user_id', '=', user.id).where('name', '=', 'crm.sequence_failing').execute()).map(
    ({ payload }: any) => payload,
  )

test('an email of a sequence that the provider refuses is shown with its words and told once, until one goes out', async () => {
  const { user, id, addresses, enter } = await running(3)
  for (const at of [0, 1]) {
    await order(addresses[at]!, 554)
    await enter(at)
    await send(id)
  }
  expect(await shown(user, id)).toMatchObject({
    state: 'running',
    problem: {
      text: expect.stringMatching(/^Email 1 was not sent: .*ordered by the sandbox\. The people it was for left/),
      since: expect.any(String),
    },
  })
  const [listed] = (await call('list-sequences', user)).body.sequences
  expect(listed.problem.text).toContain('Email 1')
  expect(await told(user)).toEqual([{ sequence_id: id, name: 'Welcome', problem: await problem(user, id), at: expect.any(String) }])
  await enter(2)
  await send(id)
  expect(await problem(user, id)).toBeNull()
  expect((await call('show-sequence', user, { sequence_id: id })).body.people).toEqual({ in_it: 0, done: 1, left: 2 })
})

test('a server that says later is a problem from its third time on, and an address that does not exist is none', async () => {
  const { user, id, addresses, enter } = await running(2)
  await order(addresses[0], 451, 3)
  await enter(0)
  for (const _ of [1, 2]) await send(id)
  expect(await problem(user, id)).toBeNull()
  await send(id)
  expect(await problem(user, id)).toMatch(/^Email 1 is not going out: .*It is tried again automatically/)
  // Whoever resumes it has seen it.
  await call('pause-sequence', user, { sequence_id: id })
  expect(await problem(user, id)).toBeNull()
  await call('start-sequence', user, { sequence_id: id })
  expect(await problem(user, id)).toBeNull()
  await send(id)
  expect((await world.mails(addresses[0])).length).toBe(1)
  await update(db, 'leads', { user_id: user.id, email: addresses[1]! }, { email: 'no address@-@example.com' })
  await enter(1)
  await send(id)
  expect((await call('list-sequence-people', user, { sequence_id: id, state: 'left' })).body.people).toHaveLength(1)
  expect(await problem(user, id)).toBeNull()
})

test('a sender that cannot be used, and people that cannot be moved, are shown until they can', async () => {
  const { user, id, addresses, enter } = await running(2)
  const [sender] = await db.selectFrom('email_senders').selectAll().where('user_id', '=', user.id).execute()
  // As with a key of the installation that is gone.
  const broken = {
    provider: 'smtp',
    smtp_host: '127.0.0.1',
    smtp_port: 1,
    smtp_secure: false,
    smtp_user: 'x',
    smtp_password: 'v1.x',
    version: 99,
  }
  await update(db, 'email_senders', { id: sender.id }, broken)
  await enter(0)
  await expect(send(id)).rejects.toThrow()
  expect(await problem(user, id)).toContain('Its sender cannot be used')
  const { provider, version } = sender
  await update(db, 'email_senders', { id: sender.id }, { provider, version: version + 100, smtp_host: null, smtp_password: null })
  await send(id)
  expect(await problem(user, id)).toBeNull()

  await sql.raw(`alter table email_recipients add constraint no_more check (email <> '${addresses[1]}')`).execute(db)
  await enter(1)
  expect(await problem(user, id)).toContain('People could not be moved')
  await sql`alter table email_recipients drop constraint no_more`.execute(db)
  await update(db, 'email_sequences', { id }, { due_at: new Date() })
  await step()
  expect(await problem(user, id)).toBeNull()
  expect(await told(user)).toHaveLength(2)
})
