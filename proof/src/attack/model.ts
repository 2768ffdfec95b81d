import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

export type Wanted = { content?: string; tools?: { name: string; arguments: string }[] }
/** In a prompt: makes the model say and call exactly this, as one would that fell for an injection entirely. */
export const obey = (wanted: Wanted): string => `[[${Buffer.from(JSON.stringify(wanted)).toString('base64url')}]]`

/** In what a tool answers: the same order, which the model takes from there once. */
export const obeyRow = (wanted: Wanted): string => `<<${Buffer.from(JSON.stringify(wanted)).toString('base64url')}>>`

const DONE = Buffer.from(JSON.stringify({ content: 'Done as told.' })).toString('base64url')

/** A model on the attacker's side, by the wire protocol of a real one; what asks for nothing in particular goes on to the sandbox. */
export async function startModel(sandbox: () => Promise<string>) {
  const heard: string[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const text = (await request.toArray()).join('')
    heard.push(text)
    const body = JSON.parse(text || '{}') as { stream?: boolean; model?: string; messages?: { role: string; content: unknown }[] }
    const said = JSON.stringify(body.messages?.findLast(({ role }) => role === 'user')?.content ?? '')
    const since = body.messages?.slice(body.messages.findLastIndex(({ role }) => role === 'user') + 1) ?? []
    const rounds = since.filter(({ role }) => role === 'assistant').length
    const told = rounds === 1 ? /<<([\w-]+)>>/.exec(JSON.stringify(since.filter(({ role }) => role === 'tool')))?.[1] : undefined
    const order = rounds === 0 ? /\[\[([\w-]+)\]\]/.exec(said)?.[1] : (told ?? DONE)
    if (!order) return pass(request, text, response)
    const { content = '', tools = [] } = JSON.parse(Buffer.from(order, 'base64url').toString()) as Wanted
    const calls = tools.map((tool, index) => ({ index, id: `call_${index}`, type: 'function', function: tool }))
    const message = { role: 'assistant', content, ...(calls.length && { tool_calls: calls }) }
    const common = { id: 'chatcmpl-1', created: 1, model: body.model }
    const finish_reason = calls.length ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    if (!body.stream) {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }))
    }
    response.setHeader('content-type', 'text/event-stream')
    const chunk = (delta: object, finish: string | null) => ({
      ...common,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
    for (const each of [chunk(message, null), chunk({}, finish_reason), { ...common, object: 'chat.completion.chunk', choices: [], usage }])
      response.write(`data: ${JSON.stringify(each)}\n\n`)
    response.end('data: [DONE]\n\n')
  }

  async function pass({ url, method, headers }: IncomingMessage, body: string, response: ServerResponse) {
    const answered = await fetch(`${await sandbox()}/openai${url}`, {
      method: method!,
      headers: { 'content-type': headers['content-type'] ?? 'application/json', authorization: 'Bearer any' },
      ...(body && { body }),
    })
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? 'application/json' })
    Readable.fromWeb(answered.body as never).pipe(response)
  }

  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** Every request that reached it, as it came. */
    heard,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
