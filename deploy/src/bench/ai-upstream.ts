// A model provider as fast as one can be: OpenAI's wire format from buffers that are made beforehand.
import { createServer, type ServerResponse } from 'node:http'

type Input = { port: number; chunks: number; everyMs: number; thinkMs: number }
const { port, chunks, everyMs, thinkMs } = JSON.parse(process.argv[2]!) as Input
const chunk = (body: object) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini', ...body })}\n\n`
const events = Array.from({ length: chunks }, (_, i) =>
  Buffer.from(chunk({ choices: [{ index: 0, delta: { content: ` word${i}` }, finish_reason: null }] })),
)
const last = Buffer.from(
  `${chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}${chunk({ choices: [], usage: { prompt_tokens: 12, completion_tokens: chunks, total_tokens: 12 + chunks } })}data: [DONE]\n\n`,
)

const all = Buffer.concat([...events, last])

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
