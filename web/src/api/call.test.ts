import { afterEach, expect, test, vi } from 'vitest'
import { callPublic } from './call.ts'
import { ApiError } from './http.ts'

const answers = (make: () => Promise<Response>) => {
  vi.stubGlobal('fetch', vi.fn(make))
  vi.stubGlobal('navigator', { onLine: true })
}
afterEach(() => vi.unstubAllGlobals())

test('what a contract does not take or answer does not compile', () => {
  answers(async () => Response.json({}))
  // @ts-expect-error no function of that name
  void callPublic('no-such-function')
  // @ts-expect-error its contract takes an email
  void callPublic('newsletter-subscribe', { address: 'a@b.example' })
  // @ts-expect-error a signed-in function is not called as a visitor
  void callPublic('ai-usage')
  // @ts-expect-error what is needed is not left out
  void callPublic('validate-referral')
  callPublic('platform-info').then(
    (platform) =>
      // @ts-expect-error nor read what it does not answer
      platform.nothing,
  )
})

test('a refusal, an outage and a proxy in between are one kind of error, with words to show', async () => {
  const failure = () => callPublic('platform-info').catch((error: unknown) => error as ApiError)
  answers(async () => Response.json({ code: 'rate_limited', detail: 'Wait a moment.', request_id: 'r1' }, { status: 429 }))
  const refused = await failure()
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ status: 429, code: 'rate_limited', message: 'Wait a moment.', requestId: 'r1' })
  answers(async () => {
    throw new TypeError('fetch failed')
  })
  expect(await failure()).toMatchObject({ status: 0, code: 'offline', message: expect.stringContaining('could not be reached') })
  answers(async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }))
  expect(await failure()).toMatchObject({ status: 503, code: 'unavailable' })
})

test('a call that is ended by hand tells no failure; a key goes along', async () => {
  const sent: RequestInit[] = []
  const control = new AbortController()
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    sent.push(init)
    if (init.signal?.aborted) throw init.signal.reason
    return Response.json({ valid: true })
  })
  await callPublic('validate-referral', { code: 'abc' }, { idempotencyKey: 'k1' })
  expect(sent[0]).toMatchObject({ method: 'POST', body: '{"code":"abc"}', headers: { 'idempotency-key': 'k1' } })
  control.abort()
  await expect(callPublic('validate-referral', { code: 'abc' }, { signal: control.signal })).rejects.toMatchObject({ name: 'AbortError' })
})
