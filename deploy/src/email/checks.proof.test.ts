import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { starters } from '@operon/contracts/crm/email/starters'
import { afterAll, expect, test, vi } from 'vitest'
import { emailWorld } from './world.ts'

const asked: string[] = []
const site: Server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  // As many servers, it has no HEAD.
  const status = request.method === 'HEAD' ? 405 : { '/gone': 404, '/members': 403 }[request.url!.split('?')[0]!]
  response.writeHead(status ?? 200).end('page')
})
await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
const at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
const world = await emailWorld()
afterAll(async () => {
  site.close()
  await world.platform.close()
})

const documentOf = (...blocks: object[]) => ({ blocks: blocks.map((block, n) => ({ id: `b${n}`, ...block })) })

test('an email is checked for its links, pictures, subject, fields and footer before it is sent [spec-134]', async () => {
  const { call, seller } = world
  const ann = await seller()
  const document = documentOf(
    { kind: 'text', text: `Read [this](${at}/gone), [that](${at}/fine) and [those](${at}/members). {{ first_name }} {{ shoe_size }}` },
    { kind: 'image', url: 'https://menu.example/cup.png', alt: '', link: '' },
    { kind: 'button', label: 'Buy', url: 'javascript:alert(1)' },
    { kind: 'button', label: 'Nowhere', url: '' },
  )
  const { status, body } = await call('check-email', ann, { subject: 'FREE MONEY, ACT NOW!!', document })
  expect(status).toBe(200)
  expect(body.ok).toBe(true)
  const codes = body.findings.map(({ code, block_id }: { code: string; block_id: string | null }) =>
    block_id ? `${code} ${block_id}` : code,
  )
  for (const code of [
    ...['link_broken b0', 'link_unchecked b0', 'field_empty b0', 'field_unknown b0', 'alt_missing b1', 'link_unsafe b2', 'link_missing b3'],
    ...['subject_shouts', 'subject_spam', 'preview_missing', 'address_missing'],
  ])
    expect(codes).toContain(code)
  expect(codes).not.toContain('unsubscribe_missing')
  expect(body.links).toEqual([
    { url: `${at}/gone`, state: 'broken', status: 404 },
    { url: `${at}/fine`, state: 'ok', status: 200 },
    { url: `${at}/members`, state: 'unchecked', status: 403 },
  ])
  expect((await call('check-email', ann, { document: documentOf({ kind: 'divider' }) })).body).toMatchObject({
    ok: false,
    findings: expect.arrayContaining([expect.objectContaining({ code: 'subject_missing', level: 'stops' })]),
  })
})

test('what is checked at once is bounded, and so is how often', async () => {
  const { call, seller, draft } = world
  const bo = await seller()
  asked.length = 0
  const text = Array.from({ length: 40 }, (_, n) => `[page](${at}/p?n=${n})`).join(' ')
  const { body } = await call('check-email', bo, { subject: 'Many', document: documentOf({ kind: 'text', text }) })
  expect(body.links).toHaveLength(20)
  expect(asked).toHaveLength(40)
  const campaign_id = await draft(bo, { text: 'No links here at all.' })
  for (let n = 1; n < 120; n++) expect((await call('check-email', bo, { campaign_id })).status).toBe(200)
  expect(await call('check-email', bo, { campaign_id })).toMatchObject({ status: 429, body: { code: 'email_checks' } })
  expect((await call('check-email', await seller(), { campaign_id })).status).toBe(404)
})

test('ours and own templates are listed, a campaign and a single email begin from one, and nobody else has it [spec-132]', async () => {
  const { call, seller, mails, campaign } = world
  const [cy, di] = [await seller(), await seller()]
  const document = documentOf({ kind: 'text', text: 'Your receipt, {{ first_name | default: "friend" }}: {{ company }}' })
  const saved = await call('save-email-template', cy, { name: 'Receipt', subject: 'Receipt for {{ name }}', document })
  expect(saved.body).toMatchObject({ name: 'Receipt', ours: false })
  const { template_id } = saved.body
  const listed = (await call('list-email-templates', cy)).body.templates
  expect(listed.map((each: { name: string }) => each.name)).toEqual(['Receipt', ...starters.map(({ name }) => name)])
  expect((await call('list-email-templates', di)).body.templates).toHaveLength(starters.length)
  for (const name of ['show-email-template', 'delete-email-template'])
    expect((await call(name, di, { template_id })).body.code).toBe('not_found')
  expect((await call('save-email-template', di, { template_id, name: 'Mine', document })).body.code).toBe('not_found')
  expect((await call('create-campaign', di, { name: 'Theirs', template_id })).body.code).toBe('not_found')

  const { campaign_id } = (await call('create-campaign', cy, { name: 'From ours', template_id: 'welcome' })).body
  const welcome = starters.find(({ id }) => id === 'welcome')!
  expect(await campaign(campaign_id)).toMatchObject({ subject: welcome.subject, document: welcome.document })

  const to = `buyer-${cy.id.slice(-6)}@example.com`
  expect(await call('send-email', cy, { to, name: 'Bea Park', template_id, fields: { company: 'Park & Co' } })).toMatchObject({
    body: { state: 'sent' },
  })
  await vi.waitFor(async () => expect((await mails(to))[0]).toMatchObject({ subject: 'Receipt for Bea Park' }))
  expect((await mails(to))[0]!.text).toContain('Your receipt, Bea: Park & Co')

  expect((await call('delete-email-template', cy, { template_id })).body).toEqual({ deleted: true })
  expect((await call('send-email', cy, { to, template_id })).body.code).toBe('not_found')
})

test('our templates are documents that can be sent, with nothing in them that the checks stop at', async () => {
  const { call, seller } = world
  const ed = await seller()
  for (const { id, subject } of starters) {
    const { document } = (await call('show-email-template', ed, { template_id: id })).body
    const { ok, findings } = (await call('check-email', ed, { subject, document })).body
    expect(ok).toBe(true)
    const allowed = ['address_missing', 'link_missing']
    expect(findings.filter(({ code }: { code: string }) => !allowed.includes(code))).toEqual([])
  }
})
