// A model provider as fast as one can be: OpenAI's wire format from buffers that are made beforehand.
import { createServer, type ServerResponse } from 'node:http'

type Pace = { chunks: number; everyMs: number; thinkMs: number }
const { port } = JSON.parse(process.argv[2]!) as { port: number }
const chunk = (body: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', ...body })}\n\n`
let chunks = 0
let everyMs = 0
let thinkMs = 0
let events: Buffer[] = []
let last = Buffer.alloc(0)
let all = last

/** From the next answer on. */
process.on('message', (pace: Pace) => {
  ;({ chunks, everyMs, thinkMs } = pace)
  events = Array.from({ length: chunks }, (_, i) =>
    Buffer.from(chunk({ choices: [{ index: 0, delta: { content: ` word${i}` }, finish_reason: null }] })),
  )
  last = Buffer.from(
    `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}${chunk({ choices: [], usage: { prompt_tokens: 12, completion_tokens: chunks, total_tokens: 12 + chunks } })}data: [DONE]\n\n`,
  )
  all = Buffer.concat([...events, last])
  process.send!('paced')
})

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => (thinkMs ? setTimeout(answer, thinkMs, response) : answer(response)))
})

function answer(response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (everyMs === 0) return void response.end(all)
  let sent = 0
  response.write(events[sent++]!)
  const timer = setInterval(() => {
    if (sent < chunks) return void response.write(events[sent++]!)
    clearInterval(timer)
    response.end(last)
  }, everyMs)
  response.on('close', () => clearInterval(timer))
}
server.keepAliveTimeout = 60_000
server.listen(port, '127.0.0.1', 4096, () => process.send!('ready'))
