import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { addHappened } from '@operon/crm/contacts/consumers'
import { takeFeedback } from '@operon/crm/email/feedback'
import { stepSequences } from '@operon/crm/email/sequences/step'
import type { WorkerSettings } from '@operon/crm/email/worker'
import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

// A worker of its own sends, so that it can be killed.
const world = await emailWorld({ CAMPAIGN_WORKERS: '0' })
const { rt } = world.platform.services.crm!
const { db, call } = world
let settings: WorkerSettings
const children: ChildProcess[] = []
const startWorker = () => {
  const child = fork(join(import.meta.dirname, '../../../services/crm/src/email/worker.ts'), [JSON.stringify(settings)])
  children.push(child)
  return child
}
const stop = () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
}
beforeAll(async () => {
  const [smtp, pages] = await Promise.all(
    (['smtp', 'stripe'] as const).map(async (provider) => (await rt.ask(sandboxAddress, { provider })).url),
  )
  const databaseUrl = world.platform.infra.env.DATABASE_URL_CRM!
  settings = { databaseUrl, dataDir: world.platform.dataDir, smtp: smtp!, pages: pages!, leaseMs: 2_000 }
})
afterEach(stop)
afterAll(() => world.platform.close())

const signal = new AbortController().signal
const step = () => stepSequences({ rt: rt as any }, signal)
const two = [
  { subject: 'One for {{ first_name }}', text: 'See [the menu](https://menu.example/spring).' },
  { subject: 'Two for {{ first_name }}', text: 'And [the wine](https://menu.example/wine).' },
]
async function made(user: TestUser, more: object = {}, steps: object[] = two): Promise<string> {
  const { body } = await call('create-sequence', user, { name: 'Welcome', steps, ...more })
  if (!body.sequence_id) throw new Error(JSON.stringify(body))
  return body.sequence_id
}
const contactIds = async (user: TestUser) =>
  (await db.selectFrom('leads').select('id').where('user_id', '=', user.id).orderBy('id').execute()).map(
    ({ id }: { id: string }) => id,
  ) as string[]
const people = async (id: string) =>
  (await db.selectFrom('email_sequence_people').selectAll().where('sequence_id', '=', id).orderBy('contact_id').execute()) as any[]
const states = async (id: string) => (await people(id)).map(({ state }) => state)
const shown = async (user: TestUser, id: string) => (await call('show-sequence', user, { sequence_id: id })).body
const subjects = async (to: string) => (await world.mails(to)).map(({ subject }) => subject).sort()
async function submit(form_id: string, given: { email: string | undefined; consent?: boolean }) {
  const { status } = await fetch(`${world.platform.url('crm')}/functions/v1/submit-lead-form`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ form_id, name: 'Visitor', answers: [], ...given }),
  })
  expect(status).toBe(200)
}
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 100 })

test('a person gets each email of a sequence once, the next one after its wait, and counts in the figures and the plan', async () => {
  const ann = await world.seller()
  const [to] = await world.contacts(ann, 1)
  const id = await made(ann, {}, [two[0]!, { ...two[1]!, wait_minutes: 60 }])
  const [contact] = await contactIds(ann)
  const preview = await call('preview-sequence-entry', ann, { sequence_id: id, contact_ids: [contact] })
  expect(preview.body).toEqual({ name: 'Welcome', enters: 1, left_out: [], first: { subject: two[0]!.subject, at: null } })
  expect((await call('add-to-sequence', ann, { sequence_id: id, contact_ids: [contact] })).body).toEqual({ added: 1, left_out: 0 })
  await step()
  expect(await states(id)).toEqual(['waiting'])
  expect((await call('start-sequence', ann, { sequence_id: id })).body).toEqual({ state: 'running' })
  startWorker()
  await until(async () => expect(await subjects(to!)).toEqual(['One for Contact']))
  await until(async () => expect((await people(id))[0]).toMatchObject({ state: 'waiting', recipient_id: null }))
  const [before] = await people(id)
  const { steps } = await shown(ann, id)
  expect(before.step_id).toBe(steps[1].step_id)
  // The wait counts from when the email before went out.
  const [{ sent_at }] = await world.recipients(steps[0].step_id)
  expect(Math.abs(before.next_at - sent_at - 3_600_000)).toBeLessThan(5_000)
  await step()
  expect(await states(id)).toEqual(['waiting'])
  await update(db, 'email_sequence_people', { sequence_id: id }, { next_at: new Date() })
  await update(db, 'email_sequences', { id }, { due_at: new Date() })
  await until(async () => expect(await subjects(to!)).toEqual(['One for Contact', 'Two for Contact']))
  await until(async () => expect(await states(id)).toEqual(['done']))
  const [first] = await world.recipients(steps[0].step_id)
  await inTransaction(rt.db as any, (trx: any) => takeFeedback(trx, first.id, { kind: 'clicked', url: 'https://menu.example/spring' }))
  const figures = await shown(ann, id)
  expect(figures.steps.map(({ sent, opened, clicked, waiting }: any) => ({ sent, opened, clicked, waiting }))).toEqual([
    { sent: 1, opened: 1, clicked: 1, waiting: 0 },
    { sent: 1, opened: 0, clicked: 0, waiting: 0 },
  ])
  expect(figures.people).toEqual({ in_it: 0, done: 1, left: 0 })
  expect((await call('email-status', ann)).body.emails).toMatchObject({ used: 2, reserved: 0 })
  const [mail] = await world.mails(to!)
  expect(mail!.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  // No list of campaigns has its emails, and no function of campaigns sends one.
  expect((await call('find-campaigns', ann)).body.campaigns).toEqual([])
  const rows = await fetch(`${world.platform.url('crm')}/rest/v1/email_campaigns?select=id`, { headers: ann.headers })
  expect(await rows.json()).toEqual([])
  for (const name of ['send-campaign', 'cancel-campaign', 'delete-campaign'])
    expect([name, (await call(name, ann, { campaign_id: steps[0].step_id })).body.code]).toEqual([name, 'campaign_of_sequence'])
  const timeline = await db
    .selectFrom('activities')
    .select('text')
    .where('user_id', '=', ann.id)
    .where('kind', '=', 'email')
    .orderBy('id')
    .execute()
  expect(timeline).toEqual([{ text: 'Was sent Welcome, email 1' }, { text: 'Was sent Welcome, email 2' }])
}, 60_000)

test('a worker that is killed between its call and its note sends nothing twice, and the person goes on', async () => {
  const bo = await world.seller()
  const [to] = await world.contacts(bo, 1)
  const id = await made(bo)
  await call('add-to-sequence', bo, { sequence_id: id, contact_ids: await contactIds(bo) })
  await call('start-sequence', bo, { sequence_id: id })
  await step()
  const { steps } = await shown(bo, id)
  // Whoever holds the person's row holds up the note, after the call.
  await db.transaction().execute(async (trx: any) => {
    await trx.selectFrom('email_sequence_people').select('id').where('sequence_id', '=', id).forUpdate().execute()
    startWorker()
    await until(async () => {
      expect((await world.recipients(steps[0].step_id)).map(({ state }: any) => state)).toEqual(['sending'])
      expect(await subjects(to!)).toEqual(['One for Contact'])
    })
    stop()
  })
  startWorker()
  startWorker()
  await until(async () => expect(await states(id)).toEqual(['done']))
  expect(await subjects(to!)).toEqual(['One for Contact', 'Two for Contact'])
  expect((await world.recipients(steps[0].step_id)).map(({ attempts }: any) => attempts)).toEqual([1])
}, 60_000)

test('nobody who unsubscribed between two emails, was deleted or was removed gets another, and who removed them can put them back', async () => {
  const cy = await world.seller()
  const addresses = await world.contacts(cy, 4)
  const ids = await contactIds(cy)
  const id = await made(cy, {}, [two[0]!, { ...two[1]!, wait_minutes: 60 }])
  await call('add-to-sequence', cy, { sequence_id: id, contact_ids: ids })
  await call('start-sequence', cy, { sequence_id: id })
  startWorker()
  await until(async () =>
    expect((await people(id)).map(({ step_id, state }) => [step_id, state])).toEqual(ids.map(() => [expect.anything(), 'waiting'])),
  )
  await until(async () => expect((await shown(cy, id)).steps[0].sent).toBe(4))
  stop()
  const link = (await world.mails(addresses[0]!))[0]!.headers['list-unsubscribe']!.slice(1, -1).replace(
    /^https?:\/\/[^/]+/,
    world.platform.url('crm'),
  )
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect((await people(id))[0]).toMatchObject({ state: 'left', reason: 'Unsubscribed' })
  await call('delete-contact', cy, { contact_id: ids[1] })
  const removed = await call('remove-from-sequence', cy, { sequence_id: id, contact_ids: [ids[2], ids[3]] })
  expect(removed.body.removed_ids.sort()).toEqual([ids[2], ids[3]])
  expect((await call('return-to-sequence', cy, { sequence_id: id, removed_ids: [ids[3]] })).body).toEqual({ returned: 1 })
  await update(db, 'email_sequence_people', { sequence_id: id }, { next_at: new Date() })
  await update(db, 'email_sequences', { id }, { due_at: new Date() })
  startWorker()
  await until(async () => expect(await states(id)).toEqual(['left', 'left', 'left', 'done']))
  const got = await Promise.all(addresses.map(async (to) => (await subjects(to)).length))
  expect(got).toEqual([1, 1, 1, 2])
  // Back by hand: the first email they have not had.
  expect((await call('add-to-sequence', cy, { sequence_id: id, contact_ids: ids })).body).toEqual({ added: 1, left_out: 3 })
  const { left_out } = (await call('preview-sequence-entry', cy, { sequence_id: id, contact_ids: ids })).body
  expect(left_out.map(({ reason }: any) => reason).sort()).toEqual([
    'Already in it',
    'Got all of its emails',
    'Unsubscribed, bounced or stopped',
  ])
}, 60_000)

test('whoever is removed or deleted while their email waits for the engine does not get it', async () => {
  const ann = await world.seller()
  const addresses = await world.contacts(ann, 3)
  const ids = await contactIds(ann)
  const id = await made(ann, {})
  await call('start-sequence', ann, { sequence_id: id })
  await call('add-to-sequence', ann, { sequence_id: id, contact_ids: ids })
  await step()
  expect(await states(id)).toEqual(['sending', 'sending', 'sending'])
  await call('remove-from-sequence', ann, { sequence_id: id, contact_ids: [ids[0]] })
  await call('delete-contact', ann, { contact_id: ids[1] })
  startWorker()
  await until(async () => expect((await states(id)).at(-1)).toBe('done'))
  const got = await Promise.all(addresses.map(async (to) => (await subjects(to)).length))
  expect(got).toEqual([0, 0, expect.any(Number)])
  expect(got[2]).toBeGreaterThan(0)
}, 60_000)

test('an answer, a sale or a booking takes a person out of the sequences that end with it, unless it was before they entered', async () => {
  const ann = await world.seller()
  const addresses = await world.contacts(ann, 3)
  const ids = await contactIds(ann)
  const later = [two[0]!, { ...two[1]!, wait_minutes: 60 }]
  const [ends, stays] = [await made(ann, { ends_on: ['reply', 'sale'] }, later), await made(ann, { ends_on: ['booking'] }, later)]
  const since = new Date(Date.now() - 60_000)
  for (const id of [ends, stays]) {
    await call('start-sequence', ann, { sequence_id: id })
    await call('add-to-sequence', ann, { sequence_id: id, contact_ids: ids })
  }
  await step()
  startWorker()
  await until(async () => expect([await states(ends), await states(stays)]).toEqual([Array(3).fill('waiting'), Array(3).fill('waiting')]))
  const happens = (n: number, kind: 'sale' | 'open', at: Date) =>
    inTransaction(rt.db as any, (trx: any) => addHappened(trx, ann.id, { contactId: ids[n]!, kind, text: 'It happened', at }))
  await happens(2, 'sale', since)
  await happens(2, 'open', new Date())
  expect(await states(ends)).toEqual(['waiting', 'waiting', 'waiting'])
  await happens(1, 'sale', new Date())
  // An answer arrives as an event.
  const [answered] = (await world.recipients((await shown(ann, ends)).steps[0].step_id)).filter(({ email }: any) => email === addresses[0])
  await inTransaction(rt.db as any, (trx: any) => takeFeedback(trx, answered.id, { kind: 'replied' }))
  await until(async () => expect(await states(ends)).toEqual(['left', 'left', 'waiting']))
  expect((await people(ends)).map(({ reason }) => reason)).toEqual(['Answered an email', 'Bought something', null])
  expect(await states(stays)).toEqual(['waiting', 'waiting', 'waiting'])
  expect((await shown(ann, ends)).sequence.ends_on).toEqual(['reply', 'sale'])
  await call('update-sequence', ann, { sequence_id: ends, ends_on: [] })
  await happens(2, 'sale', new Date())
  expect((await states(ends))[2]).toBe('waiting')
}, 60_000)

test('a paused sequence sends nothing, takes people in, and loses nobody', async () => {
  const di = await world.seller()
  const addresses = await world.contacts(di, 3)
  const ids = await contactIds(di)
  const id = await made(di, { trigger: { kind: 'tag', tag: 'new' } })
  await call('start-sequence', di, { sequence_id: id })
  await call('add-to-sequence', di, { sequence_id: id, contact_ids: ids.slice(0, 2) })
  await step()
  expect(await states(id)).toEqual(['sending', 'sending'])
  expect((await call('pause-sequence', di, { sequence_id: id })).body).toEqual({ state: 'paused' })
  expect((await call('pause-sequence', di, { sequence_id: id })).body.code).toBe('sequence_state')
  startWorker()
  await call('edit-contacts', di, { contact_ids: [ids[2]], add_tags: ['new'] })
  await step()
  expect(await states(id)).toEqual(['sending', 'sending', 'waiting'])
  // The engine has looked at it: it was set aside for a minute.
  const { steps } = await shown(di, id)
  await until(async () => expect((await world.campaign(steps[0].step_id)).next_at.getTime()).toBeGreaterThan(Date.now() + 30_000))
  expect(await Promise.all(addresses.map(subjects))).toEqual([[], [], []])
  expect((await call('update-sequence', di, { sequence_id: id, steps: [{ step_id: steps[1].step_id, wait_minutes: 0 }] })).status).toBe(200)
  expect((await call('start-sequence', di, { sequence_id: id })).body).toEqual({ state: 'running' })
  await until(async () => expect(await states(id)).toEqual(['done', 'done', 'done']))
  for (const to of addresses) expect(await subjects(to)).toEqual(['Two for Contact'])
  expect((await call('delete-sequence', di, { sequence_id: id })).body.code).toBe('sequence_state')
}, 60_000)

test('twenty calls at once put a person into a sequence once, and two steppers move them once', async () => {
  const ed = await world.seller()
  await world.contacts(ed, 1)
  const ids = await contactIds(ed)
  const id = await made(ed)
  await call('start-sequence', ed, { sequence_id: id })
  const all = await Promise.all(Array.from({ length: 20 }, () => call('add-to-sequence', ed, { sequence_id: id, contact_ids: ids })))
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
  expect(all.reduce((sum, { body }) => sum + body.added, 0)).toBe(1)
  await Promise.all(Array.from({ length: 6 }, step))
  expect(await states(id)).toEqual(['sending'])
  const { steps } = await shown(ed, id)
  expect((await world.campaign(steps[0].step_id)).recipients).toBe(1)
})

test('another account sees and changes nothing of a sequence, and puts nobody of its own into it', async () => {
  const [fay, gil] = [await world.seller(), await world.seller()]
  await world.contacts(fay, 1)
  await world.contacts(gil, 1)
  const id = await made(fay)
  const [mine, theirs] = [await contactIds(fay), await contactIds(gil)]
  const { steps } = await shown(fay, id)
  const tries: [string, object][] = [
    ['show-sequence', {}],
    ['update-sequence', { name: 'Mine' }],
    ['start-sequence', {}],
    ['pause-sequence', {}],
    ['delete-sequence', {}],
    ['list-sequence-people', {}],
    ['preview-sequence-entry', { contact_ids: theirs }],
    ['add-to-sequence', { contact_ids: theirs }],
    ['remove-from-sequence', { contact_ids: mine }],
    ['return-to-sequence', { removed_ids: mine }],
  ]
  for (const [name, body] of tries)
    expect([name, (await call(name, gil, { sequence_id: id, ...body })).body.code]).toEqual([name, 'not_found'])
  expect((await call('list-sequences', gil)).body.sequences).toEqual([])
  expect((await call('update-campaign', gil, { campaign_id: steps[0].step_id, subject: 'Mine' })).body.code).toBe('not_found')
  expect((await call('add-to-sequence', fay, { sequence_id: id, contact_ids: theirs })).body).toEqual({ added: 0, left_out: 1 })
  const foreign = await made(gil)
  const ofGil = (await shown(gil, foreign)).steps[0].step_id
  const taken = await call('update-sequence', fay, { sequence_id: id, steps: [{ step_id: ofGil, wait_minutes: 0 }] })
  expect(taken.body.code).toBe('not_found')
  const form = (await call('create-lead-form', gil, { title: 'Contact us' })).body.form_id
  expect((await call('update-sequence', fay, { sequence_id: id, trigger: { kind: 'form', form_id: form } })).body.code).toBe('not_found')
})

test('a form lets in whoever has agreed, a tag whoever is given it, and neither twice', async () => {
  const hal = await world.seller()
  const form = (await call('create-lead-form', hal, { title: 'Contact us', consent_text: 'Yes, email me', double_opt_in: false })).body
    .form_id
  const byForm = await made(hal, { name: 'Form', trigger: { kind: 'form', form_id: form } })
  const byTag = await made(hal, { name: 'Tag', trigger: { kind: 'tag', tag: 'vip' } })
  const draft = await made(hal, { name: 'Draft', trigger: { kind: 'tag', tag: 'vip' } })
  for (const id of [byForm, byTag]) await call('start-sequence', hal, { sequence_id: id })
  const [yes, no] = [`yes-${newId()}@example.com`, `no-${newId()}@example.com`]
  for (const [email, consent] of [
    [yes, true],
    [yes, true],
    [no, false],
  ] as const)
    await submit(form, { email, consent })
  expect(await states(byForm)).toEqual(['waiting'])
  const vip = (await call('create-contact', hal, { name: 'Vip', email: `vip-${newId()}@example.com`, tags: ['vip'] })).body.contact_id
  const other = (await call('create-contact', hal, { name: 'Other', email: `other-${newId()}@example.com` })).body.contact_id
  await call('update-contact', hal, { contact_id: other, tags: ['vip', 'x'] })
  await call('edit-contacts', hal, { contact_ids: [vip, other], add_tags: ['vip'] })
  expect((await people(byTag)).map(({ contact_id }) => contact_id)).toEqual([vip, other].sort())
  // Removed by hand, they are not let in by the same tag again.
  await call('remove-from-sequence', hal, { sequence_id: byTag, contact_ids: [vip] })
  await call('edit-contacts', hal, { contact_ids: [vip], remove_tags: ['vip'] })
  await call('edit-contacts', hal, { contact_ids: [vip], add_tags: ['vip'] })
  expect((await people(byTag)).find(({ contact_id }) => contact_id === vip).state).toBe('left')
  expect(await people(draft)).toEqual([])
})

test('an import puts those it gives the tag into the sequence, once, and nobody without consent', async () => {
  const lea = await world.seller()
  const form = (await call('create-lead-form', lea, { title: 'Contact us' })).body.form_id
  const [fresh, known, had, ended, typed] = ['fresh', 'known', 'had', 'ended', 'typed'].map((name) => `${name}-${newId()}@example.com`)
  await call('create-contact', lea, { name: 'Known', email: known })
  await call('create-contact', lea, { name: 'Had', email: had, tags: ['fair'] })
  await call('create-contact', lea, { name: 'Ended', email: ended })
  await call('add-suppression', lea, { email: ended })
  await submit(form, { email: typed })
  const id = await made(lea, { trigger: { kind: 'tag', tag: 'fair' } })
  await call('start-sequence', lea, { sequence_id: id })
  const rows = [
    ...[fresh, known, had, ended, typed].map((email) => ['', email, 'fair, 2026']),
    ['Nobody', '', 'fair'],
    ['', `x-${fresh}`, 'fairly'],
  ]
  const run = async () => {
    const { import_id } = (await call('start-import', lea, { file_name: 'fair.csv', columns: ['Name', 'Email', 'Tags'] })).body
    await call('stage-import', lea, { import_id, from: 0, rows })
    await call('check-import', lea, { import_id, mapping: { name: 0, email: 1, tags: 2 }, on_match: 'fill' })
    await call('run-import', lea, { import_id })
    await until(async () => expect((await call('show-import', lea, { import_id })).body.state).toBe('done'))
  }
  const inIt = async () => {
    const ids = (await people(id)).map(({ contact_id }) => contact_id)
    const all = await db.selectFrom('leads').select(['id', 'email', 'tags']).where('user_id', '=', lea.id).execute()
    expect(all.filter(({ tags }: any) => tags.includes('fair')).length).toBe(6)
    return all.flatMap(({ id, email }: any) => (ids.includes(id) ? [email] : [])).sort()
  }
  await run()
  expect(await inIt()).toEqual([fresh, known].sort())
  const before = await people(id)
  await run()
  expect(await people(id)).toEqual(before)
  // Taken out by hand, they are not let in by the next import that gives them the tag anew.
  const [left] = before
  await call('remove-from-sequence', lea, { sequence_id: id, contact_ids: [left.contact_id] })
  await call('edit-contacts', lea, { contact_ids: [left.contact_id], remove_tags: ['fair'] })
  await run()
  expect((await people(id)).map(({ state, contact_id }) => [contact_id, state])).toEqual(
    before.map(({ contact_id }) => [contact_id, contact_id === left.contact_id ? 'left' : 'waiting']),
  )
})

test('whoever sends a form that asks by email enters once they have confirmed, and not by opening the link', async () => {
  const max = await world.seller()
  const asking = { title: 'Newsletter', consent_text: 'Yes, email me', double_opt_in: true }
  const form = (await call('create-lead-form', max, asking)).body.form_id
  const id = await made(max, { trigger: { kind: 'form', form_id: form } })
  const other = await made(max, { trigger: { kind: 'form', form_id: (await call('create-lead-form', max, asking)).body.form_id } })
  for (const sequence_id of [id, other]) await call('start-sequence', max, { sequence_id })
  const [email, quiet] = [`new-${newId()}@example.com`, `quiet-${newId()}@example.com`]
  await submit(form, { email, consent: true })
  await submit(form, { email: quiet, consent: true })
  expect(await people(id)).toEqual([])
  const letter = await vi.waitFor(
    async () => {
      const found = (await world.mails(email)).find(({ links }) => links.some((link) => link.includes('/mail/confirm/')))
      expect(found).toBeDefined()
      return found!
    },
    { timeout: 20_000 },
  )
  const link = letter.links.find((each) => each.includes('/mail/confirm/'))!.replace(/^https?:\/\/[^/]+/, world.platform.url('crm'))
  for (const method of ['GET', 'HEAD']) await fetch(link, { method, headers: { accept: 'text/html' } })
  expect((await fetch(`${link}x`, { method: 'POST' })).ok).toBe(false)
  expect(await people(id)).toEqual([])
  for (const _ of [1, 2]) expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  const [contact] = await db.selectFrom('leads').select('id').where('user_id', '=', max.id).where('email', '=', email).execute()
  expect((await people(id)).map(({ contact_id, state }) => [contact_id, state])).toEqual([[contact.id, 'waiting']])
  // Known by now: the form counts at once, and lets nobody in twice.
  await submit(form, { email, consent: true })
  expect(await people(id)).toHaveLength(1)
  expect(await people(other)).toEqual([])
})

test('two contacts who are merged keep one place, and nobody gets an email of it twice', async () => {
  const ida = await world.seller()
  const addresses = await world.contacts(ida, 3)
  const ids = await contactIds(ida)
  const id = await made(ida)
  await call('add-to-sequence', ida, { sequence_id: id, contact_ids: ids.slice(0, 2) })
  expect((await call('merge-contacts', ida, { keep_id: ids[0], merge_id: ids[1] })).status).toBe(200)
  // The place of the one that goes is taken over where the other has none.
  await call('remove-from-sequence', ida, { sequence_id: id, contact_ids: [ids[0]] })
  await call('add-to-sequence', ida, { sequence_id: id, contact_ids: [ids[0]] })
  await call('start-sequence', ida, { sequence_id: id })
  startWorker()
  await until(async () => expect((await states(id)).sort()).toEqual(['done', 'left']))
  expect(await subjects(addresses[0]!)).toEqual(['One for Contact', 'Two for Contact'])
  expect(await subjects(addresses[1]!)).toEqual([])
  expect((await call('merge-contacts', ida, { keep_id: ids[2], merge_id: ids[0] })).status).toBe(200)
  expect((await people(id)).find(({ contact_id }) => contact_id === ids[2])).toMatchObject({ state: 'done' })
}, 60_000)

test('while it runs a text changes and an email is added at the end; moving and removing need a pause', async () => {
  const jo = await world.seller()
  const id = await made(jo)
  await call('start-sequence', jo, { sequence_id: id })
  const [one, other] = (await shown(jo, id)).steps as { step_id: string }[]
  const steps = (...of: object[]) => call('update-sequence', jo, { sequence_id: id, steps: of })
  const [a, b] = [
    { step_id: one!.step_id, wait_minutes: 0 },
    { step_id: other!.step_id, wait_minutes: 30 },
  ]
  expect((await steps(b, a)).body.code).toBe('sequence_running')
  expect((await steps(a)).body.code).toBe('sequence_running')
  expect((await steps(a, b, { wait_minutes: 60 })).body.code).toBe('sequence_incomplete')
  expect((await steps(a, b, { wait_minutes: 60, subject: 'Three', text: 'More.' })).status).toBe(200)
  expect((await call('update-campaign', jo, { campaign_id: a.step_id, subject: 'Better' })).status).toBe(200)
  expect((await call('update-campaign', jo, { campaign_id: a.step_id, name: 'Mine' })).body.code).toBe('campaign_of_sequence')
  expect((await shown(jo, id)).steps.map(({ subject, wait_minutes }: any) => [subject, wait_minutes])).toEqual([
    ['Better', 0],
    [two[1]!.subject, 30],
    ['Three', 60],
  ])
  // The default sender is somebody, also for an email that is added now.
  expect((await call('update-sequence', jo, { sequence_id: id, name: 'Hello', sender_id: null })).status).toBe(200)
  const senders = await db.selectFrom('email_campaigns').select('sender_id').where('sequence_id', '=', id).execute()
  expect(senders.map(({ sender_id }: any) => typeof sender_id)).toEqual(['string', 'string', 'string'])
  await call('pause-sequence', jo, { sequence_id: id })
  expect((await steps(b, a)).status).toBe(200)
  expect((await shown(jo, id)).steps.map(({ step_id }: any) => step_id)).toEqual([b.step_id, a.step_id])
  expect((await call('update-sequence', jo, { sequence_id: id, version: 1, name: 'Old' })).body.code).toBe('conflict')
  expect((await call('delete-sequence', jo, { sequence_id: id })).body).toEqual({ deleted: true })
  expect(await world.campaign(a.step_id)).toBeUndefined()
})

test('a complaint in a thousand, or a plan that is used up, pauses the sequence and says why', async () => {
  const kim = await world.seller()
  const [to] = await world.contacts(kim, 1)
  const id = await made(kim)
  await call('add-to-sequence', kim, { sequence_id: id, contact_ids: await contactIds(kim) })
  await call('start-sequence', kim, { sequence_id: id })
  await db
    .updateTable('entitlements')
    .set({ limits: JSON.stringify({ emails: 1 }) })
    .where('user_id', '=', kim.id)
    .execute()
  startWorker()
  await until(async () => expect((await shown(kim, id)).sequence.state).toBe('paused'))
  expect((await shown(kim, id)).sequence.reason).toContain('You have used all emails of your plan')
  expect(await subjects(to!)).toEqual(['One for Contact'])
  await db
    .updateTable('entitlements')
    .set({ limits: JSON.stringify({ emails: 3000 }) })
    .where('user_id', '=', kim.id)
    .execute()
  await call('start-sequence', kim, { sequence_id: id })
  await until(async () => expect(await states(id)).toEqual(['done']))
  const { steps } = await shown(kim, id)
  const [row] = await world.recipients(steps[0].step_id)
  await inTransaction(rt.db as any, (trx: any) => takeFeedback(trx, row.id, { kind: 'complained' }))
  expect((await shown(kim, id)).sequence).toMatchObject({ state: 'paused', reason: expect.stringContaining('marked it as spam') })
}, 60_000)
