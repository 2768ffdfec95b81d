import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Sandbox, startSandbox } from './sandbox.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-'))
let sandbox: Sandbox
let control: string
const start = () => startSandbox({ dataDir, publicUrl: 'http://localhost:9200', seed: 'test' })
const truth = (kind: string) => sandbox.truth.read({ kind })
const order = (fault: object) => call('POST', '/sandbox/faults', fault)
async function call(method: string, path: string, body?: object) {
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
  const answer = await fetch(control + path, { method, redirect: 'manual', ...init })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const newAddress = () => `a-${randomUUID()}@example.com`
const messagesTo = async (to: string) => JSON.parse((await call('GET', `/sandbox/api/inbox?to=${to}`)).text).messages

beforeAll(async () => {
  sandbox = await start()
  control = sandbox.addresses.stripe
})
afterEach(() => call('DELETE', '/sandbox/faults'))
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true })
})

describe('inbox', () => {
  test('a mail sent with nodemailer is listed with its links, and its page runs no script', async () => {
    const to = newAddress()
    const mailer = createTransport(sandbox.addresses.smtp)
    await mailer.sendMail({
      from: 'Operon <hello@operon.test>',
      to,
      subject: 'Confirm <your> address',
      text: 'Go to http://localhost:9200/confirm?token=1',
      html: '<p style="color:red">Hi</p><script>alert(1)</script><a href="http://localhost:9200/confirm?token=1&amp;type=signup">Confirm</a>',
      messageId: '<1@operon.test>',
    })
    const messages = await messagesTo(to.toUpperCase())
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({ kind: 'mail', subject: 'Confirm <your> address', message_id: '<1@operon.test>' })
    expect(messages[0].links).toContain('http://localhost:9200/confirm?token=1&type=signup')
    const list = await call('GET', '/sandbox/inbox')
    expect(list.text).toContain('Confirm &lt;your&gt; address')
    const page = await call('GET', `/sandbox/inbox/${messages[0].id}`)
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(page.text).not.toContain('<script>alert')
    expect(page.text).toContain('sandbox="allow-popups')
    expect(truth('mail').filter((line) => String(line.to).includes(to))).toHaveLength(1)
    mailer.close()
  })

  test('a text message on the SMS wire is kept; a wrong number is refused in its shape', async () => {
    const send = (To: string) =>
      fetch(`${sandbox.addresses.sms}/2010-04-01/Accounts/AC1/Messages.json`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('AC1:token')}` },
        body: new URLSearchParams({ To, From: '+15550000000', Body: 'Your code is 123456' }),
      })
    expect(await (await send('+15551234567')).json()).toMatchObject({ status: 'queued', to: '+15551234567', error_code: null })
    expect(await (await send('nobody')).json()).toMatchObject({ code: 21211, status: 400 })
    expect(JSON.parse((await call('GET', '/sandbox/api/inbox?kind=sms')).text).messages[0].text).toContain('123456')
  })

  test('an ordered fault makes the mail server defer once', async () => {
    await order({ provider: 'smtp', kind: 'status', status: 451 })
    const mailer = createTransport(sandbox.addresses.smtp)
    const mail = { from: 'a@operon.test', to: newAddress(), subject: 'x', text: 'x' }
    await expect(mailer.sendMail(mail)).rejects.toMatchObject({ responseCode: 451 })
    await mailer.sendMail(mail)
    expect(await messagesTo(mail.to)).toHaveLength(1)
    mailer.close()
  })
})

describe('models', () => {
  const client = (path = '/openai/v1') => new OpenAI({ apiKey: 'sk-test', baseURL: sandbox.addresses.openai + path, maxRetries: 0 })
  const ask = async (content: string, more: object = {}) => {
    const made = await client().chat.completions.create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }], ...more })
    return made as OpenAI.ChatCompletion
  }
  const textOf = async (content: string, more: object = {}) => (await ask(content, more)).choices[0]!.message.content!

  test('a stream joins to the answer without streaming, ends with usage, and the log holds the same tokens', async () => {
    const question = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'How do I win back a quiet customer?' }] }
    const whole = await client().chat.completions.create(question)
    const parts = await client().chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } })
    let text = ''
    let usage: OpenAI.CompletionUsage | null | undefined
    let finish: string | null = null
    for await (const part of parts) {
      text += part.choices[0]?.delta.content ?? ''
      finish = part.choices[0]?.finish_reason ?? finish
      usage = part.usage ?? usage
    }
    expect(text).toBe(whole.choices[0]!.message.content)
    expect(finish).toBe('stop')
    expect(usage).toEqual(whole.usage)
    const logged = truth('completion').slice(-2)
    expect(logged.map((line) => line.completion_tokens)).toEqual([usage!.completion_tokens, usage!.completion_tokens])
    expect(logged.map((line) => line.finished)).toEqual([true, true])
  })

  test('each feature gets an answer of its kind', async () => {
    expect((await textOf('Suggest 8 business names for a coffee roastery')).split('\n')).toHaveLength(8)
    const ads = JSON.parse(
      await textOf('Create three ad variations as JSON with primary_text, headline, description for: handmade candles'),
    )
    expect(ads).toHaveLength(3)
    for (const ad of ads) {
      expect(ad.primary_text.length).toBeLessThanOrEqual(125)
      expect(ad.headline.length).toBeLessThanOrEqual(27)
      expect(ad.description.length).toBeLessThanOrEqual(30)
      expect(Object.keys(ad)).toEqual(['primary_text', 'headline', 'description', 'targeting', 'format', 'tone'])
    }
    const words = (await textOf('Write a blog post about local bookkeeping, 1000-1500 words')).split(/\s+/).length
    expect(words).toBeGreaterThanOrEqual(1000)
    expect(words).toBeLessThanOrEqual(1500)
    expect((await textOf('Write social media posts about our bakery')).match(/^\d\. /gm)).toHaveLength(5)
    expect(await textOf('Draft an email to customers about the spring sale')).toMatch(/^Subject: /)
    expect(await textOf('Write a video script about yoga')).toContain('Hook')
    expect(await textOf('Analyze these numbers: Revenue: 1200, Orders: 31')).toContain('Revenue: 1200')
    expect(await textOf('Write a blog post about tea')).toBe(await textOf('Write a blog post about tea'))
  })

  test('limits and stops cut the answer and say so', async () => {
    const cut = await ask('Write a blog post about tea', { max_tokens: 20 })
    expect(cut.choices[0]!.finish_reason).toBe('length')
    expect(cut.usage!.completion_tokens).toBe(20)
    expect(await textOf('Suggest 3 business names for a bar', { stop: '\n2.' })).toMatch(/^1\. \w+$/)
  })

  test('tools are called in parallel, streamed as deltas, and their results are answered', async () => {
    const tool = (name: string, properties: object) => ({
      type: 'function' as const,
      function: { name, parameters: { type: 'object', properties, required: Object.keys(properties) } },
    })
    const tools = [
      tool('create_image', { prompt: { type: 'string' } }),
      tool('navigate', { page: { type: 'string', enum: ['crm', 'calendar'] } }),
      tool('send_invoice', { amount: { type: 'number' } }),
    ]
    const content = 'Create an image of a red bicycle and then go to the calendar'
    const made = await ask(content, { tools })
    const calls = made.choices[0]!.message.tool_calls as OpenAI.ChatCompletionMessageFunctionToolCall[]
    expect(made.choices[0]!.finish_reason).toBe('tool_calls')
    expect(calls.map((each) => each.function.name).sort()).toEqual(['create_image', 'navigate'])
    expect(JSON.parse(calls.find((each) => each.function.name === 'navigate')!.function.arguments)).toEqual({ page: 'calendar' })
    const streamed = await client()
      .chat.completions.stream({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }], tools })
      .finalChatCompletion()
    expect(streamed.choices[0]!.message.tool_calls).toHaveLength(2)
    const after = await client().chat.completions.create({
      model: 'gpt-4o-mini',
      tools,
      messages: [
        { role: 'user', content },
        made.choices[0]!.message,
        ...calls.map((each) => ({ role: 'tool' as const, tool_call_id: each.id, content: 'Image ready' })),
      ],
    })
    expect(after.choices[0]!.message.content).toContain('Image ready')
    expect((await ask('What is a good opening hour?', { tools })).choices[0]!.finish_reason).toBe('stop')
  })

  test('a JSON schema is filled as it says', async () => {
    const schema = {
      type: 'object',
      properties: {
        names: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string', maxLength: 10 } },
        tone: { enum: ['warm', 'cool'] },
      },
      required: ['names', 'tone'],
      additionalProperties: false,
    }
    const text = await textOf('A cool list for tea', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })
    expect(JSON.parse(text)).toEqual({ names: [expect.any(String), expect.any(String)], tone: 'cool' })
  })

  test('other providers answer under their own paths; Perplexity cites', async () => {
    const models = await client('/anthropic/v1').models.list()
    expect(models.data.length).toBeGreaterThan(5)
    const cited = await client('/perplexity').chat.completions.create({
      model: 'sonar',
      messages: [{ role: 'user', content: 'Search for news about tea' }],
    })
    expect((cited as unknown as { citations: string[] }).citations).toHaveLength(3)
    expect(
      (
        await client('/google/v1beta/openai').chat.completions.create({
          model: 'gemini-2.5-flash',
          messages: [{ role: 'user', content: 'Hi' }],
        })
      ).choices[0]!.message.content,
    ).toContain('Hello')
  })

  test('every fault shows as it does at a provider', async () => {
    const failing = (model: string, more: object = {}) =>
      client().chat.completions.create({ model: `m#${model}`, messages: [{ role: 'user', content: 'Hi' }], ...more })
    await expect(failing('status=429;retry_after=2')).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    await expect(failing('status=503')).rejects.toMatchObject({ status: 503 })
    await expect(failing('reset_before')).rejects.toThrow('Connection error')
    await expect(failing('truncate')).rejects.toThrow()
    expect(((await failing('empty_choices')) as OpenAI.ChatCompletion).choices).toEqual([])
    const kinds = ['truncate', 'missing_end', 'malformed_event', 'reset_after']
    const ends = await Promise.all(
      kinds.map(async (kind) => {
        const response = await fetch(`${sandbox.addresses.openai}/openai/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: 'Bearer x', 'x-sandbox-fault': kind },
          body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
        })
        return response.text().catch(() => 'broken')
      }),
    )
    expect(ends.map((text) => text.includes('[DONE]'))).toEqual([false, false, false, false])
    expect(ends[3]).toBe('broken')
    await order({ provider: 'openai', match: 'gpt-broken', kind: 'status', status: 500, times: 2 })
    const broken = () => ask('Hi', { model: 'gpt-broken' })
    await expect(broken()).rejects.toMatchObject({ status: 500 })
    await expect(broken()).rejects.toMatchObject({ status: 500 })
    expect((await broken()).choices).toHaveLength(1)
  })

  test('a reader that leaves is charged for what was sent', async () => {
    const user = randomUUID()
    const parts = await client().chat.completions.create({
      model: 'bench-1000x10',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
      user,
    })
    let seen = 0
    for await (const part of parts) if (part.choices[0]?.delta.content && ++seen === 10) break
    await vi.waitFor(() => {
      const line = truth('completion').find((each) => each.user === user)
      expect(line).toMatchObject({ finished: false })
      expect(line!.completion_tokens).toBeGreaterThanOrEqual(10)
      expect(line!.completion_tokens).toBeLessThan(1000)
    })
  })

  test('a wrong key is refused as OpenAI refuses it', async () => {
    const wrong = new OpenAI({ apiKey: 'sk-invalid', baseURL: `${sandbox.addresses.openai}/openai/v1`, maxRetries: 0 })
    await expect(wrong.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' })
  })
})

describe('registry', () => {
  test('a well-known name is taken, another is free, and both stay so', async () => {
    const status = async (name: string) => (await fetch(`${sandbox.addresses.rdap}/domain/${name}`)).status
    expect(await status('google.com')).toBe(200)
    const names = Array.from({ length: 40 }, (_, index) => `brightpath${index}.io`)
    const first = await Promise.all(names.map(status))
    expect(first.filter((each) => each === 404).length).toBeGreaterThan(20)
    expect(first).toContain(200)
    expect(await Promise.all(names.map(status))).toEqual(first)
    expect(await status('not a name')).toBe(400)
  })
})

describe('faults of one account', () => {
  const status = (account: string, provider: string, times = 1) => order({ provider, account, kind: 'status', status: 503, times })

  test('a letter to another address goes through', async () => {
    const [struck, other] = [newAddress(), newAddress()]
    await status(struck.toUpperCase(), 'smtp')
    const mailer = createTransport(sandbox.addresses.smtp)
    const send = (to: string) => mailer.sendMail({ from: 'a@operon.test', to, subject: 'x', text: 'x' })
    await send(other)
    await expect(send(struck)).rejects.toMatchObject({ responseCode: 503 })
    mailer.close()
  })

  test('a model and a registry fail for whom they were told to, by the header that our services send', async () => {
    const account = randomUUID()
    await status(account, 'openai')
    await status(account, 'rdap')
    const ask = (headers: Record<string, string>) =>
      fetch(`${sandbox.addresses.openai}/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer x', ...headers },
        body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }),
      })
    const lookUp = (headers: Record<string, string>) => fetch(`${sandbox.addresses.rdap}/domain/a-b-c.com`, { headers })
    const mine = { 'x-sandbox-account': account }
    const others = { 'x-sandbox-account': randomUUID() }
    for (const call of [ask, lookUp]) {
      for (const headers of [{}, others]) expect((await call(headers as Record<string, string>)).status).not.toBe(503)
      expect((await call(mine)).status).toBe(503)
    }
  })

  test('the payment provider knows the account by its customer, email or user id, in whatever is asked about it', async () => {
    const post = async (path: string, fields: Record<string, string>) => {
      const answer = await fetch(`${control}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_test_x' },
        body: new URLSearchParams(fields),
      })
      return { status: answer.status, body: (await answer.json()) as { id: string } }
    }
    const [email, user_id] = [newAddress(), randomUUID()]
    await status(user_id, 'stripe')
    expect((await post('customers', { email, 'metadata[user_id]': user_id })).status).toBe(503)
    const mine = await post('customers', { email, 'metadata[user_id]': user_id })
    const other = await post('customers', { email: newAddress() })
    for (const account of [email, user_id, mine.body.id]) {
      await status(account, 'stripe')
      expect((await post(`customers/${other.body.id}`, { name: 'x' })).status).toBe(200)
      expect((await post('setup_intents', { customer: mine.body.id })).status).toBe(503)
    }
  })

  test('a sign-in provider knows the account by the person who approved', async () => {
    const [struck, other] = [newAddress(), newAddress()]
    const codeFor = async (email: string) => {
      const fields = { client_id: 'c', redirect_uri: 'http://localhost:9200/back', response_type: 'code', email, decision: 'approve' }
      const answer = await fetch(`${control}/sandbox/oauth/google/authorize`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
      })
      return new URL(answer.headers.get('location')!).searchParams.get('code')!
    }
    const redeem = async (code: string) =>
      (
        await fetch(`${sandbox.addresses.oauth}/google/token`, {
          method: 'POST',
          body: new URLSearchParams({ client_id: 'c', client_secret: 's', code, redirect_uri: 'http://localhost:9200/back' }),
        })
      ).status
    await status(struck, 'oauth')
    expect(await redeem(await codeFor(other))).toBe(200)
    const code = await codeFor(struck)
    expect([await redeem(code), await redeem(code)]).toEqual([503, 200])
  })

  test('are taken back by account, and those of others stand', async () => {
    await status('one@example.com', 'rdap', 0)
    await status('two@example.com', 'rdap', 0)
    await order({ provider: 'rdap', kind: 'hung', match: 'nothing-like-it' })
    const left = JSON.parse((await call('DELETE', '/sandbox/faults?account=ONE@example.com')).text).faults
    expect(left.map(({ account }: { account?: string }) => account)).toEqual(['two@example.com', undefined])
  })
})

test('a restart keeps ports, messages and the log', async () => {
  const to = newAddress()
  const mailer = createTransport(sandbox.addresses.smtp)
  await mailer.sendMail({ from: 'a@operon.test', to, subject: 'x', text: 'x' })
  mailer.close()
  const before = sandbox.addresses
  const lines = sandbox.truth.read({}).length
  await sandbox.close()
  sandbox = await start()
  expect(sandbox.addresses).toEqual(before)
  // The first call may meet a kept-alive connection of the process before.
  expect(await vi.waitFor(() => messagesTo(to))).toHaveLength(1)
  expect(sandbox.truth.read({})).toHaveLength(lines)
})

test('a page of another site cannot press the buttons', async () => {
  const answer = await fetch(`${control}/sandbox/inbox/clear`, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })
  expect(answer.status).toBe(403)
})

test('nonsense is refused with a 4xx', async () => {
  const paths = [
    '/sandbox/faults',
    '/sandbox/api/stripe/clock/advance',
    '/sandbox/api/stripe/webhooks',
    '/sandbox/stripe',
    '/sandbox/api/stripe/disputes',
  ]
  const bodies = ['{', 'null', '[]', '"x"', '{"seconds":1e15}', 'seconds=-1', '\u0000']
  for (const path of paths) {
    for (const body of bodies) expect((await fetch(control + path, { method: 'POST', body, redirect: 'manual' })).status).toBeLessThan(500)
  }
})
