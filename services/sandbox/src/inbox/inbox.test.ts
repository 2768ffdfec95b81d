import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MessageInstance, type MessageListInstanceCreateOptions } from 'twilio/lib/rest/api/v2010/account/message.js'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Sandbox, startSandbox } from '../sandbox.ts'

const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`
const sid = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`))
const date = z.string().refine((text) => new Date(text).toUTCString() === text, 'an RFC 2822 date')

// Strict, and with just the fields that Twilio's own package reads; what its types call a date is text on the wire, and what is not there yet is null.
type Resource = ConstructorParameters<typeof MessageInstance>[1]
const message = z.strictObject({
  sid: sid('SM'),
  account_sid: sid('AC'),
  api_version: z.literal('2010-04-01'),
  body: z.string(),
  date_created: date,
  date_updated: date,
  date_sent: z.null(),
  direction: z.literal('outbound-api'),
  error_code: z.null(),
  error_message: z.null(),
  from: z.string(),
  messaging_service_sid: z.null(),
  num_media: z.literal('0'),
  num_segments: z.string().regex(/^\d+$/),
  price: z.null(),
  price_unit: z.literal('USD'),
  status: z.literal('queued'),
  subresource_uris: z.strictObject({ media: z.string() }),
  to: z.string(),
  uri: z.string(),
} satisfies Record<keyof Resource, z.ZodType>)
const refusal = z.strictObject({ code: z.int(), message: z.string(), more_info: z.url(), status: z.int() })

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-inbox-'))
const sandbox: Sandbox = await startSandbox({ dataDir, publicUrl: 'http://localhost:9207', seed: 'inbox' })
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

type Fields = Partial<Record<Capitalize<keyof MessageListInstanceCreateOptions>, string>>
const send = (fields: Fields, more: object = {}) =>
  fetch(`${sandbox.addresses.sms}/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${ACCOUNT}:token`).toString('base64')}` },
    body: new URLSearchParams({ To: '+15005550006', From: '+15005550009', Body: 'Your code is 123456', ...fields, ...more }),
  })

test('a text message is answered with the fields of Twilio’s own types, and its package reads it', async () => {
  const answer = await send({})
  const sent = message.parse(await answer.json())
  expect(answer.status).toBe(201)
  const read = new MessageInstance({} as never, sent as unknown as Resource, ACCOUNT)
  expect([read.sid, read.status, read.to, read.dateCreated?.toUTCString()]).toEqual([sent.sid, 'queued', '+15005550006', sent.date_created])
  expect(message.parse(await (await send({})).json()).sid).not.toBe(sent.sid)
})

test.each([
  ['a parameter that Twilio does not have', { Boddy: 'hi' }, 20001],
  ['a number that is none', { To: '12' }, 21211],
  ['a message that says nothing', { Body: '' }, 21602],
])('%s is refused in Twilio’s shape, and nothing is sent', async (_what, more, code) => {
  const before = sandbox.truth.read({ kind: 'sms' }).length
  const answer = await send({}, more)
  expect([answer.status, refusal.parse(await answer.json()).code]).toEqual([400, code])
  expect(sandbox.truth.read({ kind: 'sms' })).toHaveLength(before)
})

/** Says lines one after another, and answers with the replies, the lines of one reply together. */
async function talk(...lines: string[]): Promise<string[]> {
  const { hostname, port } = new URL(sandbox.addresses.smtp)
  const socket = connect(Number(port), hostname)
  const replies: string[] = []
  let reply: string[] = []
  for await (const line of createInterface({ input: socket })) {
    // RFC 5321: a code, a hyphen where more lines follow, and text.
    expect(line).toMatch(/^[2-5]\d\d[ -]/)
    reply.push(line)
    if (line[3] === '-') continue
    replies.push(reply.join('\n'))
    reply = []
    const next = lines.shift()
    if (next === undefined) socket.end()
    else socket.write(`${next}\r\n`)
  }
  return replies
}
const codes = (replies: string[]) => replies.map((each) => Number(each.slice(0, 3)))

test('a letter is taken in the order of RFC 5321, with its replies', async () => {
  const replies = await talk(
    'EHLO shop.example',
    'MAIL FROM:<us@shop.example> SIZE=200',
    'RCPT TO:<ada@example.com>',
    'DATA',
    'From: us@shop.example\r\nTo: ada@example.com\r\nSubject: Hello\r\n\r\n..Dots\r\n.',
    'QUIT',
  )
  expect(codes(replies)).toEqual([220, 250, 250, 250, 354, 250, 221])
  expect(replies[1]).toMatch(/^250[ -]SIZE 26214400$/m)
  expect(replies[1]).not.toContain('STARTTLS')
  const inbox = await fetch(`${sandbox.addresses.stripe}/sandbox/api/inbox?to=ada@example.com`)
  const { messages } = (await inbox.json()) as { messages: object[] }
  expect(messages[0]).toMatchObject({ subject: 'Hello', text: '.Dots\n', to: ['ada@example.com'] })
})

test.each([
  ['a letter without a recipient', ['EHLO a', 'MAIL FROM:<us@shop.example>', 'DATA'], 503],
  ['a recipient before the sender', ['EHLO a', 'RCPT TO:<ada@example.com>'], 503],
  ['an address that is none', ['EHLO a', 'MAIL FROM:<us@shop.example>', 'RCPT TO:<ada example>'], 501],
  ['a letter that is announced as too large', ['EHLO a', 'MAIL FROM:<us@shop.example> SIZE=99999999'], 552],
  ['a parameter that was not offered', ['EHLO a', 'MAIL FROM:<us@shop.example> BADPARAM=1'], 555],
  ['a command that is none', ['EHLO a', 'SEND IT'], 500],
])('%s is refused with the code of RFC 5321', async (_what, lines, code) => {
  expect(codes(await talk(...lines)).at(-1)).toBe(code)
})
