import { takeFeedback } from '@operon/crm/email/feedback'
import { isMachine } from '@operon/crm/email/machines'
import { settleRecipients } from '@operon/crm/email/settle'
import { decideSubjects, startScheduled } from '@operon/crm/email/tick'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import { inTransaction } from '@operon/kit/tx'
import { afterAll, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

const world = await emailWorld()
afterAll(() => world.platform.close())
const engine = () => ({ rt: world.platform.services.crm!.rt as any })
const signal = new AbortController().signal
const status = async (id: string) => (await world.campaign(id)).status
const becomes = (id: string, wanted: string) => vi.waitFor(async () => expect(await status(id)).toBe(wanted), { timeout: 15_000 })

test('a scheduled campaign settles its recipients when it starts, and can be taken back before', async () => {
  const { call, seller, contacts, draft, db } = world
  const ann = await seller()
  await contacts(ann, 1)
  const id = await draft(ann)
  expect((await call('schedule-campaign', ann, { campaign_id: id, at: new Date().toISOString() })).body.code).toBe('campaign_time')
  const at = new Date(Date.now() + 3_600_000).toISOString()
  expect((await call('schedule-campaign', ann, { campaign_id: id, at })).body).toEqual({ scheduled_at: at, status: 'scheduled' })
  expect((await call('update-campaign', ann, { campaign_id: id, subject: 'X' })).body.code).toBe('campaign_state')
  expect((await call('cancel-campaign', ann, { campaign_id: id })).body).toEqual({ status: 'draft' })
  await call('schedule-campaign', ann, { campaign_id: id, at })
  await call('create-contact', ann, { name: 'Later', email: `later-${newId()}@example.com` })
  await startScheduled(engine(), signal)
  expect(await status(id)).toBe('scheduled')
  await update(db, 'email_campaigns', { id }, { scheduled_at: new Date(Date.now() - 1000) })
  await startScheduled(engine(), signal)
  await becomes(id, 'sent')
  expect(await world.recipients(id)).toHaveLength(2)
})

test('paused and cancelled in the middle: nobody else is emailed, and the plan gets the rest back', async () => {
  const { call, seller, contacts, draft, db } = world
  const bo = await seller()
  await contacts(bo, 3)
  const id = await draft(bo)
  await call('update-campaign', bo, { campaign_id: id, reader_hour: (new Date().getUTCHours() + 2) % 24 })
  expect((await call('send-campaign', bo, { campaign_id: id })).body).toEqual({ recipients: 3, status: 'sending' })
  const rows = await world.recipients(id)
  // At the hour where they are: nobody's zone is known here, so in UTC.
  for (const { due_at } of rows)
    expect([due_at.getUTCHours(), due_at > new Date(), +due_at < Date.now() + 86_400_000]).toEqual([
      (new Date().getUTCHours() + 2) % 24,
      true,
      true,
    ])
  expect((await call('pause-campaign', bo, { campaign_id: id })).body).toEqual({ status: 'paused' })
  await update(db, 'email_recipients', { id: rows[0].id }, { due_at: new Date(0) })
  expect((await call('resume-campaign', bo, { campaign_id: id })).body).toEqual({ status: 'sending' })
  await vi.waitFor(async () => expect((await world.campaign(id)).sent_count).toBe(1), { timeout: 15_000 })
  expect((await call('cancel-campaign', bo, { campaign_id: id })).body).toEqual({ status: 'cancelled' })
  expect((await call('get-campaign', bo, { campaign_id: id })).body.counts).toEqual({
    recipients: 3,
    waiting: 0,
    sent: 1,
    unknown: 0,
    failed: 0,
    skipped: 2,
  })
  expect((await call('email-status', bo)).body.emails).toEqual({ used: 1, reserved: 0, limit: 3000 })
})

test('the zone that a guest booked in says when their hour is', async () => {
  const { call, seller, draft, db } = world
  const cy = await seller()
  const email = `tokyo-${newId()}@example.com`
  await call('create-contact', cy, { name: 'Tokyo', email })
  const starts = new Date(Date.now() + 86_400_000)
  const ends = new Date(+starts + 1_800_000)
  await insert(db, 'bookings', {
    ...{
      id: newId(),
      user_id: cy.id,
      title: 'Call',
      starts_at: starts,
      ends_at: ends,
      state: 'confirmed',
      guest_email: email,
      guest_zone: 'Asia/Tokyo',
    },
    during: `[${starts.toISOString()},${ends.toISOString()})`,
  })
  const id = await draft(cy)
  await call('update-campaign', cy, { campaign_id: id, reader_hour: 9 })
  await call('send-campaign', cy, { campaign_id: id })
  const [{ due_at }] = await world.recipients(id)
  // Nine in Tokyo is midnight in UTC.
  expect(due_at.getUTCHours()).toBe(0)
})

test('a share gets two subjects, and the rest the one that was clicked more', async () => {
  const { call, seller, contacts, draft, mails, db } = world
  const di = await seller()
  await contacts(di, 10)
  const id = await draft(di, { subject: 'Plain' })
  await call('update-campaign', di, { campaign_id: id, ab: { subject: 'Better', share_percent: 40, after_hours: 1 } })
  await call('send-campaign', di, { campaign_id: id })
  await vi.waitFor(async () => expect((await world.campaign(id)).sent_count).toBe(4), { timeout: 15_000 })
  const rows = await world.recipients(id)
  expect(['a', 'b', null].map((variant) => rows.filter((row: any) => row.variant === variant).length)).toEqual([2, 2, 6])
  const fan = rows.find((row: any) => row.variant === 'b')
  await db.transaction().execute((trx: any) => takeFeedbackIn(trx, fan.id))
  await decideSubjects(engine(), signal)
  expect((await world.campaign(id)).winner).toBeNull()
  await update(db, 'email_campaigns', { id }, { decide_at: new Date(0) })
  await decideSubjects(engine(), signal)
  await becomes(id, 'sent')
  expect((await world.recipients(id)).filter((row: any) => row.variant === 'b')).toHaveLength(8)
  expect((await call('campaign-report', di, { campaign_id: id })).body.variants).toEqual([
    { subject: 'Plain', sent: 2, opened: 0, clicked: 0, winner: false },
    { subject: 'Better', sent: 8, opened: 1, clicked: 1, winner: true },
  ])
  const [mail] = await mails(rows.find((row: any) => row.variant === null).email)
  expect(mail!.subject).toBe('Better')
})
async function takeFeedbackIn(_trx: unknown, id: string) {
  const { inTransaction } = await import('@operon/kit/tx')
  await inTransaction(world.platform.services.crm!.rt.db, (trx: any) =>
    takeFeedback(trx, id, { kind: 'clicked', url: 'https://menu.example/spring' }),
  )
}

test('a segment is a tree of conditions over contacts and what they did', async () => {
  const { call, seller, db } = world
  const ed = await seller()
  const add = async (name: string, more: object) =>
    (await call('create-contact', ed, { name, email: `${name}-${newId()}@example.com`, ...more })).body.contact_id
  await add('vip', { tags: ['vip'] })
  await add('won', { status: 'won' })
  const old = await add('old', { tags: ['vip', 'old'] })
  await update(db, 'leads', { id: old }, { created_at: new Date(Date.now() - 40 * 86_400_000), hot_until: new Date() })
  const names = async (tree: object) => (await call('preview-segment', ed, { tree })).body.first.map(({ name }: any) => name).sort()
  expect(await names({})).toEqual(['old', 'vip', 'won'])
  expect(
    await names({
      conditions: [
        { field: 'tag', is: 'has', value: 'vip' },
        { field: 'tag', is: 'has_not', value: 'old' },
      ],
    }),
  ).toEqual(['vip'])
  expect(
    await names({
      match: 'any',
      conditions: [
        { field: 'status', is: 'is', value: 'won' },
        { field: 'created', is: 'before_days', value: 30 },
      ],
    }),
  ).toEqual(['old', 'won'])
  expect(await names({ conditions: [{ field: 'temperature', is: 'is', value: 'hot' }] })).toEqual(['old'])
  const nested = {
    match: 'all',
    conditions: [
      {
        match: 'any',
        conditions: [
          { field: 'tag', is: 'has', value: 'vip' },
          { field: 'status', is: 'is', value: 'won' },
        ],
      },
      { field: 'created', is: 'within_days', value: 30 },
    ],
  }
  expect(await names(nested)).toEqual(['vip', 'won'])
  const { field_id } = (await call('create-contact-field', ed, { name: 'Seats', kind: 'number' })).body
  const big = await add('big', { fields: { [field_id]: 40 } })
  const own = (is: string, value: unknown) => names({ conditions: [{ field: 'own', is, id: field_id, value }] })
  expect([await own('is', 40), await own('is', 4), await own('is_not', 40)]).toEqual([['big'], [], ['old', 'vip', 'won']])
  await call('delete-contact', ed, { contact_id: big })
  const injection = "x' or true --"
  expect(await names({ conditions: [{ field: 'source', is: 'is', value: injection }] })).toEqual([])
  const { segment_id } = (await call('save-segment', ed, { name: 'VIPs', tree: nested })).body
  expect((await call('preview-segment', ed, { segment_id })).body.contacts).toBe(2)
  expect((await call('preview-segment', await seller(), { segment_id })).status).toBe(404)
})

test('one email by a program: once under a key, never to an address that bounced, counted by the plan', async () => {
  const { call, seller, mails, platform } = world
  const fay = await seller()
  const to = `receipt-${newId()}@example.com`
  const send = async (body: object, key: string) =>
    (await (
      await fetch(`${platform.url('crm')}/functions/v1/send-email`, {
        method: 'POST',
        headers: { ...fay.headers, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ to, subject: 'Your receipt', text: 'Hello {{ first_name }}, thank you.', name: 'Fay Weber', ...body }),
      })
    ).json()) as any
  // The person approves the email itself.
  const given = { to, subject: 'Your receipt', text: 'Hello {{ first_name }}, thank you.', name: 'Fay Weber' }
  expect((await call('preview-email', fay, given)).body).toMatchObject({
    to,
    subject: 'Your receipt',
    text: expect.stringContaining('Hello Fay, thank you.'),
  })
  const key = newId()
  const first = await send({}, key)
  expect(first.state).toBe('sent')
  expect(await send({}, key)).toEqual(first)
  const found = await mails(to)
  expect(found.map(({ text }) => text.includes('Hello Fay, thank you.'))).toEqual([true])
  expect(found[0]!.headers['list-unsubscribe']).toBeUndefined()
  expect((await call('email-status', fay)).body.emails.used).toBe(1)
  await call('add-suppression', fay, { email: to })
  expect((await send({}, newId())).code).toBe('address_suppressed')
  expect((await call('preview-email', fay, given)).body.code).toBe('address_suppressed')
  expect((await call('send-test-campaign', fay, { campaign_id: await world.draft(fay) })).body).toEqual({ to: fay.email })
  const [test] = await mails(fay.email)
  expect(test!.subject).toBe('[Test] Hello')
})

test('what is doubtful counts as a machine', () => {
  const chrome = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
  const minute = new Date(Date.now() - 60_000)
  expect(isMachine({ userAgent: chrome, sentAt: minute })).toBe(false)
  expect(isMachine({ userAgent: `${chrome} (via ggpht.com GoogleImageProxy)`, sentAt: minute })).toBe(false)
  for (const userAgent of ['', 'Mozilla/5.0', 'curl/8.5', 'Mimecast', `${chrome} YahooMailProxy`, 'Slackbot 1.0'])
    expect([userAgent, isMachine({ userAgent, sentAt: minute })]).toEqual([userAgent, true])
  expect(isMachine({ userAgent: chrome, sentAt: new Date() })).toBe(true)
  expect(isMachine({ userAgent: chrome, method: 'HEAD', sentAt: minute })).toBe(true)
  expect(isMachine({ userAgent: chrome, purpose: 'prefetch', sentAt: minute })).toBe(true)
})

test('each wait for a server that is away is twice the last, at most an hour, and the tenth try is the last', async () => {
  const { seller, contacts, draft, call, db } = world
  const cleo = await seller()
  await contacts(cleo, 1)
  const id = await draft(cleo)
  await call('update-campaign', cleo, { campaign_id: id, reader_hour: (new Date().getUTCHours() + 2) % 24 })
  await call('send-campaign', cleo, { campaign_id: id })
  const [{ id: recipient }] = (await world.recipients(id)) as [{ id: string }]
  const minutes: (number | string)[] = []
  for (const attempts of [1, 2, 6, 9, 10]) {
    await update(db, 'email_recipients', { id: recipient }, { state: 'sending', attempts })
    const given = [{ id: recipient, state: 'waiting' as const, reason: 'busy', afterMs: 60_000 }]
    await inTransaction(db, async (trx: any) => settleRecipients(trx, (await world.campaign(id)) as any, given))
    const [{ state, due_at }] = (await world.recipients(id)) as [{ state: string; due_at: Date }]
    minutes.push(state === 'waiting' ? Math.round((+due_at - Date.now()) / 60_000) : state)
  }
  expect(minutes).toEqual([1, 2, 32, 60, 'failed'])
})

test('a campaign whose first emails are all refused is paused, and the rest go out once it is resumed [spec-134]', async () => {
  const { call, seller, contacts, draft } = world
  const dan = await seller()
  const addresses = await contacts(dan, 15)
  const id = await draft(dan)
  for (const account of addresses) await world.platform.fault({ provider: 'smtp', kind: 'status', status: 554, account, times: 1 })
  await call('send-campaign', dan, { campaign_id: id })
  await becomes(id, 'paused')
  const { reason, failed_count, sent_count } = await world.campaign(id)
  expect(reason).toMatch(/^The first 1[0-4] emails of a batch were refused: .*\. Check the email and its sender, then resume\.$/)
  // A few go out side by side.
  expect([failed_count >= 10, failed_count < 15, sent_count]).toEqual([true, true, 0])
  for (const account of addresses) await world.platform.mend(account)
  await call('resume-campaign', dan, { campaign_id: id })
  await becomes(id, 'sent')
  expect(await world.campaign(id)).toMatchObject({ failed_count, sent_count: 15 - failed_count })
})
