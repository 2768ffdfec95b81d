import { turn } from '@operon/crm/email/engine'
import { campaignPaces } from '@operon/crm/email/pace'
import { stepSequences } from '@operon/crm/email/sequences/step'
import { openCarriers } from '@operon/crm/email/transports'
import { update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

// Nothing goes out before a test says so, so that a reader can leave between the freeze and the claim.
const world = await emailWorld({ CAMPAIGN_WORKERS: '0' })
const rt = world.platform.services.crm!.rt as any
const { db, call } = world
const carriers = openCarriers(rt)
afterAll(async () => {
  carriers.close()
  await world.platform.close()
})

const engine = { rt, carriers, paces: campaignPaces(rt.config), leaseMs: 60_000, width: 1 }
const sendAll = (id: string) =>
  vi.waitFor(
    async () => {
      await turn(engine)
      expect((await world.campaign(id)).status).toBe('sent')
    },
    { timeout: 20_000 },
  )
const path = (link: string) => link.replace('http://localhost:8080', world.platform.url('crm'))
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = async (link: string, body: object) =>
  (await (await fetch(path(link), { method: 'POST', headers: form, body: new URLSearchParams(body as never) })).json()) as any
const pageOf = async (link: string) => (await fetch(path(link), { headers: { accept: 'text/html' } })).text()
const topic = async (user: TestUser, title: string) =>
  (await call('save-email-topic', user, { title, description: `About ${title}` })).body.topic_id as string
const preferencesOf = async (to: string) => (await world.mails(to))[0]!.links.find((link) => link.includes('/mail/preferences/'))!
const states = async (id: string) => (await world.recipients(id)).map(({ email, state, reason }: any) => [email, state, reason])
const leave = (link: string, shown: string[], kept: string[] = []) =>
  post(link, { choice: 'topics', shown: shown.join(','), ...Object.fromEntries(kept.map((id) => [`topic_${id}`, 'on'])) })

/** Two readers who have had an email with a topic. */
async function aTopic() {
  const user = await world.seller()
  const [events, offers] = [await topic(user, 'Events'), await topic(user, 'Offers')]
  const [ann, bob] = await world.contacts(user, 2)
  const first = await world.draft(user, { topic_id: events })
  await call('send-campaign', user, { campaign_id: first })
  await sendAll(first)
  return { user, events, offers, ann: ann!, bob: bob!, link: await preferencesOf(ann!) }
}

test('a reader leaves one topic and keeps the others; looking at the page changes nothing [spec-134]', async () => {
  const { user, events, offers, ann, bob, link } = await aTopic()
  const page = await pageOf(link)
  for (const said of ['Events', 'About Offers', `name="topic_${events}" checked`]) expect(page).toContain(said)
  expect(await db.selectFrom('email_topic_leavers').select('id').where('user_id', '=', user.id).execute()).toEqual([])
  expect(await leave(link, [events, offers], [offers])).toEqual({
    ok: true,
    message: 'You will get no more emails about Events from Harbour Café.',
  })
  expect((await call('list-email-topics', user)).body.topics.map(({ title, left }: any) => [title, left])).toEqual([
    ['Events', 1],
    ['Offers', 0],
  ])
  const about = async (topic_id?: string) => {
    const id = await world.draft(user, topic_id ? { topic_id } : {})
    const { body } = await call('preview-campaign', user, { campaign_id: id })
    await call('send-campaign', user, { campaign_id: id })
    return [body.recipients, body.left_out, body.left_topic, (await world.recipients(id)).map(({ email }: any) => email)]
  }
  expect(await about(events)).toEqual([1, 1, 1, [bob]])
  expect(await about(offers)).toEqual([2, 0, 0, [ann, bob].sort()])
  expect(await about()).toEqual([2, 0, 0, [ann, bob].sort()])
  expect(await pageOf(link)).toContain('You left: Events.')
})

test('whoever leaves between the freeze and the claim gets no email; one click ends the others too [spec-134]', async () => {
  const { user, events, ann, bob, link } = await aTopic()
  const id = await world.draft(user, { topic_id: events })
  await call('send-campaign', user, { campaign_id: id })
  await leave(link, [events])
  await sendAll(id)
  expect(await states(id)).toEqual([
    [ann, 'skipped', 'Left its topic'],
    [bob, 'sent', null],
  ])
  expect(await world.mails(ann)).toHaveLength(1)
  const [mail] = await world.mails(bob)
  const oneClick = /<(.*)>/.exec(mail!.headers['list-unsubscribe']!)![1]!
  await post(oneClick, { 'List-Unsubscribe': 'One-Click' })
  const none = await world.draft(user)
  expect((await call('preview-campaign', user, { campaign_id: none })).body).toMatchObject({ recipients: 1 })
})

test('a topic that was not on the page is not left, and only our letter brings topics back [spec-134] [S28]', async () => {
  const { user, events, offers, ann, link } = await aTopic()
  expect(await leave(link, [])).toMatchObject({ message: 'Nothing was changed.' })
  expect(await leave(link, [crypto.randomUUID(), 'x'])).toMatchObject({ message: 'Nothing was changed.' })
  await leave(link, [events, offers])
  const left = () => db.selectFrom('email_topic_leavers').select('email').where('user_id', '=', user.id).execute()
  expect(await left()).toHaveLength(2)
  // A tick that comes back by the link, which the account's own mail server has seen.
  await leave(link, [events], [events])
  expect(await left()).toHaveLength(2)
  await post(link, { choice: 'all' })
  const letter = await vi.waitFor(async () => {
    const found = (await world.mails(ann)).find(({ subject }) => /^Do you want emails/.test(subject))
    expect(found).toBeDefined()
    return found!
  })
  await post(letter.links.find((each) => each.includes('/mail/confirm/'))!, {})
  expect(await left()).toEqual([])
})

test('a sequence with a topic lets nobody in who has left it, and loses whoever leaves it [spec-134]', async () => {
  const { user, events, ann, bob, link } = await aTopic()
  const steps = [{ subject: 'One', text: 'Hello.', wait_minutes: 60 }]
  const { sequence_id } = (await call('create-sequence', user, { name: 'Welcome', topic_id: events, steps })).body
  const ids = Object.fromEntries(
    (await db.selectFrom('leads').select(['id', 'email']).where('user_id', '=', user.id).execute()).map(({ id, email }: any) => [
      email,
      id,
    ]),
  )
  const enter = (contact_ids: string[]) => call('add-to-sequence', user, { sequence_id, contact_ids })
  expect((await enter([ids[ann]])).body).toEqual({ added: 1, left_out: 0 })
  await leave(link, [events])
  const people = () =>
    db.selectFrom('email_sequence_people').select(['contact_id', 'state', 'reason']).where('sequence_id', '=', sequence_id).execute()
  expect(await people()).toEqual([{ contact_id: ids[ann], state: 'left', reason: 'Left its topic' }])
  expect((await call('preview-sequence-entry', user, { sequence_id, contact_ids: [ids[ann]] })).body.left_out).toEqual([
    { reason: 'Left its topic', people: 1 },
  ])
  expect((await enter([ids[ann]])).body).toEqual({ added: 0, left_out: 1 })
  // Given a topic later, the sequence looks at it when people come due.
  await enter([ids[bob]])
  await leave(await preferencesOf(bob), [events])
  await call('start-sequence', user, { sequence_id })
  await update(db, 'email_sequence_people', { sequence_id, contact_id: ids[bob] }, { state: 'waiting', reason: null, next_at: new Date() })
  await update(db, 'email_sequences', { id: sequence_id }, { due_at: new Date() })
  await stepSequences({ rt }, new AbortController().signal)
  expect((await people()).map(({ state }: any) => state)).toEqual(['left', 'left'])
})

test('an account has 20 topics of different titles, and nobody uses or deletes another’s [spec-134] [S4]', async () => {
  const { user, events } = await aTopic()
  const eve = await world.seller()
  const code = async (name: string, body: object, by = user) => (await call(name, by, body)).body.code
  expect(await code('save-email-topic', { title: 'EVENTS' })).toBe('topic_exists')
  await Promise.all(Array.from({ length: 20 }, (_, n) => call('save-email-topic', user, { title: `Topic ${n}` })))
  expect((await call('list-email-topics', user)).body.topics).toHaveLength(20)
  expect(await code('save-email-topic', { title: 'One more' })).toBe('topics_full')
  for (const [name, body] of [
    ['save-email-topic', { topic_id: events, title: 'Mine' }],
    ['delete-email-topic', { topic_id: events }],
    ['create-campaign', { name: 'x', topic_id: events }],
    ['create-sequence', { name: 'x', topic_id: events }],
  ] as const)
    expect([name, await code(name, body, eve)]).toEqual([name, 'not_found'])
  const id = await world.draft(user, { topic_id: events })
  await update(db, 'email_campaigns', { id }, { status: 'paused' })
  expect(await code('delete-email-topic', { topic_id: events })).toBe('topic_in_use')
  await update(db, 'email_campaigns', { id }, { status: 'draft' })
  expect((await call('delete-email-topic', user, { topic_id: events })).body).toEqual({ deleted: true })
  expect((await world.campaign(id)).topic_id).toBeNull()
})
