import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { watchConnections } from './connections.ts'
import { raw, testGateway } from './testing/start.ts'
import { testUpstream } from './testing/upstream.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function start(answer?: Parameters<typeof testUpstream>[0], options: Parameters<typeof testGateway>[0] = {}) {
  const upstream = await testUpstream(answer)
  const gateway = await testGateway({ upstreams: { billing: { kind: 'remote', addresses: [upstream.url] } }, ...options })
  ends.push(upstream.close, gateway.close)
  return { upstream, gateway }
}

/** A caller by hand: what it has heard, and whether its connection still stands. */
async function caller(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const heard = { text: '', ended: false, closed: false, error: '' }
  socket.on('data', (chunk) => (heard.text += chunk.toString('latin1')))
  socket.on('end', () => (heard.ended = true))
  socket.on('close', () => (heard.closed = true))
  socket.on('error', (error: NodeJS.ErrnoException) => (heard.error = error.code ?? ''))
  ends.push(() => socket.destroy())
  await new Promise((resolve) => socket.once('connect', resolve))
  return { socket, heard }
}
const connectionsOf = (server: { getConnections(tell: (error: unknown, count: number) => void): void }) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

const upgrade = (origin: string) =>
  `GET /live HTTP/1.1\r\nhost: a\r\norigin: ${origin}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`

describe('what cannot be read', () => {
  const held = () => {
    const waiting: ServerResponse[] = []
    return { waiting, answer: (_request: unknown, response: ServerResponse) => Boolean(waiting.push(response)) }
  }

  test('behind a call that is being answered waits until that answer is out, and spoils nothing of it', async () => {
    const { waiting, answer } = held()
    const { gateway } = await start(answer)
    const { socket, heard } = await caller(gateway.port)
    socket.write('GET /functions/v1/stream HTTP/1.1\r\nhost: a\r\n\r\n')
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    waiting[0]!.writeHead(200, { 'content-length': 10 }).write('first')
    await vi.waitFor(() => expect(heard.text).toContain('first'))
    socket.write('NONSENSE\r\n\r\nMORE\r\n\r\n')
    // The gateway has read it once it has answered someone who came later.
    await raw(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    waiting[0]!.end('after')
    await vi.waitFor(() => expect(heard.ended).toBe(true))
    expect(heard.text).toMatch(/\r\n\r\nfirstafterHTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\n$/)
    expect(heard.text.match(/HTTP\/1\.1 /g)).toHaveLength(2)
  })

  test('behind two calls that wait lets both be answered in order', async () => {
    const { waiting, answer } = held()
    const { gateway } = await start(answer)
    const { socket, heard } = await caller(gateway.port)
    const one = 'GET /functions/v1/stream HTTP/1.1\r\nhost: a\r\n\r\n'
    socket.write(`${one}${one}NONSENSE\r\n\r\n`)
    await vi.waitFor(() => expect(waiting).toHaveLength(2))
    waiting[1]!.end('two')
    waiting[0]!.end('one')
    await vi.waitFor(() => expect(heard.ended).toBe(true))
    expect(heard.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(heard.text.indexOf('one')).toBeLessThan(heard.text.indexOf('two'))
  })

  test('in the body of a call whose answer has begun ends the answer as cut, without a second head', async () => {
    const { gateway } = await start((request, response) => {
      request.on('error', () => {})
      response.writeHead(200, { 'content-type': 'text/plain' }).write('begun')
      return true
    })
    const { socket, heard } = await caller(gateway.port)
    socket.write('POST /functions/v1/upload HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\nA\r\n')
    await vi.waitFor(() => expect(heard.text).toContain('begun'))
    socket.write('nonsense\r\n')
    await vi.waitFor(() => expect(heard.ended || heard.closed).toBe(true))
    expect(heard.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(heard.text).not.toMatch(/0\r\n\r\n$/)
  })

  test('in the body of a call that nobody has answered yet is told, and the service sees its caller go', async () => {
    let there = ''
    const { gateway } = await start((request) => {
      there = 'asked'
      request.on('error', () => {})
      request.on('close', () => (there = 'gone'))
      request.resume()
      return true
    })
    const { socket, heard } = await caller(gateway.port)
    socket.write('POST /functions/v1/upload HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\nA\r\n')
    await vi.waitFor(() => expect(there).toBe('asked'))
    socket.write('nonsense\r\n')
    await vi.waitFor(() => expect(heard.ended).toBe(true))
    expect(heard.text).toMatch(/^HTTP\/1\.1 400 /)
    await vi.waitFor(() => expect(there).toBe('gone'))
  })

  test('a head that does not end is told so though the caller is still sending', async () => {
    const { gateway } = await start()
    const { socket, heard } = await caller(gateway.port)
    socket.write(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(2_000_000)}`)
    await vi.waitFor(() => expect(heard.ended).toBe(true))
    expect(heard.text).toMatch(/^HTTP\/1\.1 431 /)
    expect(heard.error).toBe('')
  })
})

describe('a refused upgrade', () => {
  test('is told so, and its connection does not stay half open', async () => {
    const { gateway } = await start(undefined, { patience: { leavingMs: 60, everyMs: 20 } })
    const { socket, heard } = await caller(gateway.port)
    socket.write(upgrade('https://evil.example'))
    await vi.waitFor(() => expect(heard.ended).toBe(true))
    expect(heard.text).toMatch(/^HTTP\/1\.1 403 /)
    await vi.waitFor(async () => expect(await connectionsOf(gateway.server)).toBe(0))
  })

  test('of a caller that is gone already harms nobody', async () => {
    const { gateway } = await start()
    for (let i = 0; i < 20; i++) {
      const { socket } = await caller(gateway.port)
      socket.write(upgrade('https://evil.example'))
      socket.resetAndDestroy()
    }
    await vi.waitFor(async () => expect(await connectionsOf(gateway.server)).toBe(0))
    expect(await raw(gateway.port, 'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('behind a call that is being answered is no upgrade', async () => {
    let finish = () => {}
    const { gateway } = await start((_request, response) => {
      finish = () => response.end('whole')
      return true
    })
    const { socket, heard } = await caller(gateway.port)
    socket.write(`GET /functions/v1/stream HTTP/1.1\r\nhost: a\r\n\r\n${upgrade(gateway.url)}`)
    await vi.waitFor(() => expect(finish()).toBe(undefined))
    await vi.waitFor(() => {
      finish()
      expect(heard.text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(2)
    })
    expect(heard.text).not.toContain('HTTP/1.1 101')
  })
})

describe('a refused upload', () => {
  const declared = (bytes: number) => `POST /functions/v1/mine HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n`

  test('the caller gets its answer though it is still sending, and sends on into nothing', async () => {
    const { gateway, upstream } = await start()
    const { socket, heard } = await caller(gateway.port)
    const size = 900_000
    socket.write(declared(size))
    for (let sent = 0; sent < size; sent += 100_000) socket.write('x'.repeat(100_000))
    await new Promise((resolve) => socket.end('GET /functions/v1/stream HTTP/1.1\r\nhost: a\r\n\r\n', resolve as () => void))
    await vi.waitFor(() => expect(heard.closed).toBe(true))
    expect(heard).toMatchObject({ text: expect.stringMatching(/^HTTP\/1\.1 401 [\s\S]*connection: close/i), error: '' })
    expect(heard.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(upstream.seen).toEqual([])
  })

  test('the connection of one that never stops sending is ended', async () => {
    const { gateway } = await start(undefined, { patience: { leavingMs: 60, everyMs: 20 } })
    const { socket, heard } = await caller(gateway.port)
    socket.write(declared(900_000))
    const drip = setInterval(() => socket.writable && socket.write('x'), 10)
    ends.push(() => clearInterval(drip))
    await vi.waitFor(() => expect(heard.ended).toBe(true))
    await vi.waitFor(async () => expect(await connectionsOf(gateway.server)).toBe(0))
  })

  test('a service that answers before the end of an upload is heard, and the rest of the upload is let go', async () => {
    const { gateway } = await start((request, response) => {
      if (!request.url!.includes('early')) return false
      response.writeHead(422, { 'content-length': 2 }).end('no')
      request.resume()
      return true
    })
    const { socket, heard } = await caller(gateway.port)
    const size = 6_000_000
    socket.write(`POST /functions/v1/upload?early HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n`)
    for (let sent = 0; sent < size; sent += 500_000) socket.write('x'.repeat(500_000))
    await new Promise((resolve) => socket.end(resolve as () => void))
    await vi.waitFor(() => expect(heard.closed).toBe(true))
    expect(heard).toMatchObject({ text: expect.stringMatching(/^HTTP\/1\.1 422 [\s\S]*no$/), error: '' })
  })
})

describe('a body that comes slowly', () => {
  const patience = { slowMs: 200, everyMs: 20 }
  const drip = (socket: Socket, bytes: number, total = Number.POSITIVE_INFINITY) => {
    let sent = 0
    const dripping = setInterval(() => {
      if (sent < total && socket.writable) socket.write('x'.repeat(bytes))
      sent += bytes
    }, 10)
    ends.push(() => clearInterval(dripping))
  }
  const upload = (length: number) => `POST /functions/v1/upload HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`

  test.each(['60000', '6000000'])('is told so and ended, also one of %s bytes', async (length) => {
    const { gateway } = await start((request) => Boolean(request.resume()), { patience })
    const { socket, heard } = await caller(gateway.port)
    socket.write(upload(Number(length)))
    drip(socket, 1)
    await vi.waitFor(() => expect(heard.ended || heard.closed).toBe(true))
    expect(heard.text).toMatch(/^HTTP\/1\.1 408 /)
    await vi.waitFor(async () => expect(await connectionsOf(gateway.server)).toBe(0))
  })

  test('is taken to its end, however long that is, when it keeps moving or waits for the service', async () => {
    let taken = 0
    let read = () => {}
    const { gateway } = await start(
      (request, response) => {
        read = () => void request.on('data', (chunk: Buffer) => (taken += chunk.length)).on('end', () => response.end('whole'))
        return true
      },
      { patience },
    )
    const size = 8_000_000
    const { socket, heard } = await caller(gateway.port)
    const began = performance.now()
    socket.write(upload(size))
    // More than fits between the two, and then nobody reads for longer than a slow caller would be given.
    socket.write('x'.repeat(size - 2_000))
    await vi.waitFor(() => expect(performance.now() - began).toBeGreaterThan(600))
    expect(heard.closed).toBe(false)
    read()
    drip(socket, 40, 2_000)
    await vi.waitFor(() => expect(heard.text).toMatch(/^HTTP\/1\.1 200 [\s\S]*whole$/))
    expect(taken).toBe(size)
  })
})

test('a connection on which nothing moves is ended: soon when it is idle, later while an answer is awaited', async () => {
  const waiting: ServerResponse[] = []
  const server = createServer((request, response) => (request.url === '/wait' ? waiting.push(response) : response.end('done')))
  const connections = watchConnections(server, { idleMs: 60, busyMs: 300, slowMs: 60, leavingMs: 60, everyMs: 20 })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(
    () => server.close(),
    () => connections.close(),
  )
  const { port } = server.address() as AddressInfo
  const lasted = async (path: string) => {
    const began = performance.now()
    const answer = await raw(port, `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    return { ms: performance.now() - began, answer }
  }
  const [idle, busy] = await Promise.all([lasted('/'), lasted('/wait')])
  expect(idle.answer).toContain('done')
  expect(busy.answer).toBe('')
  expect(busy.ms).toBeGreaterThanOrEqual(250)
  expect(idle.ms).toBeLessThan(busy.ms)
})
