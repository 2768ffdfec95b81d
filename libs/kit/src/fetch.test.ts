import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createGuardedFetch, isPublicAddress } from './fetch.ts'

// Users choose addresses that the platform fetches. The canary listens on loopback: any connection to it is the failure.
let canary: Server
let inside: string
let touched = 0
let answers: (path: string) => { status?: number; headers?: Record<string, string>; body?: string | Buffer | null }

beforeAll(async () => {
  canary = createServer((request, response) => {
    const { status = 200, headers = {}, body = 'inside' } = answers(request.url!)
    if (body === null) return
    response.writeHead(status, headers).end(body)
  })
  canary.on('connection', () => touched++)
  await new Promise<void>((ready) => canary.listen(0, ready))
  inside = String((canary.address() as AddressInfo).port)
})
beforeEach(() => {
  touched = 0
  answers = () => ({})
})
afterEach(() => canary.closeAllConnections())
afterAll(() => canary.close())

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  )

describe('addresses inside', () => {
  const hosts = [
    '127.0.0.1 localhost 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0.0.0.0 0 127.0.0.1.',
    '[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::]',
    '169.254.169.254 0xa9fea9fe 2852039166 [fd00:ec2::254] [::ffff:169.254.169.254] 100.100.100.200 192.0.0.192',
    '10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 [fc00::1] [fe80::1] 198.18.0.1 224.0.0.1 255.255.255.255 ⑫7.0.0.1 127。0。0。1',
  ].flatMap((line) => line.split(' '))
  test.each(hosts)('%s is refused before anything connects [S16]', async (host) => {
    expect(await refused(createGuardedFetch()(`http://${host}:${inside}/`, { tries: 1, deadlineMs: 2000 }))).toBe('blocked_address')
    expect(touched).toBe(0)
  })

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'data:text/plain,x', 'http://user:pw@example.com/', 'x'])(
    '%s is refused [S16]',
    async (address) => {
      expect(await refused(createGuardedFetch()(address))).toBe('blocked_address')
    },
  )

  test('a name that leads inside is refused, by its first answer or its second, also beside a public one [S16]', async () => {
    for (const found of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::1'], ['::ffff:10.0.0.1'], []]) {
      const fetch = createGuardedFetch({ resolveHost: async () => found })
      expect(await refused(fetch(`http://rebind.example:${inside}/`, { tries: 1 }))).toBe('blocked_address')
    }
    let looked = 0
    // Public at the first look, inside at the next: whoever looked twice would connect inside.
    const fetch = createGuardedFetch({ resolveHost: async () => (looked++ === 0 ? ['192.0.2.1'] : ['127.0.0.1']) })
    expect(await refused(fetch(`http://rebind.example:${inside}/`, { tries: 3, deadlineMs: 3000 }))).toBe('blocked_address')
    expect(looked).toBe(1)
    expect(touched).toBe(0)
  })

  test('a redirect inside, and one to another scheme, is not followed [S16]', async () => {
    const origin = `http://127.0.0.1:${inside}`
    for (const location of [
      `http://localhost:${inside}/secret`,
      `http://[::1]:${inside}/secret`,
      'file:///etc/passwd',
      '//169.254.169.254/',
    ]) {
      const paths: string[] = []
      answers = (path) => {
        paths.push(path)
        return path === '/' ? { status: 302, headers: { location } } : {}
      }
      expect(await refused(createGuardedFetch({ allowOrigins: [origin] })(`${origin}/`, { tries: 1 }))).toBe('blocked_address')
      expect(paths).toEqual(['/'])
    }
  })

  test('public addresses pass', () => {
    for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8']) expect(isPublicAddress(address)).toBe(true)
  })
})

describe('what comes back', () => {
  const allowed = () => createGuardedFetch({ allowOrigins: [`http://127.0.0.1:${inside}`] })

  test('an answer that unpacks to more than may be is cut, however small it came', async () => {
    answers = () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(1_000_000)) })
    const response = await allowed()(`http://127.0.0.1:${inside}/`, { maxBytes: 10_000 })
    await expect(response.text()).rejects.toMatchObject({ code: 'upstream_failed' })
    answers = () => ({ headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(9_000)) })
    expect(await (await allowed()(`http://127.0.0.1:${inside}/`, { maxBytes: 10_000 })).text()).toHaveLength(9_000)
  })

  test('callers who leave do not open the circuit for those who stay', async () => {
    const fetch = allowed()
    answers = (path) => (path === '/slow' ? { body: null } : {})
    for (let n = 0; n < 6; n++) {
      const leaving = new AbortController()
      const left = refused(fetch(`http://127.0.0.1:${inside}/slow`, { signal: leaving.signal }))
      await vi.waitFor(() => expect(touched).toBe(n + 1))
      leaving.abort()
      expect(await left).toBe('upstream_timeout')
    }
    expect(await (await fetch(`http://127.0.0.1:${inside}/`)).text()).toBe('inside')
  })
})
