import { event, fn, job } from '@operon/contracts/contract'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { DomainError } from './errors.ts'
import { serve } from './http.ts'
import type { ServiceDefinition } from './service.ts'
import { startTestPlatform } from './testing/service.ts'
import { enqueue, inTransaction, publish } from './tx.ts'

const ask = fn('failure-ask', { access: 'user', body: z.object({ how: z.string() }), reply: z.object({}) })
const happened = event('crm.failure_happened', z.object({}))
const doomed = job('crm.failure_doomed', z.object({}), { attempts: 1 })

const lines: Record<string, any>[] = []
const service: ServiceDefinition = {
  name: 'crm',
  config: z.object({}),
  migrations: {},
  setup(rt) {
    serve(rt.app, ask, async (ctx, { how }) => {
      if (how === 'late') await inTransaction(ctx.db as never, async (trx) => void (await enqueue(trx as never, doomed, {})))
      if (how === 'late') return {}
      if (how === 'bug') throw new TypeError('nobody thought of it')
      await rt.providers
        .call('sms', async () => {
          throw Object.assign(new Error('no such key'), { statusCode: 401 })
        })
        .catch((cause) => {
          throw new DomainError('upstream_failed', { cause })
        })
      return {}
    })
    rt.on(happened, 'fail', () => Promise.reject(Object.assign(new Error('cannot'), { code: 'E_CANNOT' })))
    rt.job(doomed, () => rt.providers.call('smtp', () => Promise.reject(new Error('cannot'))))
  },
}
const platform = await startTestPlatform([service], { LOG_LEVEL: 'info' }, { onLine: (line) => lines.push(line) })
afterAll(() => platform.close())

const call = async (how: string) => {
  const user = platform.user()
  const requestId = `asked-${how}-${user.id}`
  const headers = { ...user.headers, 'content-type': 'application/json', 'x-request-id': requestId }
  const answer = await fetch(`${platform.url()}${ask.path}`, { method: 'POST', headers, body: JSON.stringify({ how }) })
  await answer.text()
  return { status: answer.status, user, requestId, told: lines.filter((line) => line.requestId === requestId && line.level >= 40) }
}

test('a failed request is one line with its request id, its code, the provider and the person', async () => {
  const { status, told, user, requestId } = await call('refused key')
  expect(status).toBe(502)
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({ requestId, errorCode: 'upstream_failed', provider: 'sms', tenant: user.id, route: ask.path })
  const bug = await call('bug')
  expect(bug.told).toMatchObject([{ errorCode: 'internal', provider: null, tenant: bug.user.id, level: 50 }])
})

test('what goes on after a request fails in the name of its person and within its trace', async () => {
  const { rt } = platform.services.crm!
  const user = platform.user()
  await inTransaction(rt.db as never, (trx) => publish(trx as never, happened, user.id, {}))
  const ofEvent = () => lines.find((line) => line.handler === 'crm.fail')
  await expect.poll(ofEvent, { timeout: 20_000 }).toMatchObject({ tenant: user.id, errorCode: 'E_CANNOT', provider: null })
  expect(ofEvent()!.requestId).toBe(ofEvent()!.event)
  await call('late')
  const ofJob = () => lines.find((line) => line.name === doomed.name)
  await expect.poll(ofJob, { timeout: 20_000 }).toMatchObject({ msg: 'job parked', provider: 'smtp', errorCode: 'Error' })
  expect(ofJob()!.requestId).toBe(ofJob()!.job)
})

test('no line of a failure lacks one of the four fields', async () => {
  platform.infra.log.warn('something broke that nobody asked for')
  expect(lines.at(-1)).toMatchObject({ requestId: null, errorCode: null, provider: null, tenant: null })
  for (const line of lines.filter(({ level }) => level >= 40))
    for (const field of ['requestId', 'errorCode', 'provider', 'tenant']) expect(line, field).toHaveProperty(field)
})

test('calls to third parties are counted by how they ended, and jobs by how long they ran', async () => {
  await call('refused key')
  const text = await platform.infra.metrics.registry.metrics()
  expect(text).toMatch(/operon_provider_requests_total\{service="crm",provider="sms",outcome="key_refused"\} \d/)
  expect(text).toMatch(/operon_provider_seconds_count\{service="crm",provider="sms"\} \d/)
  expect(text).toMatch(/operon_job_seconds_count\{service="crm",job="crm.failure_doomed",outcome="parked"\} 1/)
  expect(text).toMatch(/operon_pool_connections\{service="crm",pool="main",state="idle"\} \d/)
  expect(text).toContain('nodejs_eventloop_lag_seconds')
})
