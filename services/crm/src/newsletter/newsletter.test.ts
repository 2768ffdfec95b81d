import { newsletterSweep } from '@operon/contracts/crm/events'
import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import { startTestPlatform } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { crmService } from '../service.ts'

type Mail = { subject: string; to: string[]; links: string[]; headers: Record<string, string> }
const platform = await startTestPlatform([crmService, sandboxService])
const db: any = platform.services.crm!.rt.db
afterAll(() => platform.close())

async function post(path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${platform.url('crm')}${path}`, {
    method: 'POST',
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, body: (await response.json()) as any }
}
const newAddress = () => `a-${newId()}@example.com`
const subscribe = (email: string) => post('/functions/v1/newsletter-subscribe', { email })
const mails = async (to: string): Promise<Mail[]> =>
  ((await (await fetch(`${platform.url('sandbox')}/sandbox/api/inbox?to=${encodeURIComponent(to)}`)).json()) as any).messages
const status = async (email: string) =>
  (await db.selectFrom('newsletter_subscribers').select('status').where('email', '=', email).executeTakeFirst())?.status
const linkOf = (mail: Mail, what: string) => {
  const url = new URL(mail.links.find((link) => link.includes(what))!)
  return url.pathname + url.search
}

test('nobody is on the list before the owner of the address has pressed the button [spec-7]', async () => {
  const email = newAddress()
  const asWritten = `A${email.slice(1)}`
  const first = await subscribe(asWritten)
  expect(first.status).toBe(200)
  await expect.poll(() => mails(email)).toHaveLength(1)
  const [mail] = await mails(email)
  const confirmPath = linkOf(mail!, 'newsletter-confirm')
  const opened = await fetch(`${platform.url('crm')}${confirmPath}`)
  expect([opened.status, opened.headers.get('content-type'), await opened.text()]).toEqual([
    200,
    'text/html; charset=utf-8',
    expect.stringContaining('<form method="post"'),
  ])
  expect(await status(email)).toBe('pending')

  const token = new URL(confirmPath, 'http://x').searchParams.get('token')!
  const presses = await Promise.all([1, 2, 3].map(() => post('/functions/v1/newsletter-confirm', { token })))
  expect(presses.map((each) => each.status).sort()).toEqual([200, 410, 410])
  expect(await status(email)).toBe('confirmed')
  await expect.poll(() => mails(email)).toHaveLength(2)
  expect(
    JSON.stringify(await db.selectFrom('outbox').selectAll().execute()) +
      JSON.stringify(await db.selectFrom('newsletter_subscribers').selectAll().execute()),
  ).not.toContain(token)

  // Asking again tells a stranger nothing and sends nothing.
  expect(await subscribe(asWritten)).toEqual(first)
  expect(await status(email)).toBe('confirmed')
})

test('one click in a mail program ends it, and pressing twice is no mistake [spec-7]', async () => {
  const email = newAddress()
  await subscribe(email)
  await expect.poll(() => mails(email)).toHaveLength(1)
  const [mail] = await mails(email)
  expect((await post(linkOf(mail!, 'newsletter-confirm'))).status).toBe(200)
  await expect.poll(() => mails(email)).toHaveLength(2)
  const welcome = (await mails(email)).find(({ subject }) => subject.includes('on the list'))!
  expect(welcome.headers).toMatchObject({ 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' })
  const stop = new URL(welcome.headers['list-unsubscribe']!.slice(1, -1))
  for (const _ of [1, 2]) {
    const answer = await fetch(`${platform.url('crm')}${stop.pathname}${stop.search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(answer.status).toBe(200)
  }
  expect(await status(email)).toBe('unsubscribed')
  expect((await subscribe(email)).status).toBe(200)
  expect(await status(email)).toBe('pending')
})

test('a form in the page answers with a page, also where the link is dead [spec-7]', async () => {
  const answer = await fetch(`${platform.url('crm')}/functions/v1/newsletter-confirm`, {
    method: 'POST',
    headers: { accept: 'text/html,*/*', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: 'x'.repeat(43) }),
  })
  expect([answer.status, await answer.text()]).toEqual([410, expect.stringContaining('expired or was used already')])
  // A mail program cut the link short: the page is there all the same, and its button says what is wrong.
  for (const link of ['?token=cut', '']) {
    const opened = await fetch(`${platform.url('crm')}/functions/v1/newsletter-confirm${link}`)
    expect([opened.status, opened.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("style-src 'unsafe-inline'"),
    ])
  }
  expect((await post('/functions/v1/newsletter-confirm', { token: 'cut' })).status).toBe(410)
  expect((await post('/functions/v1/newsletter-unsubscribe', { token: 'y'.repeat(43) })).status).toBe(404)
  expect((await post('/functions/v1/newsletter-unsubscribe')).status).toBe(404)
  expect((await subscribe('not an address')).status).toBe(400)
})

test('a stranger cannot fill an inbox [spec-7]', async () => {
  const email = newAddress()
  for (let i = 0; i < 6; i++) expect((await subscribe(email)).status).toBe(200)
  await expect
    .poll(async () => (await db.selectFrom('outbox').select('id').where('kind', '=', 'job').where('sent_at', 'is', null).execute()).length)
    .toBe(0)
  await expect.poll(async () => (await mails(email)).length).toBeGreaterThan(0)
  const asked = await db.selectFrom('outbox').select('payload').where('name', '=', 'crm.newsletter_mail').execute()
  const { id } = await db.selectFrom('newsletter_subscribers').select('id').where('email', '=', email).executeTakeFirst()
  expect(asked.filter((row: any) => row.payload.subscriber_id === id)).toHaveLength(3)
})

test('a confirmation link ends after two days, also while nobody has asked for another', async () => {
  const email = newAddress()
  await subscribe(email)
  await expect.poll(() => mails(email)).toHaveLength(1)
  const link = linkOf((await mails(email))[0]!, 'newsletter-confirm')
  const left = await db
    .selectFrom('newsletter_subscribers')
    .select(sql<number>`extract(epoch from confirm_expires_at - now())`.as('s'))
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  expect(left.s / 3600).toBeGreaterThan(47.9)
  expect(left.s / 3600).toBeLessThanOrEqual(48)
  await update(db, 'newsletter_subscribers', { email }, { confirm_expires_at: sql`now() - interval '1 second'` })
  expect((await post(link)).status).toBe(410)
  expect(await status(email)).toBe('pending')
  await update(db, 'newsletter_subscribers', { email }, { confirm_expires_at: sql`now() + interval '1 minute'` })
  expect((await post(link)).status).toBe(200)
})

test('what nobody confirmed is forgotten after a week; who has left can press the link of an old letter again', async () => {
  const [waiting, gone] = [newAddress(), newAddress()]
  for (const email of [waiting, gone]) await subscribe(email)
  const idOf = async (email: string) =>
    (await db.selectFrom('newsletter_subscribers').select('id').where('email', '=', email).executeTakeFirst())?.id
  await update(db, 'newsletter_subscribers', { email: gone }, { status: 'unsubscribed' })
  await db
    .updateTable('newsletter_subscribers')
    .set({ confirm_expires_at: sql`now() - interval '8 days'` })
    .where('email', 'in', [waiting, gone])
    .execute()
  const { jobs } = platform.services.crm!.rt
  await jobs.add([{ id: newId(), name: newsletterSweep.name, user_id: null, payload: {}, trace: null }])
  await expect.poll(() => idOf(waiting)).toBeUndefined()
  expect(await status(gone)).toBe('unsubscribed')
})

test('signing up tells nobody whether an address is on the list: unknown, waiting, confirmed, gone and flooded answer alike', async () => {
  const [pending, confirmed, gone, flooded] = [newAddress(), newAddress(), newAddress(), newAddress()]
  for (const email of [pending, confirmed, gone]) await subscribe(email)
  for (let i = 0; i < 4; i++) await subscribe(flooded)
  await update(db, 'newsletter_subscribers', { email: confirmed }, { status: 'confirmed' })
  await update(db, 'newsletter_subscribers', { email: gone }, { status: 'unsubscribed' })
  const answers = await Promise.all([newAddress(), pending, confirmed, gone, flooded].map((email) => subscribe(email)))
  for (const answer of answers) expect(answer).toEqual(answers[0])
  // The confirmed one gets no second letter, and stays.
  expect(await status(confirmed)).toBe('confirmed')
})
