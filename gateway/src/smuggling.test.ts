import { afterAll, expect, test } from 'vitest'
import { raw, testGateway } from './testing/start.ts'
import { type TestUpstream, testUpstream } from './testing/upstream.ts'

const upstream: TestUpstream = await testUpstream()
const gateway = await testGateway({ upstreams: { billing: { kind: 'remote', addresses: [upstream.url] } } })
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

const open = 'POST /functions/v1/open HTTP/1.1\r\nhost: a\r\n'
const smuggled = 'POST /functions/v1/mine HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'

const refused: Record<string, string> = {
  'a length beside chunks': `${open}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'chunks beside a length': `${open}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
  'two lengths that differ': `${open}content-length: 0\r\ncontent-length: 60\r\n\r\n${smuggled}`,
  'the same length twice': `${open}content-length: 0\r\ncontent-length: 0\r\n\r\n`,
  'a list of lengths': `${open}content-length: 0, 60\r\n\r\n${smuggled}`,
  'a signed length': `${open}content-length: +0\r\n\r\n${smuggled}`,
  'an encoding behind chunks': `${open}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
  'an encoding before chunks': `${open}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunks twice': `${open}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  'an obscured encoding': `${open}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'a space before the colon': `${open}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  'a folded header': `${open}x: 1\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  'a bare line feed': `${open}x: 1\ncontent-length: 5\r\n\r\nGET /`,
  'a bare carriage return': `${open}x: 1\rcontent-length: 5\r\n\r\n`,
  'a null byte in a header': `${open}x: 1\0\r\n\r\n`,
  'a chunk size that is no number': `${open}transfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`,
  'a chunk longer than its size': `${open}transfer-encoding: chunked\r\n\r\n1\r\nhello\r\n0\r\n\r\n`,
  'an encoding from a time before it': 'POST /functions/v1/open HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'a host that is none': 'POST /functions/v1/open HTTP/1.1\r\nhost: a/b c\r\ncontent-length: 0\r\n\r\n',
  'a host with a user': 'POST /functions/v1/open HTTP/1.1\r\nhost: a@b\r\ncontent-length: 0\r\n\r\n',
  'a scheme that is none of ours': 'POST ftp://a/functions/v1/open HTTP/1.1\r\nhost: a\r\n\r\n',
  'two hosts': `${open}host: b\r\n\r\n`,
  'no host': 'POST /functions/v1/open HTTP/1.1\r\n\r\n',
  'two authorizations': `${open}authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`,
  'more headers than anybody reads': `${open}${'a: b\r\n'.repeat(1_000)}content-length: 0\r\n\r\n`,
  'a target of another host': 'POST http://else/functions/v1/open HTTP/1.1\r\nhost: a\r\n\r\n',
  'a slash that is encoded': 'POST /functions%2fv1/open HTTP/1.1\r\nhost: a\r\n\r\n',
  'a slash encoded twice': 'POST /functions%252fv1/open HTTP/1.1\r\nhost: a\r\n\r\n',
  'a backslash': 'POST /functions\\v1/open HTTP/1.1\r\nhost: a\r\n\r\n',
  'dot segments': 'POST /functions/v1/open/../mine HTTP/1.1\r\nhost: a\r\n\r\n',
  'encoded dot segments': 'POST /functions/v1/open/%2e%2e/mine HTTP/1.1\r\nhost: a\r\n\r\n',
  'an empty segment': 'POST //functions/v1/open HTTP/1.1\r\nhost: a\r\n\r\n',
  'a fragment': 'POST /functions/v1/open#x HTTP/1.1\r\nhost: a\r\n\r\n',
  'an encoded line feed': 'POST /functions/v1/open%0a HTTP/1.1\r\nhost: a\r\n\r\n',
  'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an old protocol': 'GET /functions/v1/open\r\n\r\n',
  'a tunnel': 'CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n',
}

test.each(Object.entries(refused))('%s is refused, and nothing of it reaches a service', async (_name, bytes) => {
  upstream.seen.length = 0
  const answer = await raw(gateway.port, `${bytes}`, /HTTP\/1\.1 [45]\d\d [\s\S]*\r\n\r\n/)
  expect(answer).not.toMatch(/^HTTP\/1.1 2/)
  expect(upstream.seen).toEqual([])
})

test('a target with this host in it is the same call', async () => {
  const answer = await raw(
    gateway.port,
    'POST http://A:80/functions/v1/open?x=1 HTTP/1.1\r\nhost: a:80\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}',
  )
  expect(answer).toContain('"url":"/functions/v1/open?x=1"')
  expect(await raw(gateway.port, 'GET http://a HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 503 /)
})

test('a call of which the caller wanted to be asked for the body first is no place for another one when it is refused', async () => {
  upstream.seen.length = 0
  const asking = (path: string) => `POST ${path} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: ${smuggled.length}\r\n\r\n`
  for (const path of ['/functions/v1/mine', '/functions/v1/nothing', '/nothing']) {
    const answer = await raw(gateway.port, `${asking(path)}${open}connection: close\r\ncontent-length: 0\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 40[145] [\s\S]*connection: close/i)
    expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
  }
  expect(upstream.seen).toEqual([])
})

test('an expectation that nobody can meet is refused', async () => {
  const answer = await raw(gateway.port, `${open}expect: tea\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1.1 417 /)
})

test('extensions of chunks are read over, and too many of them refused', async () => {
  const chunked = `${open}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`
  expect(await raw(gateway.port, `${chunked}1;name="a\r\nA\r\n0;last\r\n\r\n`)).toMatch(/"body":"A"|^HTTP\/1.1 400 /)
  expect(await raw(gateway.port, `${chunked}1;name=value\r\nA\r\n0;last\r\n\r\n`)).toContain('"body":"A"')
  expect(await raw(gateway.port, `${chunked}1;${'x'.repeat(20_000)}\r\nA\r\n0\r\n\r\n`, /HTTP\/1.1 413 /)).toMatch(/HTTP\/1.1 413 /)
})

test('two calls behind one another get two answers in order', async () => {
  const answer = await raw(gateway.port, `${open}content-length: 1\r\n\r\nA${open}content-length: 1\r\nconnection: close\r\n\r\nB`)
  expect(answer.match(/"body":"[AB]"/g)).toEqual(['"body":"A"', '"body":"B"'])
})

test('headers meant for one connection end here, both ways, and a caller cannot have its own word removed', async () => {
  const answer = await raw(
    gateway.port,
    `${open}connection: x-hop, authorization, close\r\nx-hop: 1\r\nte: trailers\r\nupgrade: h2c\r\nproxy-authorization: Basic x\r\ncontent-length: 0\r\n\r\n`,
  )
  const body = JSON.parse(answer.slice(answer.indexOf('{"method"')).split('\r\n')[0]!)
  for (const name of ['x-hop', 'te', 'upgrade', 'proxy-authorization']) expect(body.headers).not.toHaveProperty(name)
  expect(body.headers.connection).toBe('keep-alive')
  expect(answer).not.toMatch(/keep-alive: timeout=5/)
})

test('a caller cannot have the key removed that makes it harmless to send a call again', async () => {
  const answer = await raw(
    gateway.port,
    'POST /functions/v1/once HTTP/1.1\r\nhost: a\r\nconnection: idempotency-key, close\r\nidempotency-key: k\r\ncontent-length: 0\r\n\r\n',
  )
  expect(answer).toContain('"idempotency-key":"k"')
})

test('trailers are not passed on', async () => {
  upstream.seen.length = 0
  await raw(
    gateway.port,
    `${open}connection: close\r\ntransfer-encoding: chunked\r\ntrailer: authorization\r\n\r\n1\r\nA\r\n0\r\nauthorization: Bearer x\r\n\r\n`,
  )
  expect(upstream.seen).toHaveLength(1)
  expect(upstream.seen[0]!.headers).not.toHaveProperty('authorization')
})

// Node itself stops reading at `connection: upgrade`, but only until the next packet.
test.each(['', 'connection: upgrade\r\n'])(
  'what comes behind a request for another protocol is nobody’s next request (%j)',
  async (asking) => {
    for (const protocol of ['websocket', 'h2c']) {
      upstream.seen.length = 0
      const asks = `${open}${asking}upgrade: ${protocol}\r\ncontent-length: 0\r\n\r\n`
      const answer = await raw(gateway.port, `${asks}${open.replace('open', 'open?behind')}content-length: 0\r\n\r\n`)
      expect(answer.match(/HTTP\/1.1 /g), protocol).toHaveLength(1)
      expect(upstream.seen.map(({ url }) => url)).toEqual(['/functions/v1/open'])
    }
  },
)

test('an upgrade anywhere but at /live is answered as a plain call, the last of its connection', async () => {
  const ask =
    'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  const plain = await raw(gateway.port, `GET /functions/v1/stream HTTP/1.1\r\nhost: a\r\n${ask}`)
  expect(plain).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close/i)
  expect(await raw(gateway.port, `GET /live HTTP/1.1\r\nhost: a\r\n${ask}`, /101/)).toMatch(/^HTTP\/1.1 101 /)
})
