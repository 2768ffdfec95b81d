import { sandboxAddress } from '@operon/contracts/sandbox/events'
import { startTestService } from '@operon/kit/testing/service'
import { afterAll, expect, test } from 'vitest'
import { sandboxService } from './service.ts'

const platform = await startTestService(sandboxService)
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

test.each([
  ['in production', { NODE_ENV: 'production' }],
  ['at a public address', { PUBLIC_URL: 'https://operon.example' }],
])('it does not start %s without a key, and says which setting opens it', async (_where, env) => {
  await expect(startTestService(sandboxService, env)).rejects.toThrow(/^SANDBOX_KEY: .*real people/)
})

test('with a key it starts there, and its pages are there for whoever has the key, on every listener', async () => {
  const key = 'for-the-demonstration-only'
  const guarded = await startTestService(sandboxService, { PUBLIC_URL: 'https://operon.example', SANDBOX_KEY: key })
  const { url } = await guarded.services.sandbox!.rt.ask(sandboxAddress, { provider: 'stripe' })
  const get = (path: string, headers = {}, base = guarded.url()) => fetch(base + path, { headers, redirect: 'manual' })
  for (const base of [guarded.url(), url])
    for (const path of [
      '/sandbox',
      '/sandbox/inbox',
      '/sandbox/api/inbox',
      '/sandbox/api/truth',
      '/sandbox?key=wrong',
      '/sandbox/inbox?key=',
    ])
      expect((await get(path, { 'x-sandbox-key': 'wrong', cookie: `operon-sandbox=${key}` }, base)).status, base + path).toBe(404)
  expect((await fetch(`${guarded.url()}/sandbox/api/faults`, { method: 'DELETE' })).status).toBe(404)
  expect((await get('/sandbox/api/inbox', { 'x-sandbox-key': key })).status).toBe(200)
  const opened = await get(`/sandbox?key=${key}`)
  const cookie = opened.headers.get('set-cookie')!
  expect([opened.status, opened.headers.get('location')]).toEqual([303, '/sandbox'])
  expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/)
  expect(cookie).not.toContain(key)
  expect((await get('/sandbox/inbox', { cookie: `other=1; ${cookie.split(';')[0]}` })).status).toBe(200)
  await guarded.close()
})
