import { once } from 'node:events'
import { request as httpRequest, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { jsonOf, raw, serviceKey, testGateway, token } from './testing/start.ts'
import { type TestUpstream, testUpstream } from './testing/upstream.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(answer?: Parameters<typeof testUpstream>[0], options: Parameters<typeof testGateway>[0] = {}) {
  const upstream = await testUpstream(answer)
  const gateway = await testGateway({ upstreams: { billing: { kind: 'remote', addresses: [upstream.url] } }, ...options })
  ends.push(upstream.close, gateway.close)
  return { upstream, gateway, call: (path: string, init?: RequestInit) => fetch(`${gateway.url}${path}`, init) }
}
const post = (body: string, headers: Record<string, string> = {}) => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
})

describe('what passes through', () => {
  test('a call reaches the service with the gateway’s word on who it is from, and nothing that a stranger claims', async () => {
    const { call } = await start()
    const response = await call(
      '/functions/v1/open?a=1%2F2',
      post('{"x":1}', { 'x-forwarded-for': '6.6.6.6', 'x-operon-actor': 'staff', forwarded: 'for=6.6.6.6' }),
    )
    const seen = await jsonOf(response)
    expect(seen).toMatchObject({ method: 'POST', url: '/functions/v1/open?a=1%2F2', body: '{"x":1}' })
    expect(seen.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http', 'content-length': '7' })
    expect(seen.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(seen.headers).not.toHaveProperty('x-operon-actor')
    expect(seen.headers).not.toHaveProperty('forwarded')
    expect(response.headers.get('x-request-id')).toBe(seen.headers['x-request-id'])
    expect(response.headers.get('x-operon-secret')).toBeNull()
    expect(response.headers.get('x-powered-by')).toBeNull()
  })

  test('a large upload of unknown length streams through whole, and one past its limit is refused', async () => {
    const { call, upstream } = await start()
    const stream = (bytes: number) => {
      let left = bytes
      return new ReadableStream({
        pull(controller) {
          if (left <= 0) return controller.close()
          const size = Math.min(left, 64 * 1024)
          left -= size
          controller.enqueue(new Uint8Array(size).fill(97))
        },
      })
    }
    const whole = await call('/functions/v1/upload', { method: 'POST', body: stream(3_000_000), duplex: 'half' } as RequestInit)
    expect((await jsonOf(whole)).body).toHaveLength(3_000_000)
    const tooLarge = await call('/functions/v1/upload', { method: 'POST', body: stream(9_000_000), duplex: 'half' } as RequestInit).catch(
      () => null,
    )
    // The refusal may reach the sender as an answer or as a closed connection; the service never gets a whole body.
    if (tooLarge) expect(tooLarge.status).toBe(413)
    expect(upstream.seen).toHaveLength(1)
  })

  test('a declared length past the limit is refused before it is sent', async () => {
    const { gateway, upstream } = await start()
    const answer = await raw(gateway.port, 'POST /functions/v1/open HTTP/1.1\r\nhost: a\r\ncontent-length: 2000000\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer).toMatch(/connection: close/i)
    expect(upstream.seen).toHaveLength(0)
  })

  test('who waits for 100-continue gets it only when the call is admitted', async () => {
    const { gateway } = await start()
    const head = (path: string, length: number) =>
      `POST ${path} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`
    expect(await raw(gateway.port, head('/functions/v1/mine', 2), /\r\n\r\n/)).toMatch(/^HTTP\/1.1 401 /)
    expect(await raw(gateway.port, [head('/functions/v1/open', 2), '{}'], /"body":"\{\}"/)).toMatch(/^HTTP\/1.1 100 Continue/)
  })

  test('events arrive one by one, and a page that leaves ends the stream at the service', async () => {
    let stream: ServerResponse | null = null
    let closed = false
    const { gateway } = await start((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      stream = response
      request.on('close', () => (closed = true))
      response.on('close', () => (closed = true))
      return true
    })
    const leave = new AbortController()
    const response = await fetch(`${gateway.url}/functions/v1/stream`, { signal: leave.signal })
    const reader = response.body!.getReader()
    for (const word of ['one', 'two']) {
      stream!.write(`data: ${word}\n\n`)
      expect(Buffer.from((await reader.read()).value!).toString()).toBe(`data: ${word}\n\n`)
    }
    closed = false
    leave.abort()
    await vi.waitFor(() => expect(closed).toBe(true))
  })

  test('an answer that the service cuts never looks whole', async () => {
    const { call } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('half', () => response.socket!.destroy())
      return true
    })
    const response = await call('/functions/v1/open', post('{}'))
    await expect(response.text()).rejects.toThrow()
  })

  test('a slow reader holds the service back instead of filling the gateway', async () => {
    let written = 0
    const { gateway } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const chunk = Buffer.alloc(64 * 1024)
      const more = () => {
        while (written < 64 * 1024 * 1024) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
      return true
    })
    const asked = httpRequest(`${gateway.url}/functions/v1/stream`)
    asked.end()
    const response = await new Promise<import('node:http').IncomingMessage>((resolve) => asked.on('response', resolve))
    response.pause()
    let before = -1
    await vi.waitFor(
      () => {
        const same = before === written
        before = written
        expect(same).toBe(true)
      },
      { interval: 200, timeout: 5_000 },
    )
    expect(written).toBeLessThan(32 * 1024 * 1024)
    let read = 0
    for await (const chunk of response) read += chunk.length
    expect(read).toBe(64 * 1024 * 1024)
  })
})

test('a slow reader is waited for by one listener, however many pieces come', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  const { gateway } = await start((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    for (let i = 0; i < 20_000; i++) response.write(`${i}`.padStart(200))
    response.end()
    return true
  })
  const response = await fetch(`${gateway.url}/functions/v1/stream`)
  const reader = response.body!.getReader()
  await reader.read()
  await raw(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  let read = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) read += part.value.length
  process.off('warning', onWarning)
  expect(read).toBeGreaterThan(3_000_000)
  expect(warnings).toEqual([])
})

describe('who may pass', () => {
  test('a signed-in call passes, an anonymous one is refused in the shape of its protocol', async () => {
    const { call } = await start()
    const mine = token()
    expect((await call('/functions/v1/mine', post('{}', { authorization: `Bearer ${mine.token}` }))).status).toBe(200)
    const refused = await call('/functions/v1/mine', post('{}', { apikey: 'anon', authorization: 'Bearer anon' }))
    expect(refused.status).toBe(401)
    expect(refused.headers.get('content-type')).toMatch('application/problem+json')
    expect(await refused.json()).toMatchObject({ status: 401, code: 'not_authenticated', message: 'Not authenticated' })
    expect(await (await call('/rest/v1/things')).json()).toMatchObject({ code: 'PGRST301' })
    expect(await (await call('/auth/v1/admin/users/1')).json()).toMatchObject({ code: 401, error_code: 'no_authorization' })
  })

  test('a password alone, where the account has a second factor, opens what is public and nothing else', async () => {
    const { call, upstream } = await start()
    const half = { headers: { authorization: `Bearer ${token({ mfa: true, aal: 'aal1' }).token}` } }
    const refusals: [path: string, init: RequestInit, body: object][] = [
      ['/functions/v1/mine', { method: 'POST', ...half }, { status: 403, code: 'insufficient_aal' }],
      ['/functions/v1/for-staff', { method: 'POST', ...half }, { status: 403, code: 'insufficient_aal' }],
      ['/ai/v1/models', half, { error: { code: 'insufficient_aal', type: 'invalid_request_error' } }],
      ['/rest/v1/things', half, { code: 'insufficient_aal', details: null, hint: null }],
      ['/auth/v1/admin/users/1', half, { code: 403, error_code: 'insufficient_aal' }],
    ]
    for (const [path, init, body] of refusals) {
      const refused = await call(path, init)
      expect(refused.status).toBe(403)
      expect(await refused.json()).toMatchObject(body)
    }
    expect(upstream.seen).toEqual([])
    expect((await call('/functions/v1/open', { method: 'POST', ...half })).status).toBe(200)
    const whole = { headers: { authorization: `Bearer ${token({ mfa: true, aal: 'aal2' }).token}` } }
    expect((await call('/functions/v1/mine', { method: 'POST', ...whole })).status).toBe(200)
  })

  test('staff and service routes take only those, and user keys are left to the owning service', async () => {
    const { call } = await start()
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
    expect((await call('/functions/v1/for-staff', post('{}', bearer(token().token)))).status).toBe(403)
    expect((await call('/functions/v1/for-staff', post('{}', bearer(token({ app_metadata: { staff: true } }).token)))).status).toBe(200)
    expect((await call('/auth/v1/admin/users/1', { headers: bearer(token().token) })).status).toBe(403)
    expect((await call('/auth/v1/admin/users/1', { headers: bearer(serviceKey) })).status).toBe(200)
    expect((await call('/ai/v1/models', { headers: bearer('sk-of-a-user') })).status).toBe(200)
  })

  test('forged, foreign and expired tokens are refused, and a revoked session at once though it was just seen', async () => {
    const { call, gateway } = await start()
    const as = (text: string) =>
      call('/functions/v1/mine', post('{}', { authorization: `Bearer ${text}` })).then((response) => response.status)
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token().token.split('.')[1]}.`
    for (const bad of [
      none,
      `${token().token.slice(0, -4)}AAAA`,
      token({ exp: 1 }).token,
      token({ iss: 'http://evil' }).token,
      token({ aud: 'else' }).token,
    ])
      expect(await as(bad)).toBe(401)
    const mine = token()
    expect(await as(mine.token)).toBe(200)
    gateway.broadcast('identity.session_revoked', { session_id: mine.sessionId, user_id: mine.userId })
    expect(await as(mine.token)).toBe(401)
  })

  test('unknown paths and methods are told apart', async () => {
    const { call } = await start()
    expect((await call('/functions/v1/nothing', post('{}'))).status).toBe(404)
    expect(await (await call('/rest/v1/nothing')).json()).toMatchObject({ code: 'PGRST205' })
    const rpc = await call('/rest/v1/rpc/nothing', post('{}'))
    expect([rpc.status, await rpc.json()]).toEqual([
      404,
      {
        code: 'PGRST202',
        message: 'Could not find the function public.nothing in the schema cache',
        details: 'Searched for the function public.nothing, but no matches were found in the schema cache.',
        hint: null,
      },
    ])
    const wrong = await call('/functions/v1/open')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('limits', () => {
  test('past the limit of its class a call is refused with the time to wait, by address or by person', async () => {
    const { call } = await start(undefined, { env: { RATE_AUTH_STRICT: '3/60s', RATE_WRITE: '2/60s' } })
    const signUp = () => call('/auth/v1/signup', post('{}'))
    for (const left of [2, 1, 0]) expect((await signUp()).headers.get('ratelimit')).toMatch(`"auth-strict";r=${left};`)
    const refused = await signUp()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10)
    expect(await refused.json()).toMatchObject({ error_code: 'over_request_rate_limit' })
    const asPerson = (text: string) =>
      call('/functions/v1/mine', post('{}', { authorization: `Bearer ${text}` })).then((response) => response.status)
    const [one, other] = [token(), token()]
    expect([await asPerson(one.token), await asPerson(one.token), await asPerson(one.token), await asPerson(other.token)]).toEqual([
      200, 200, 429, 200,
    ])
  })

  test('a hundred refreshes at once pass where a hundred sign-ins do not', async () => {
    // Slowly refilled: on a busy machine a hundred calls take their time.
    const { call } = await start(undefined, { env: { RATE_AUTH: '60/3600s' } })
    const many = async (query: string) => {
      const statuses = await Promise.all(
        Array.from({ length: 100 }, () => call(`/auth/v1/token?${query}`, post('{}')).then((response) => response.status)),
      )
      return statuses.filter((status) => status === 200).length
    }
    expect(await many('grant_type=refresh_token')).toBe(100)
    expect(await many('grant_type=password')).toBe(60)
  })

  test('a claimed address counts only from a trusted proxy', async () => {
    const { call } = await start(undefined, { env: { TRUSTED_PROXIES: 'loopback', RATE_AUTH_STRICT: '1/60s' } })
    const from = (address: string) =>
      call('/auth/v1/signup', post('{}', { 'x-forwarded-for': `9.9.9.9, ${address}, 127.0.0.1` })).then((response) => response.status)
    expect([await from('1.1.1.1'), await from('1.1.1.1'), await from('2.2.2.2')]).toEqual([200, 429, 200])
    expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8:0:1::1')]).toEqual([200, 429, 200])
  })

  test('the addresses of one IPv6 network share what an address may ask for in all', async () => {
    const { call } = await start(undefined, { env: { TRUSTED_PROXIES: 'loopback', RATE_ADDRESS: '2/60s' } })
    const from = (address: string) =>
      call('/functions/v1/open', post('{}', { 'x-forwarded-for': address })).then((response) => response.status)
    const many = []
    for (const address of ['2001:db8:9::1', '2001:db8:9::2', '2001:db8:9::3', '2001:db8:9:1::1']) many.push(await from(address))
    expect(many).toEqual([200, 200, 429, 200])
  })
})

test('draining finishes what runs and then takes nothing new', async () => {
  const nothing = () => {}
  let finish = nothing
  const { call, gateway } = await start((_request, response) => {
    finish = () => response.end('whole')
    return true
  })
  const running = call('/functions/v1/stream')
  await vi.waitFor(() => expect(finish).not.toBe(nothing))
  const drained = gateway.drain()
  finish()
  const response = await running
  expect([await response.text(), response.headers.get('connection')]).toEqual(['whole', 'close'])
  await drained
  await expect(call('/functions/v1/stream')).rejects.toThrow()
})

describe('several instances', () => {
  test('one that is gone is left out, and nobody notices', async () => {
    const [one, two] = [await testUpstream(), await testUpstream()]
    const gateway = await testGateway({ upstreams: { billing: { kind: 'remote', addresses: [one.url, two.url] } } })
    ends.push(two.close, gateway.close)
    const some = () =>
      Promise.all(
        Array.from({ length: 20 }, () => fetch(`${gateway.url}/functions/v1/open`, post('{}')).then((response) => response.status)),
      )
    expect(new Set(await some())).toEqual(new Set([200]))
    expect(one.seen.length).toBeGreaterThan(5)
    await one.close()
    for (let i = 0; i < 5; i++) expect(new Set(await some())).toEqual(new Set([200]))
    expect(two.seen.length).toBeGreaterThan(100)
  })

  test('a single one that restarts is waited for; what may have been done is never sent twice', async () => {
    let upstream: TestUpstream = await testUpstream()
    const port = Number(new URL(upstream.url).port)
    const gateway = await testGateway({ upstreams: { billing: { kind: 'remote', addresses: [upstream.url] } } })
    ends.push(gateway.close, () => upstream.close())
    await upstream.close()
    const waiting = fetch(`${gateway.url}/functions/v1/open`, post('{"kept":1}'))
    let arrivals = 0
    upstream = await testUpstream((request) => {
      if (!request.url!.includes('die')) return false
      arrivals += 1
      request.socket.destroy()
      return true
    }, port)
    expect((await jsonOf(waiting)).body).toBe('{"kept":1}')
    expect((await fetch(`${gateway.url}/functions/v1/open?die`, post('{}'))).status).toBe(502)
    expect(arrivals).toBe(1)
    expect((await fetch(`${gateway.url}/functions/v1/stream?die`)).status).toBe(502)
    expect(arrivals).toBe(3)
  })

  test('an upload whose service is away for a moment arrives whole, though its body came meanwhile', async () => {
    let upstream = await testUpstream()
    const port = Number(new URL(upstream.url).port)
    const gateway = await testGateway({ upstreams: { billing: { kind: 'remote', addresses: [upstream.url] } } })
    ends.push(gateway.close, () => upstream.close())
    await upstream.close()
    const socket = connect(gateway.port, '127.0.0.1')
    ends.push(async () => socket.destroy())
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.write('POST /functions/v1/upload HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n')
    // By the time that somebody else has been answered the first attempt has failed.
    await raw(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    socket.write('4\r\nkept\r\n3\r\nall\r\n0\r\n\r\n')
    await raw(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    upstream = await testUpstream(undefined, port)
    await vi.waitFor(() => expect(answer).toContain('"body":"keptall"'))
    expect(upstream.seen).toHaveLength(1)
  })

  test('an upload that is sent again after its service broke off arrives whole', async () => {
    let arrivals = 0
    const { gateway, upstream } = await start((request) => {
      arrivals += 1
      if (arrivals > 1) return false
      request.socket.destroy()
      return true
    })
    const socket = connect(gateway.port, '127.0.0.1')
    ends.push(async () => socket.destroy())
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk))
    socket.write('POST /functions/v1/once HTTP/1.1\r\nhost: a\r\nidempotency-key: k\r\ntransfer-encoding: chunked\r\n\r\n')
    await vi.waitFor(() => expect(arrivals).toBe(1))
    // The next attempt is a while away; the body comes before it.
    await raw(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    socket.write('4\r\nkept\r\n3\r\nall\r\n0\r\n\r\n')
    await vi.waitFor(() => expect(answer).toContain('"body":"keptall"'))
    expect([arrivals, upstream.seen.length]).toEqual([2, 1])
  })

  test('a connection that the service has just closed fails no call', async () => {
    const { gateway, upstream } = await start()
    const socket = connect(gateway.port, '127.0.0.1')
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk))
    await once(socket, 'connect')
    for (let i = 1; i <= 20; i++) {
      // The call is there first and the farewell right behind it: both wait when the gateway looks.
      socket.write('POST /functions/v1/open HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}')
      upstream.server.closeIdleConnections()
      await vi.waitFor(() => expect(answers.match(/HTTP\/1.1 \d+/g)).toHaveLength(i))
    }
    expect(new Set(answers.match(/HTTP\/1.1 \d+/g))).toEqual(new Set(['HTTP/1.1 200']))
    expect(upstream.seen).toHaveLength(20)
    socket.destroy()
  })

  test('a service without any instance answers 503 in the shape of its protocol', async () => {
    const gateway = await testGateway({ upstreams: {} })
    ends.push(gateway.close)
    const response = await fetch(`${gateway.url}/functions/v1/open`, post('{}'))
    expect([response.status, (await jsonOf(response)).code]).toEqual([503, 'unavailable'])
  })
})
