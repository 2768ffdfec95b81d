import { randomBytes } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { event, fn, job } from '@operon/contracts/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { serve } from './http.ts'
import { newId } from './ids.ts'
import { Reserver } from './reserver.ts'
import type { ServiceDefinition } from './service.ts'
import { withTrace } from './telemetry.ts'
import { startTestPlatform, type TestPlatform } from './testing/service.ts'
import { openSpan, summaryOf } from './tracing.ts'
import { enqueue, inTransaction, publish } from './tx.ts'

const PRIVATE = 'canary-7f3a-ada@example.com'
const begin = fn('trace-begin', { access: 'public', body: z.object({ email: z.string() }), reply: z.object({ ok: z.boolean() }) })
const began = event('crm.trace_began', z.object({ email: z.string() }))
const finish = job('marketplace.trace_finish', z.object({ email: z.string() }))

type Received = {
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: number
  links?: { traceId: string }[]
}
const received: Received[] = []
let bodies = ''
let collector: Server
let thirdParty: Server
let platform: TestPlatform
const finished = vi.fn()

const listening = async (server: Server) => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    bodies += text
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans)
      for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans))
        received.push({
          ...span,
          service: resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue,
          status: span.status?.code ?? 0,
        })
    response.setHeader('content-type', 'application/json').end('{}')
  })
  thirdParty = createServer((_request, response) => response.end('ok'))
  const elsewhere = await listening(thirdParty)
  const first: ServiceDefinition = {
    name: 'crm',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      serve(rt.app, begin, async (ctx, { email }) => {
        await fetch(`${elsewhere}/${email}?token=${PRIVATE}`)
        await new Promise<void>((done) => get(`${elsewhere}/${PRIVATE}`, (answer) => answer.resume().on('end', done)))
        await inTransaction(ctx.db, async (trx) => {
          await sql`select ${email}::text from outbox limit 0`.execute(trx)
          await publish(trx, began, null, { email })
        })
        if (email === 'fail') throw new Error(PRIVATE)
        return { ok: true }
      })
    },
  }
  const second: ServiceDefinition = {
    name: 'marketplace',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      rt.on(began, 'go-on', async (trx, { payload }) => void (await enqueue(trx, finish, payload)))
      rt.job(finish, async (_ctx, { payload }) => finished(payload.email))
    },
  }
  expect(openSpan({ service: 'crm', kind: 'server', name: 'x' })).toBeNull()
  expect(channel('undici:request:create').hasSubscribers).toBe(false)
  platform = await startTestPlatform([first, second], {
    OTEL_EXPORTER_OTLP_ENDPOINT: await listening(collector),
    OTEL_BSP_SCHEDULE_DELAY: '20',
  })
})
afterAll(async () => {
  await platform?.close()
  collector?.close()
  thirdParty?.close()
})

const newTrace = () => randomBytes(16).toString('hex')
const call = (traceparent: string, email = PRIVATE) =>
  fetch(`${platform.url('crm')}/functions/v1/trace-begin?key=${PRIVATE}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer anon', cookie: PRIVATE, traceparent },
    body: JSON.stringify({ email }),
  })

describe('traces', () => {
  test('one request is one trace from the gateway through SQL, third parties, the outbox and the bus to a job', async () => {
    const traceId = newTrace()
    expect((await call(`00-${traceId}-b7ad6b7169203331-01`)).status).toBe(200)
    await vi.waitFor(() => expect(finished).toHaveBeenCalled(), 10_000)
    const step = (name: string) => received.find((span) => span.traceId === traceId && span.name === name)
    const chain = [
      ['POST /functions/v1/trace-begin', 'crm', 2],
      ['publish crm.trace_began', 'crm', 4],
      ['crm.trace_began go-on', 'marketplace', 5],
      ['publish marketplace.trace_finish', 'marketplace', 4],
      ['job marketplace.trace_finish', 'marketplace', 5],
    ] as const
    // Each service sends its own, in batches of its own.
    await vi.waitFor(() => expect(chain.map(([name]) => step(name)?.name)).toEqual(chain.map(([name]) => name)), 10_000)
    let parent = 'b7ad6b7169203331'
    for (const [name, service, kind] of chain) {
      expect(step(name), name).toMatchObject({ service, kind, parentSpanId: parent })
      parent = step(name)!.spanId
    }
    const request = step(chain[0][0])!.spanId
    await vi.waitFor(() => expect(step('insert outbox')).toMatchObject({ service: 'crm', kind: 3, parentSpanId: request }), 10_000)
    const outgoing = () => received.filter((span) => span.traceId === traceId && span.name === 'GET 127.0.0.1')
    await vi.waitFor(() => expect(outgoing()).toHaveLength(2), 10_000)
    expect(outgoing()[0]).toMatchObject({ service: 'crm', kind: 3, parentSpanId: request })
  })

  test('nothing of a person or a secret is in them, and a failure is told by its kind', async () => {
    const traceId = newTrace()
    expect((await call(`00-${traceId}-b7ad6b7169203331-01`, 'fail')).status).toBe(500)
    await vi.waitFor(() => expect(received.find((span) => span.traceId === traceId && span.kind === 2)?.status).toBe(2), 10_000)
    expect(bodies).not.toContain(PRIVATE)
    expect(bodies).not.toContain('canary')
  })

  test('what the caller does not sample is carried and not sent; polling belongs to no trace', async () => {
    const traceId = newTrace()
    finished.mockClear()
    expect((await call(`00-${traceId}-b7ad6b7169203331-00`)).status).toBe(200)
    await vi.waitFor(() => expect(finished).toHaveBeenCalled(), 10_000)
    const marker = newTrace()
    await call(`00-${marker}-b7ad6b7169203331-01`)
    await vi.waitFor(() => expect(received.find((span) => span.traceId === marker && span.name.startsWith('job '))).toBeDefined(), 10_000)
    expect(received.filter((span) => span.traceId === traceId)).toEqual([])
    expect(received.filter(({ name }) => /^update (outbox|inbox)/.test(name))).toEqual([])
  })

  test('a reservation that several share is a step of the first one, linked to the others', async () => {
    const reserver = new Reserver(platform.services.crm!.rt.db, 'prompts', 'crm')
    const [alone, first, second, third] = [newTrace(), newTrace(), newTrace(), newTrace()]
    const ask = (trace: string) =>
      withTrace(`00-${trace}-b7ad6b7169203331-01`, () => reserver.reserve({ userId: newId(), feature: 'chat' }))
    await Promise.all([alone, first, second, third].map(ask))
    const step = (trace: string) => received.find(({ traceId, name }) => traceId === trace && name === 'reserve')
    await vi.waitFor(() => expect([step(alone), step(first)]).toEqual([expect.anything(), expect.anything()]), 10_000)
    expect(step(alone)!.links ?? []).toEqual([])
    expect(step(first)!.links!.map(({ traceId }) => traceId)).toEqual([second, third])
  })

  test('a statement is told by its verb and its table', () => {
    expect(summaryOf(`insert into "facts" ("a") values ($1)`)).toEqual(['insert', 'facts'])
    expect(summaryOf('\n with due as (select id from outbox) update outbox set x = 1')).toEqual(['update', 'outbox'])
    expect(summaryOf('with x as (select id from a for update skip locked) select * from b')).toEqual(['select', 'a'])
    expect(summaryOf('with x as (insert into a select 1 on conflict do update set b = 1) delete from c')).toEqual(['insert', 'a'])
    expect(summaryOf('begin')).toEqual(['begin', ''])
  })
})
