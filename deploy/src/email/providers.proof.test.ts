import { SIGNED_HEADERS } from '@operon/crm/email/dkim'
import { checkSender } from '@operon/crm/email/dns'
import { openCarriers, smtpOutcome } from '@operon/crm/email/transports'
import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import type { TestUser } from '@operon/kit/testing/service'
import { afterAll, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

const world = await emailWorld()
afterAll(() => world.platform.close())
const ended = (id: string) => vi.waitFor(async () => expect((await world.campaign(id)).status).toBe('sent'), { timeout: 15_000 })
const connect = (user: TestUser, name = 'ann') =>
  world.call('connect-app', user, { app: 'mailersend', key: `mlsn.sandbox_${name}` }, 'integrations')

test('with a key of MailerSend a campaign goes out from its verified domain, and only from there [spec-133] [spec-134]', async () => {
  const { call, subscriber, contacts, draft, mails, recipients } = world
  const ann = await subscriber()
  const [to] = await contacts(ann, 1)
  const id = await draft(ann)
  expect((await call('email-status', ann)).body).toMatchObject({ ready: false, mailersend: { connected: false } })
  expect((await call('send-campaign', ann, { campaign_id: id })).body.message).toBe('Please connect MailerSend first')
  expect((await connect(ann)).body.connection_id).toBeTruthy()
  expect((await call('email-status', ann)).body).toMatchObject({ ready: true, mailersend: { connected: true } })
  expect((await call('send-campaign', ann, { campaign_id: id })).body).toEqual({ recipients: 1, status: 'sending' })
  await ended(id)
  const [sender] = (await call('email-status', ann)).body.senders
  expect(sender).toMatchObject({ provider: 'mailersend', is_default: true, email: `hello@${sender.domain}` })
  const [mail] = await mails(to!)
  expect(mail).toMatchObject({ from: sender.email, subject: 'Hello Contact' })
  expect(mail!.headers).toMatchObject({
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    'x-mailersend-tag': (await recipients(id))[0].id,
  })
  const elsewhere = { provider: 'mailersend', name: 'A', email: 'me@elsewhere.example' }
  expect((await call('save-sender', ann, elsewhere)).body.code).toBe('sender_address')
  // A stranger's connection is nobody else's.
  const eve = await subscriber()
  expect((await call('save-sender', eve, { ...elsewhere, email: sender.email })).body.code).toBe('mailersend_first')
  expect((await call('check-sender', eve, { sender_id: sender.sender_id })).status).toBe(404)
  await call(
    'disconnect-app',
    ann,
    { connection_id: (await call('list-connections', ann, {}, 'integrations')).body.connections[0].id },
    'integrations',
  )
  const next = await draft(ann)
  expect((await call('send-campaign', ann, { campaign_id: next })).body.code).toBe('mailersend_first')
})

test('a lost answer of MailerSend is looked up by its tag, and the plan counts what went out', async () => {
  const { call, subscriber, contacts, draft, db, platform } = world
  const bo = await subscriber()
  await connect(bo, 'bo')
  await contacts(bo, 2)
  const id = await draft(bo)
  await call('send-campaign', bo, { campaign_id: id })
  await ended(id)
  expect((await call('email-status', bo)).body.emails).toEqual({ used: 2, reserved: 0, limit: 3000 })
  await update(db, 'email_recipients', { campaign_id: id }, { state: 'unknown', look_at: new Date(0) })
  await update(db, 'email_campaigns', { id }, { sent_count: 0, unknown_count: 2 })
  const { campaignTick } = await import('@operon/contracts/crm/email/events')
  await platform.services.crm!.rt.jobs.add([{ id: newId(), name: campaignTick.name, user_id: null, payload: {}, trace: null }])
  await vi.waitFor(async () => expect(await world.campaign(id)).toMatchObject({ sent_count: 2, unknown_count: 0 }), { timeout: 20_000 })
}, 30_000)

test('a plan that has too few emails left sends none of them', async () => {
  const { call, seller, contacts, draft, db } = world
  const cy = await seller('none')
  await contacts(cy, 1)
  const id = await draft(cy)
  expect((await call('preview-campaign', cy, { campaign_id: id })).body).toMatchObject({
    emails_left: 0,
    missing: expect.stringContaining('all emails of your plan'),
  })
  expect((await call('send-campaign', cy, { campaign_id: id })).body.code).toBe('limit_emails')
  expect(await world.recipients(id)).toEqual([])
  expect((await db.selectFrom('email_campaigns').select('status').where('id', '=', id).executeTakeFirst()).status).toBe('draft')
})

test('the signature of our own key covers both headers that unsubscribe [spec-133]', async () => {
  const { call, seller, contacts, draft, mails } = world
  const di = await seller()
  const [to] = await contacts(di, 1)
  const id = await draft(di)
  await call('send-campaign', di, { campaign_id: id })
  await ended(id)
  const [mail] = await mails(to!)
  const signature = mail!.headers['dkim-signature']!.replace(/\s+/g, '')
  const part = (name: string) => new RegExp(`(?:^|;)${name}=([^;]*)`).exec(signature)![1]!
  expect([part('d'), part('s')]).toEqual(['harbour.example', 'operon'])
  expect(part('h').toLowerCase().split(':')).toEqual(
    expect.arrayContaining(['list-unsubscribe', 'list-unsubscribe-post', 'from', 'subject']),
  )
  expect(SIGNED_HEADERS.toLowerCase()).toContain('list-unsubscribe-post')
})

test('the records of a domain are looked at: there, missing, wrong, and twice is wrong as well [spec-133]', async () => {
  const { call, seller, platform, db } = world
  const ed = await seller()
  const { sender_id } = (await call('email-status', ed)).body.senders[0]
  const { dkim_public } = await db.selectFrom('email_senders').select('dkim_public').where('id', '=', sender_id).executeTakeFirstOrThrow()
  const { rt } = platform.services.crm!
  const look = async (records: Record<string, string[]>) => {
    const dns = {
      txt: async (name: string) => records[name] ?? Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
      cname: async () => [],
    }
    const ctx = { db: rt.db, actor: { kind: 'user', id: ed.id } } as any
    const { sender } = await checkSender(ctx, { sender_id }, { rt, carriers: null as never }, dns)
    return sender.checks
  }
  expect(await look({})).toEqual({ spf: 'missing', dkim: 'missing', dmarc: 'missing' })
  const good = {
    'harbour.example': ['google-site-verification=x', 'v=spf1 ~all'],
    'operon._domainkey.harbour.example': [`v=DKIM1; k=rsa; p=${dkim_public}`],
    '_dmarc.harbour.example': ['v=DMARC1; p=none; rua=mailto:a@b.example'],
  }
  expect(await look(good)).toEqual({ spf: 'ok', dkim: 'ok', dmarc: 'ok' })
  expect(await look({ ...good, 'harbour.example': ['v=spf1 ~all', 'v=spf1 -all'] })).toMatchObject({ spf: 'wrong' })
  expect(await look({ ...good, 'operon._domainkey.harbour.example': ['v=DKIM1; p=AAAA'] })).toMatchObject({ dkim: 'wrong' })
})

test('what a mail server says is told apart: surely not, not now, and nobody knows', () => {
  const said = (fields: object) => smtpOutcome(Object.assign(new Error('said'), fields)).state
  expect(said({ responseCode: 550, command: 'RCPT TO' })).toBe('failed')
  expect(said({ responseCode: 451, command: 'DATA' })).toBe('later')
  expect(said({ responseCode: 421, command: 'DATA' })).toBe('unknown')
  expect(said({ code: 'ECONNREFUSED', command: 'CONN' })).toBe('later')
  expect(said({ code: 'ECONNECTION' })).toBe('unknown')
  expect(said({ code: 'ETIMEDOUT', command: 'DATA' })).toBe('unknown')
  expect(said({ code: 'EAUTH', responseCode: 535 })).toBe('broken')
})

test('a sender of the sandbox that was kept sends nothing beside real people', async () => {
  const kit = { NODE_ENV: 'production', PUBLIC_URL: 'https://operon.example' }
  const carriers = openCarriers({ kit } as never)
  await expect(carriers.of({ id: newId(), version: 1, provider: 'sandbox' } as never)).rejects.toMatchObject({ code: 'sender_sandbox' })
})

test('a mail server at an inside address is not called', async () => {
  const { call, subscriber } = world
  const fay = await subscriber()
  for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '::1', '0.0.0.0'])
    expect([
      host,
      (await call('save-sender', fay, { provider: 'smtp', name: 'A', email: 'a@a.example', smtp: { host } })).body.code,
    ]).toEqual([host, 'sender_smtp'])
  expect((await call('email-status', fay)).body.senders).toEqual([])
})
