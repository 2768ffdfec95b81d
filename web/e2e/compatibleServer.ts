import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

export const KEY = 'the-only-key'
type Asked = { path: string; model: string }

/** A server that speaks like OpenAI's, as people run one of their own: it draws, answers and reads aloud, and streams no pictures. */
export async function startCompatibleServer() {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const path = new URL(request.url!, 'http://server').pathname.slice('/v1'.length)
    const json = (status: number, answer: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return json(401, { error: { message: 'Incorrect API key', code: 'invalid_api_key' } })
    asked.push({ path, model: body.model ?? '' })
    if (path === '/images/generations' || path === '/images/edits') {
      const [width, height] = body.size!.split('x').map(Number) as [number, number]
      return json(200, { created: 1, data: [{ b64_json: picture(width, height).toString('base64') }] })
    }
    if (path === '/audio/speech') return void response.writeHead(200, { 'content-type': 'audio/wav' }).end(tone(2))
    if (path !== '/chat/completions') return json(404, { error: { message: 'no such call', code: 'not_found' } })
    const choice = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const part of [
      choice({ role: 'assistant', content: 'An answer of the only server.' }, null),
      choice({}, 'stop'),
      { choices: [], usage: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 } },
    ])
      response.write(`data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 1, model: body.model, ...part })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string | undefined>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const bytes = Buffer.concat(parts)
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return JSON.parse(bytes.toString())
  if (!type.startsWith('multipart/')) return {}
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string')) as Record<string, string>
}

/** A PNG that goes from red to yellow. */
function picture(width: number, height: number): Buffer {
  const rows = Buffer.alloc((1 + width * 3) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set([220, Math.round((180 * y) / height), 40], y * (1 + width * 3) + 1 + x * 3)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A WAV of so many seconds. */
function tone(seconds: number): Buffer {
  const rate = 24_000
  const samples = Buffer.alloc(rate * seconds * 2)
  for (let at = 0; at < rate * seconds; at++) samples.writeInt16LE(Math.round(8_000 * Math.sin(at / 12)), at * 2)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
