import { createHmac } from 'node:crypto'
import { clickToken } from '@operon/crm/email/links'
import { newId } from '@operon/kit/ids'
import { insert, update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { emailWorld, type Mail } from './world.ts'

const world = await emailWorld()
afterAll(() => world.platform.close())

const ended = (id: string) => vi.waitFor(async () => expect((await world.campaign(id)).status).toBe('sent'), { timeout: 15_000 })
const browser = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15'
const path = (link: string) => link.replace('http://localhost:8080', world.platform.url('crm'))
const open = (link: string, headers: Record<string, string> = { 'user-agent': browser }, method = 'GET') =>
  fetch(path(link), { method, headers, redirect: 'manual' })
const linkOf = ({ links, html }: Mail, what: string) =>
  links.find((link) => link.includes(what)) ?? new RegExp(`src="([^"]*${what}[^"]*)"`).exec(html)![1]!.replaceAll('&amp;', '&')
const consentOf = async (user: TestUser, address: string) =>
  world.db
    .selectFrom('consents')
    .select(['state', 'evidence'])
    .where('user_id', '=', user.id)
    .where('address', '=', address)
    .executeTakeFirst()

/** A campaign that went out a while ago, so that nobody is as fast as a scanner. */
async function sentTo(count: number, more: object = {}) {
  const user = await world.seller()
  const addresses = await world.contacts(user, count)
  const id = await world.draft(user, more)
  await world.call('send-campaign', user, { campaign_id: id })
  await ended(id)
  await update(world.db, 'email_recipients', { campaign_id: id }, { sent_at: new Date(Date.now() - 60_000) })
  const mails = await Promise.all(addresses.map(async (address) => (await world.mails(address))[0]!))
  return { user, id, addresses, mails, report: async () => (await world.call('campaign-report', user, { campaign_id: id })).body }
}

test('opening the unsubscribe link changes nothing; one POST ends it, and the next campaign leaves them out [spec-134]', async () => {
  const { user, addresses, mails, report } = await sentTo(2)
  const link = linkOf(mails[0]!, '/mail/unsubscribe/')
  expect(mails[0]!.headers['list-unsubscribe']).toBe(`<${link}>`)
  for (const method of ['GET', 'HEAD']) expect((await open(link, { accept: 'text/html' }, method)).status).toBe(200)
  expect(await consentOf(user, addresses[0]!)).toBeUndefined()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await fetch(path(link), { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' })
  expect(posted.status).toBe(200)
  expect(await consentOf(user, addresses[0]!)).toEqual({ state: 'withdrawn', evidence: 'Unsubscribed from Spring news' })
  expect(await report()).toMatchObject({ unsubscribed: 1 })
  const again = await world.draft(user)
  expect((await world.call('preview-campaign', user, { campaign_id: again })).body).toMatchObject({ recipients: 1, left_out: 1 })
  await world.call('send-campaign', user, { campaign_id: again })
  await ended(again)
  expect((await world.recipients(again)).map(({ email }: any) => email)).toEqual([addresses[1]])
  // Only the person takes it back: by the preferences, not by the owner's hand.
  expect((await world.call('remove-suppression', user, { email: addresses[0] })).body.code).toBe('suppression_theirs')
  expect((await world.call('remove-suppression', world.platform.user(), { email: addresses[0] })).body.code).toBe('not_found')
  const preferences = linkOf(mails[0]!, '/mail/preferences/')
  expect(await (await open(preferences, { accept: 'text/html' })).text()).toContain('Subscribe again')
  // The account's own mail server saw that link, so it proves nothing. The platform asks by a letter of its own.
  await fetch(path(preferences), { method: 'POST', headers: form, body: 'choice=all' })
  expect(await consentOf(user, addresses[0]!)).toMatchObject({ state: 'withdrawn' })
  const letter = await vi.waitFor(async () => {
    const found = (await world.mails(addresses[0]!)).find(({ subject }) => /^Do you want emails/.test(subject))
    expect(found).toBeDefined()
    return found!
  })
  await fetch(path(linkOf(letter, '/mail/confirm/')), { method: 'POST' })
  expect(await consentOf(user, addresses[0]!)).toMatchObject({ state: 'given' })
})

test('people and machines are told apart, each counts once, and the contact hears of it', async () => {
  const { user, id, mails, report, addresses } = await sentTo(2)
  const pixel = linkOf(mails[0]!, '/mail/open/')
  await open(pixel, { 'user-agent': 'Mozilla/5.0' })
  expect(await report()).toMatchObject({ opened: 0, machine_opened: 1 })
  for (const _ of [1, 2]) await open(pixel)
  expect(await report()).toMatchObject({ opened: 1, machine_opened: 1, clicked: 0 })
  const click = linkOf(mails[0]!, '/mail/click')
  await open(click, { 'user-agent': 'Barracuda Sentinel' })
  expect(await report()).toMatchObject({ clicked: 0 })
  for (const _ of [1, 2]) {
    const led = await open(click)
    expect([led.status, led.headers.get('location')]).toEqual([302, 'https://menu.example/spring'])
  }
  // Pictures are held back, and the click says that it was opened.
  await open(linkOf(mails[1]!, '/mail/click'))
  expect(await report()).toMatchObject({ opened: 2, clicked: 2, links: [{ url: 'https://menu.example/spring', people: 2 }] })
  const events = await world.db
    .selectFrom('outbox')
    .select('name')
    .where('user_id', '=', user.id)
    .where('name', 'like', 'crm.mail_%')
    .execute()
  expect(events.map(({ name }: any) => name).sort()).toEqual(['crm.mail_clicked', 'crm.mail_clicked', 'crm.mail_opened', 'crm.mail_opened'])
  const contactId = (await world.recipients(id)).find(({ email }: any) => email === addresses[0]).contact_id
  await vi.waitFor(async () => {
    const { activities } = (await world.call('show-contact', user, { contact_id: contactId })).body
    expect(activities.map(({ kind }: any) => kind).sort()).toEqual(['click', 'email', 'open'])
  })
})

test('a follow-up goes to those who got the campaign and have not opened it by then [spec-134]', async () => {
  const { user, id, mails, addresses } = await sentTo(3)
  await world.contacts(user, 4)
  await open(linkOf(mails[0]!, '/mail/open/'))
  const { body } = await world.call('follow-up-campaign', user, { campaign_id: id })
  // After the draft was made, and before it is sent.
  await open(linkOf(mails[1]!, '/mail/click'))
  const made = await world.campaign(body.campaign_id)
  expect(made).toMatchObject({ name: 'Follow-up: Spring news', status: 'draft', subject: 'Hello {{ first_name }}' })
  await world.call('send-campaign', user, { campaign_id: body.campaign_id })
  await ended(body.campaign_id)
  expect((await world.recipients(body.campaign_id)).map(({ email }: any) => email)).toEqual([addresses[2]])
  expect((await world.call('follow-up-campaign', user, { campaign_id: await world.draft(user) })).body.code).toBe('campaign_state')
  expect((await world.call('follow-up-campaign', await world.seller(), { campaign_id: id })).body.code).toBe('not_found')
})

test('a link that was altered leads nowhere: neither another address nor another recipient [spec-134]', async () => {
  const { mails, id, report } = await sentTo(1)
  const token = new URL(linkOf(mails[0]!, '/mail/click')).searchParams.get('token')!
  const [recipient, , mac] = token.split('.')
  const evil = Buffer.from('https://evil.example/').toString('base64url')
  const { vault } = world.platform.services.crm!.rt
  const forged = [
    `${recipient}.${evil}.${mac}`,
    `${newId()}.${token.split('.')[1]}.${mac}`,
    token.slice(0, -2),
    // Well signed, of nobody.
    clickToken(vault, newId(), 'https://evil.example/'),
    'x',
    '',
  ]
  for (const each of forged) {
    const answer = await open(`http://localhost:8080/mail/click?token=${encodeURIComponent(each)}`)
    expect([each, answer.status, answer.headers.get('location')]).toEqual([each, 404, null])
  }
  const unsubscribe = linkOf(mails[0]!, '/mail/unsubscribe/').split('/').at(-1)!
  // One purpose's link is no other's.
  for (const at of ['preferences', 'confirm']) expect((await open(`http://localhost:8080/mail/${at}/${unsubscribe}`)).status).toBe(404)
  expect((await open(`http://localhost:8080/mail/open/${unsubscribe}`)).status).toBe(200)
  expect(await report()).toMatchObject({ opened: 0, clicked: 0 })
  expect((await world.campaign(id)).unsubscribed_count).toBe(0)
})

test('signed webhooks bounce, complain and pause; unsigned ones, others’ and repeated ones change nothing', async () => {
  const { user, id, addresses } = await sentTo(3)
  const { db, platform, call } = world
  const secret = 'whsec-of-mailersend'
  const [{ id: sender }] = await db.selectFrom('email_senders').select('id').where('user_id', '=', user.id).execute()
  await call('save-sender', user, {
    sender_id: sender,
    provider: 'sandbox',
    name: 'H',
    email: 'news@harbour.example',
    webhook_secret: secret,
  })
  const rows = await world.recipients(id)
  const hint = (type: string, tag: string, hintId = newId()) =>
    JSON.stringify({ type, data: { id: hintId, email: { tags: [tag] }, morph: { reason: 'No such user' } } })
  const send = (body: string, key = secret, to = sender) =>
    fetch(`${platform.url('crm')}/webhooks/mailersend/${to}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', signature: createHmac('sha256', key).update(body).digest('hex') },
      body,
    })
  const bounce = hint('activity.hard_bounced', rows[0].id)
  expect((await send(bounce, 'another')).status).toBe(400)
  expect((await send(bounce, secret, newId())).status).toBe(400)
  expect(await consentOf(user, rows[0].email)).toBeUndefined()
  for (const taken of [1, 0]) expect(await (await send(bounce)).json()).toEqual({ taken })
  expect(await consentOf(user, rows[0].email)).toEqual({ state: 'bounced', evidence: 'Spring news bounced: No such user' })
  expect((await world.campaign(id)).bounced_count).toBe(1)
  // A recipient of somebody else, under one's own good signature.
  const other = await sentTo(1)
  const [foreign] = await world.recipients(other.id)
  expect(await (await send(hint('activity.spam_complaint', foreign.id))).json()).toEqual({ taken: 0 })
  expect(await consentOf(other.user, foreign.email)).toBeUndefined()
  // The third soft bounce of an address is one too many.
  const softly = async (campaign: string) =>
    send(hint('activity.soft_bounced', (await world.recipients(campaign)).find(({ email }: any) => email === addresses[1]).id))
  await softly(id)
  for (const times of [2, 3]) {
    expect(await consentOf(user, addresses[1]!)).toBeUndefined()
    const next = await world.draft(user, { name: `Round ${times}` })
    await call('send-campaign', user, { campaign_id: next })
    await ended(next)
    await softly(next)
  }
  expect(await consentOf(user, addresses[1]!)).toMatchObject({ state: 'bounced', evidence: 'Three emails could not be delivered' })
  // A complaint pauses what is being sent.
  await update(db, 'email_campaigns', { id }, { status: 'sending', next_at: new Date(Date.now() + 60_000) })
  await send(hint('activity.spam_complaint', rows[2].id))
  expect(await world.campaign(id)).toMatchObject({ status: 'paused', complained_count: 1 })
  expect(await consentOf(user, rows[2].email)).toMatchObject({ state: 'complained' })
})

test('an address is asked for consent once a day, and agrees by its own button', async () => {
  const user = await world.seller()
  const email = `ask-${newId()}@example.com`
  expect((await world.call('ask-opt-in', user, { email })).body).toEqual({ asked: true })
  expect((await world.call('ask-opt-in', user, { email })).body.code).toBe('opt_in_asked')
  await vi.waitFor(async () => expect(await world.mails(email)).toHaveLength(1))
  const link = linkOf((await world.mails(email))[0]!, '/mail/confirm/')
  expect((await open(link, { accept: 'text/html' })).status).toBe(200)
  expect(await consentOf(user, email)).toBeUndefined()
  expect((await fetch(path(link), { method: 'POST' })).status).toBe(200)
  expect(await consentOf(user, email)).toEqual({ state: 'given', evidence: 'Confirmed by the link in an email' })
})

test('an address that does not answer is asked three times, and never again once it wants no more requests; a yes begins anew [S28]', async () => {
  const user = await world.seller()
  const ask = async (email: string) => {
    // A day later.
    await world.db
      .updateTable('email_opt_ins')
      .set({ asked_at: new Date(0) })
      .where('user_id', '=', user.id)
      .execute()
    const { body } = await world.call('ask-opt-in', user, { email })
    return body.code ?? body.asked
  }
  const letters = (email: string, count: number) =>
    vi.waitFor(async () => {
      const mails = await world.mails(email)
      expect(mails).toHaveLength(count)
      return mails[0]!
    })
  const silent = `silent-${newId()}@example.com`
  expect([await ask(silent), await ask(silent), await ask(silent), await ask(silent)]).toEqual([true, true, true, 'opt_in_enough'])
  const letter = await letters(silent, 3)
  // The asks of one account say nothing of another's.
  const another = await world.seller()
  const first = await world.call('ask-opt-in', another, { email: silent })
  const second = await world.call('ask-opt-in', another, { email: silent })
  expect([first.body.asked, second.body.code]).toEqual([true, 'opt_in_asked'])
  await fetch(path(linkOf(letter, '/mail/confirm/')), { method: 'POST' })
  expect(await ask(silent)).toBe(true)

  const refusing = `refusing-${newId()}@example.com`
  expect(await ask(refusing)).toBe(true)
  await fetch(path(linkOf(await letters(refusing, 1), '/mail/unsubscribe/')), { method: 'POST' })
  expect(await ask(refusing)).toBe('opt_in_enough')
})

test.each(['booking', 'change', 'form'])(
  'an address that a visitor typed (%s) gets no campaign before its owner has agreed',
  async (source) => {
    const user = await world.seller()
    const [typed, known] = await world.contacts(user, 2)
    await world.db.updateTable('leads').set({ source }).where('user_id', '=', user.id).where('email', '=', typed!).execute()
    const reached = async () =>
      (await world.call('preview-segment', user, { tree: {} })).body.first.map(({ email }: { email: string }) => email).sort()
    expect(await reached()).toEqual([known])
    const id = await world.draft(user)
    await world.call('send-campaign', user, { campaign_id: id })
    await ended(id)
    expect(await world.mails(typed!)).toEqual([])

    await world.call('ask-opt-in', user, { email: typed })
    await vi.waitFor(async () => expect(await world.mails(typed!)).toHaveLength(1))
    await fetch(path(linkOf((await world.mails(typed!))[0]!, '/mail/confirm/')), { method: 'POST' })
    expect(await reached()).toEqual([typed, known].sort())
  },
)

test('an account asks 60 addresses an hour for consent at most, whoever they are [S28]', async () => {
  const user = await world.seller()
  const to = `first-${user.id}@example.com`
  await world.call('send-email', user, { to, subject: 'Your receipt', text: 'Thank you.' })
  const again = path(linkOf((await world.mails(to))[0]!, '/mail/preferences/'))
  const answers = new Set<string>()
  for (let n = 0; n < 61; n++)
    answers.add((await world.call('ask-opt-in', user, { email: `many-${n}-${user.id}@example.com` })).body.code ?? `${n}`)
  expect([...answers]).toEqual([...Array.from({ length: 60 }, (_, n) => `${n}`), 'email_pace'])
  // Links that the account's own mail server sees make us send no more than that either.
  expect(
    (await fetch(again, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'choice=all' })).status,
  ).toBe(429)
})

test('an inbox is asked for consent ten times a day at most, by however many accounts, and by no name that is a link [S28]', async () => {
  const email = `asked-by-many-${newId()}@example.com`
  const users = await Promise.all(Array.from({ length: 12 }, () => world.subscriber()))
  await world.call('save-sender', users[0]!, { provider: 'sandbox', name: 'Prize at evil.example', email: 'news@harbour.example' })
  for (const user of users.slice(0, 10)) expect((await world.call('ask-opt-in', user, { email })).body).toEqual({ asked: true })
  // A person who comes too late hears that nothing was sent, is not written down as one who asked, and hears the same again.
  for (const user of [users[10]!, users[11]!, users[11]!])
    expect((await world.call('ask-opt-in', user, { email })).body).toMatchObject({
      code: 'opt_in_inbox',
      message: expect.stringMatching(/nothing was sent\. Ask again in 3 hours\./),
    })
  const last = { email: `asked-last-${newId()}@example.com` }
  await vi.waitFor(async () => expect((await world.mails(email)).length).toBeGreaterThan(9))
  await world.call('ask-opt-in', users[0]!, last)
  await vi.waitFor(async () => expect(await world.mails(last.email)).toHaveLength(1))
  expect(await world.mails(email)).toHaveLength(10)
  expect((await world.mails(last.email))[0]).toMatchObject({
    subject: 'Do you want emails from Prize at evil. example?',
    text: expect.not.stringContaining('evil.example'),
  })
})

test('the unsubscribe link in a single email ends those too, until the person opts in by a letter of the platform', async () => {
  const [user, other] = [await world.seller(), await world.seller()]
  const to = `ended-${newId()}@example.com`
  const send = async (who = user) => (await world.call('send-email', who, { to, subject: 'Your receipt', text: 'Thank you.' })).body
  expect((await send()).state).toBe('sent')
  const link = linkOf((await world.mails(to))[0]!, '/mail/unsubscribe/')
  expect((await fetch(path(link), { method: 'POST' })).status).toBe(200)
  expect((await send()).code).toBe('address_suppressed')
  expect((await send(other)).state).toBe('sent')
  await world.call('ask-opt-in', user, { email: to })
  const asked = await vi.waitFor(async () => {
    const found = (await world.mails(to)).find(({ subject }) => /^Do you want emails/.test(subject))
    expect(found).toBeDefined()
    return found!
  })
  await fetch(path(linkOf(asked, '/mail/confirm/')), { method: 'POST' })
  expect((await send()).state).toBe('sent')
})

test('nothing of a stranger’s campaign can be seen or moved, and no line of a name becomes a header', async () => {
  const { call, subscriber, seller, contacts, draft, mails } = world
  const ann = await seller()
  const eve = await subscriber()
  await contacts(ann, 1)
  const id = await draft(ann)
  for (const name of [
    'get-campaign',
    'update-campaign',
    'delete-campaign',
    'duplicate-campaign',
    'preview-campaign',
    'send-test-campaign',
    'send-campaign',
    'pause-campaign',
    'resume-campaign',
    'cancel-campaign',
    'campaign-report',
    'list-recipients',
  ])
    expect([name, (await call(name, eve, { campaign_id: id })).status]).toEqual([name, 404])
  const condition = { field: 'campaign', is: 'not_opened', value: id }
  await contacts(eve, 2)
  expect((await call('preview-segment', eve, { tree: { conditions: [{ ...condition, is: 'received' }] } })).body.contacts).toBe(0)
  const injected = 'Ann\r\nBcc: everyone@example.com'
  for (const field of ['name', 'subject'])
    expect((await call('create-campaign', ann, { name: 'N', subject: 'S', text: 'T', [field]: injected })).status).toBe(200)
  expect(
    (await world.db.selectFrom('email_campaigns').select(['name', 'subject']).where('user_id', '=', ann.id).orderBy('id').execute()).slice(
      -2,
    ),
  ).toEqual([
    { name: 'Ann Bcc: everyone@example.com', subject: 'S' },
    { name: 'N', subject: 'Ann Bcc: everyone@example.com' },
  ])
  const saved = await call('save-sender', ann, { provider: 'sandbox', name: injected, email: 'news@harbour.example' })
  expect(saved.body.name).toBe('Ann Bcc: everyone@example.com')
  const email = `bcc-${newId()}@example.com`
  await insert(world.db, 'leads', { id: newId(), user_id: ann.id, name: injected, email, status: 'new', source: 'manual' })
  const to = await draft(ann, { subject: 'Hi {{ name }}' })
  await call('send-campaign', ann, { campaign_id: to })
  await ended(to)
  const [mail] = await mails(email)
  expect(mail!.subject).toBe('Hi Ann Bcc: everyone@example.com')
  expect(mail!.to).toEqual([email])
  expect(mail!.headers.bcc).toBeUndefined()
})
