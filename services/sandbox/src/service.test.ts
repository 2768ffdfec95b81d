import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { startTestService, type TestPlatform } from '@operon/kit/testing/service'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxService } from './service.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestService(sandboxService)
})
afterAll(() => platform.close())

test('the pages stand under /sandbox, with their own policy', async () => {
  const page = await fetch(`${platform.url()}/sandbox/inbox`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect((await fetch(`${platform.url()}/sandbox/assets/sandbox.css`)).headers.get('content-type')).toContain('text/css')
  expect((await fetch(`${platform.url()}/sandbox/nothing`)).status).toBe(404)
})

test('forms, JSON and deletes reach it as they were sent', async () => {
  const fault = { provider: 'rdap', kind: 'status', status: 503 }
  const headers = { 'content-type': 'application/json' }
  const ordered = await fetch(`${platform.url()}/sandbox/faults`, { method: 'POST', headers, body: JSON.stringify(fault) })
  expect(await ordered.json()).toMatchObject({ faults: [fault] })
  expect(await (await fetch(`${platform.url()}/sandbox/faults`, { method: 'DELETE' })).json()).toEqual({ faults: [] })
  const cleared = await fetch(`${platform.url()}/sandbox/inbox/clear`, { method: 'POST', body: new URLSearchParams(), redirect: 'manual' })
  expect(cleared.status).toBe(303)
})

test('other services learn over the bus where a stand-in listens', async () => {
  const { url } = await platform.services.sandbox!.rt.ask(sandboxAddress, { provider: 'stripe' })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${url}/v1/customers`)).status).toBe(401)
})

test('it does not start in production unless told to', async () => {
  await expect(startTestService(sandboxService, { NODE_ENV: 'production' })).rejects.toThrow('SANDBOX_ALLOW_IN_PRODUCTION')
})
