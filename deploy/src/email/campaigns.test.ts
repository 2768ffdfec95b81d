import { afterAll, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

const world = await emailWorld()
afterAll(() => world.platform.close())
const ended = (id: string) => vi.waitFor(async () => expect((await world.campaign(id)).status).toBe('sent'), { timeout: 15_000 })

test('a draft goes to its segment through the inbox of the sandbox, and sent_count counts the rows [spec-134] [spec-138]', async () => {
  const { call, contacts, seller, draft, mails, recipients, campaign, platform } = world
  const ann = await seller()
  const tagged = await contacts(ann, 3, { tags: ['vip'] })
  await call('create-contact', ann, { name: 'Not tagged', email: `other-${ann.id.slice(-6)}@example.com` })
  const id = await draft(ann, { tag: 'vip' })
  const sent = await call('send-campaign', ann, { campaign_id: id })
  expect(sent).toMatchObject({ status: 200, body: { recipients: 3, status: 'sending' } })
  await ended(id)
  expect((await campaign(id)).sent_count).toBe(3)
  expect((await recipients(id)).map(({ state }: any) => state)).toEqual(['sent', 'sent', 'sent'])
  const [mail] = await mails(tagged[0]!)
  expect(mail).toMatchObject({ subject: 'Hello Contact', from: 'news@harbour.example', from_name: 'Harbour Café' })
  expect(mail!.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
  const rows = await fetch(
    `${platform.url('crm')}/rest/v1/email_campaigns?select=id,name,status,sent_count,user_id&order=created_at.desc`,
    {
      headers: ann.headers,
    },
  )
  expect(await rows.json()).toEqual([{ id, name: 'Spring news', status: 'sent', sent_count: 3, user_id: ann.id }])
  expect((await call('send-campaign', ann, { campaign_id: id })).body.code).toBe('campaign_state')
})

test('without a provider the first thing that is said is to connect one [spec-134]', async () => {
  const { call, draft, platform } = world
  const bo = platform.user()
  const id = await draft(bo)
  // No plan, no contacts: either would be refused as well.
  expect(await call('send-campaign', bo, { campaign_id: id })).toMatchObject({
    status: 409,
    body: { code: 'mailersend_first', message: 'Please connect MailerSend first' },
  })
})
