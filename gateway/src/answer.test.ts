import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { BadAnswer, ChunkReader, readAnswerHead } from './answer.ts'
import { raw, testGateway } from './testing/start.ts'

describe('the head of an answer', () => {
  test('says how the body ends', () => {
    const framing = (text: string, method = 'GET') => readAnswerHead(text, method).framing
    expect(framing('HTTP/1.1 200 OK\r\nContent-Length: 12')).toBe(12)
    expect(framing('HTTP/1.1 200\r\ntransfer-encoding: Chunked')).toBe('chunks')
    expect(framing('HTTP/1.1 200 OK\r\nx: 1')).toBe('close')
    expect(framing('HTTP/1.1 200 OK\r\ncontent-length: 12', 'HEAD')).toBe(0)
    expect(framing('HTTP/1.1 204 No Content')).toBe(0)
    expect(framing('HTTP/1.1 304 Not Modified\r\ncontent-length: 12')).toBe(0)
  })

  test('what belongs to the connection ends here, also what the service names so', () => {
    const { lines, length, dated } = readAnswerHead(
      'HTTP/1.1 200 OK\r\nServer: x\r\nA: 1\r\nConnection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 2\r\nB: 2\r\nDate: now\r\nX-Operon-A: 1',
      'GET',
    )
    expect({ lines, length, dated }).toEqual({ lines: 'A: 1\r\nB: 2\r\nDate: now\r\n', length: 2, dated: true })
  })

  test.each([
    'HTTP/2 200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1',
    'HTTP/1.1 200 OK\r\ncontent-length: 1, 1',
    'HTTP/1.1 200 OK\r\ncontent-length: -1',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked',
    'HTTP/1.1 200 OK\r\ntransfer-encoding : chunked',
    'HTTP/1.1 200 OK\r\nno colon',
    'HTTP/1.1 200 OK\r\nx: 1\r\n folded: 2',
    'HTTP/1.1 200 OK\r\n: empty',
    'HTTP/1.1 200 OK\r\nx: 1\rset-cookie: a=b',
    'HTTP/1.1 200 OK\r\nx: 1\nset-cookie: a=b',
    'HTTP/1.1 200 OK\r\nx: 1\0',
  ])('%j is no answer', (text) => {
    expect(() => readAnswerHead(text, 'GET')).toThrow(BadAnswer)
  })
})

describe('chunks', () => {
  const body = '5;name=value\r\nhello\r\n1\r\n \r\nA\r\nworld12345\r\n0\r\nx-trailer: 1\r\n\r\nREST'

  test('come apart the same wherever the stream is cut', () => {
    for (let cut = 1; cut < body.length - 4; cut++) {
      const reader = new ChunkReader()
      let data = ''
      const [one, two] = [Buffer.from(body.slice(0, cut)), Buffer.from(body.slice(cut))]
      expect(reader.read(one, (part) => (data += part))).toBe(one.length)
      expect(two.length - reader.read(two, (part) => (data += part))).toBe(4)
      expect([data, reader.done]).toEqual(['hello world12345', true])
    }
  })

  test.each(['x\r\n', '-1\r\n', '0x1\r\n', '5\nhello', '1\r\nhello\r\n', ' 5\r\n', '\r\n', 'ffffffffffffffff\r\n', '1'.repeat(5000)])(
    '%j is refused',
    (text) => {
      expect(() => new ChunkReader().read(Buffer.from(text), () => {})).toThrow(BadAnswer)
    },
  )
})

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A service that answers these bytes to whatever is asked. */
async function answering(bytes: string, options: { close?: boolean } = {}) {
  let connections = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // The gateway's own question whether it is there is not counted, and not answered.
    socket.once('data', (first) => (connections += String(first).startsWith('GET /readyz') ? 0 : 1))
    socket.on('data', () => (options.close ? socket.end(bytes, 'latin1') : socket.write(bytes, 'latin1')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const gateway = await testGateway({
    upstreams: { billing: { kind: 'remote', addresses: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`] } },
  })
  ends.push(() => server.close(), gateway.close)
  return { ask: () => fetch(`${gateway.url}/functions/v1/stream`), connections: () => connections, port: gateway.port }
}

describe('a service that answers badly', () => {
  test('an answer before the answer is passed over, and bytes of Latin-1 stay what they are', async () => {
    const { ask } = await answering(
      'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nx-name: caf\xe9\r\ncontent-length: 2\r\n\r\n\xff\x00',
    )
    const response = await ask()
    expect(response.headers.get('x-name')).toBe('caf\xe9')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([255, 0]))
  })

  test('what comes after an answer is never taken for the next one', async () => {
    const { ask, connections } = await answering(
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nAHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nPOISON',
    )
    expect(await (await ask()).text()).toBe('A')
    expect(await (await ask()).text()).toBe('A')
    expect(connections()).toBe(2)
  })

  test('a connection is used again when the answer allows it', async () => {
    const { ask, connections } = await answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n')
    for (let i = 0; i < 3; i++) expect(await (await ask()).text()).toBe('A')
    expect(connections()).toBe(1)
  })

  test.each([
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nA\r\n0\r\n\r\n',
    'nonsense\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  ])('%j becomes a 502', async (bytes) => {
    const { ask } = await answering(bytes)
    expect((await ask()).status).toBe(502)
  })

  test('an answer without a length ends with its connection; one with a length that is cut does not look whole', async () => {
    const open = await answering('HTTP/1.1 200 OK\r\n\r\nall of it', { close: true })
    expect(await (await open.ask()).text()).toBe('all of it')
    const cut = await answering('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nnot all of it', { close: true })
    await expect((await cut.ask()).text()).rejects.toThrow()
    const chunks = await answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nA\r\n', { close: true })
    await expect((await chunks.ask()).text()).rejects.toThrow()
  })

  test.each([
    ['204 No Content', 'content-length: 5\r\n', null],
    ['304 Not Modified', 'content-length: 5\r\n', '5'],
    ['204 No Content', 'transfer-encoding: chunked\r\n', null],
  ])('%s has no body, whatever the service says of one', async (status, framing, length) => {
    const { port } = await answering(`HTTP/1.1 ${status}\r\n${framing}\r\n5\r\nhello\r\n0\r\n\r\n`)
    const one = 'GET /functions/v1/stream HTTP/1.1\r\nhost: a\r\n'
    const answer = await raw(port, `${one}\r\n${one}connection: close\r\n\r\n`)
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status.slice(0, 3)}`, `HTTP/1.1 ${status.slice(0, 3)}`])
    expect(answer).not.toContain('hello')
    expect(/content-length: (\d+)/i.exec(answer)?.[1] ?? null).toBe(length)
    expect(answer).not.toMatch(/transfer-encoding/i)
  })

  test('HEAD gets the length that GET would have, and nothing behind the head', async () => {
    const { port } = await answering('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')
    const answer = await raw(port, 'HEAD /functions/v1/stream HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/content-length: 5\r\n[\s\S]*\r\n\r\n$/)
  })

  test('an old client gets an answer without chunks that ends with its connection', async () => {
    const { port } = await answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n')
    const answer = await raw(port, 'GET /functions/v1/stream HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\n\r\n')
    expect(answer).toMatch(/connection: close\r\n\r\nhello$/i)
    expect(answer).not.toMatch(/transfer-encoding/i)
  })

  test('what a service names for its connection does not take the length or the policy away', async () => {
    const { ask } = await answering(
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: content-length, content-security-policy, x-mine\r\nx-mine: 1\r\n\r\nok',
    )
    const { headers } = await ask()
    expect([headers.get('content-length'), headers.get('x-mine')]).toEqual(['2', null])
    expect(headers.get('content-security-policy')).toMatch("default-src 'none'")
  })
})
