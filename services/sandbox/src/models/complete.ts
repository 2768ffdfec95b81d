import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Fault } from '../core/faults.ts'
import type { Truth } from '../core/truth.ts'
import { benchStream } from './bench.ts'
import { type Call, envelope, jsonType, ordered, streamType, toolTokens, usage } from './replies.ts'

/** Answers as a provider does, or fails as it was ordered to; what was sent is logged either way. */
export async function complete(truth: Truth, call: Call, response: ServerResponse): Promise<void> {
  const { fault } = call
  const record = (completion: number, finished: boolean) =>
    truth.logSoon('openai', 'completion', {
      id: call.id,
      upstream: call.provider,
      model: call.body.model,
      stream: call.body.stream === true,
      prompt_tokens: call.prompt,
      completion_tokens: completion,
      finished,
      ...(call.body.user ? { user: call.body.user } : {}),
      ...(call.requestId ? { request_id: call.requestId } : {}),
      ...(fault ? { fault: fault.kind } : {}),
    })
  if (fault?.kind === 'slow_headers') await wait(fault.ms ?? 30_000)
  if (fault?.kind === 'hung') return
  if (fault?.kind === 'reset_before') return void response.socket?.resetAndDestroy()
  if (fault?.kind === 'status') return ordered(response, fault)
  if (fault?.kind === 'wrong_content_type') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Just a moment...</body></html>')
    return
  }
  if (response.destroyed) return
  if (call.body.stream) await stream(call, response, record)
  else await whole(call, response, record)
}

async function whole(call: Call, response: ServerResponse, record: (tokens: number, finished: boolean) => void): Promise<void> {
  const { answer, fault } = call
  const tokens = call.chunks.reduce((sum, chunk) => sum + chunk.tokens, 0) + toolTokens(answer)
  if (call.delayMs > 0) await wait(Math.min(call.delayMs * call.chunks.length, 4000))
  if (response.destroyed) return record(0, false)
  const message = {
    role: 'assistant',
    content: answer.tools.length > 0 ? null : answer.text,
    refusal: null,
    ...(answer.tools.length > 0 ? { tool_calls: answer.tools } : {}),
  }
  const choice =
    call.provider === 'perplexity'
      ? { index: 0, message: { role: 'assistant', content: answer.text }, delta: NOTHING, finish_reason: answer.finish }
      : { index: 0, message, logprobs: null, finish_reason: answer.finish }
  const body = JSON.stringify({
    ...envelope(call, 'chat.completion'),
    choices: fault?.kind === 'empty_choices' ? [] : [choice],
    usage: usage(call.provider, call.prompt, tokens),
  })
  record(tokens, true)
  if (fault?.kind === 'malformed_event') return void response.writeHead(200, jsonType).end(body.slice(0, -20))
  if (fault?.kind === 'truncate' || fault?.kind === 'reset_after') {
    response.writeHead(200, { ...jsonType, 'content-length': Buffer.byteLength(body) })
    response.write(body.slice(0, body.length >> 1), () => response.socket?.resetAndDestroy())
    return
  }
  response.writeHead(200, jsonType)
  if (fault?.kind === 'slow_body') {
    response.write(body.slice(0, 10))
    await wait(fault.ms ?? 30_000)
    response.end(body.slice(10))
    return
  }
  response.end(body)
}

const NOTHING = { role: 'assistant', content: '' }
const roleAnd = (content: string) => JSON.stringify({ role: 'assistant', content })

async function stream(call: Call, response: ServerResponse, record: (tokens: number, finished: boolean) => void): Promise<void> {
  const { answer, fault, chunks, delayMs } = call
  if (!fault && delayMs === 0 && call.body.model.startsWith('bench-')) {
    record(chunks.length, true)
    return void response.writeHead(200, streamType).end(benchStream(call))
  }
  const head = `data: ${JSON.stringify(envelope(call, 'chat.completion.chunk')).slice(0, -1)},"choices":[`
  // OpenAI sends `usage: null` with every other chunk when usage was asked for.
  const tail = call.body.stream_options?.include_usage ? '],"usage":null}\n\n' : ']}\n\n'
  let said = ''
  /** Perplexity's have beside each piece all that was said so far, and no logprobs. */
  const event = (delta: string, finish: string | null = null) => {
    const beside = call.provider === 'perplexity' ? `"message":{"role":"assistant","content":${JSON.stringify(said)}}` : '"logprobs":null'
    return `${head}{"index":0,"delta":${delta},${beside},"finish_reason":${finish ? `"${finish}"` : 'null'}}${tail}`
  }
  response.writeHead(200, streamType)
  if (fault?.kind === 'empty_choices') {
    record(0, true)
    return void response.end(`${head}${tail}data: [DONE]\n\n`)
  }
  const stopAt =
    fault && ['truncate', 'reset_after', 'malformed_event', 'slow_body'].includes(fault.kind) ? Math.ceil(chunks.length / 2) : -1
  let sent = 0
  const refusal = call.provider === 'perplexity' ? '' : ',"refusal":null'
  let pending = event(answer.tools.length > 0 ? '{"role":"assistant","content":null}' : `{"role":"assistant","content":""${refusal}}`)
  for (const [index, chunk] of chunks.entries()) {
    if (index === stopAt) {
      if (fault!.kind === 'slow_body') {
        response.write(pending)
        pending = ''
        await wait(fault!.ms ?? 30_000)
      } else return breakOff(fault!, response, pending, () => record(sent, false))
    }
    if (delayMs > 0) {
      response.write(pending)
      pending = ''
      await wait(delayMs)
    }
    if (response.destroyed) return record(sent, false)
    said += chunk.text
    pending += event(call.provider === 'perplexity' ? roleAnd(chunk.text) : `{"content":${JSON.stringify(chunk.text)}}`)
    sent += chunk.tokens
    // A reader that is slow holds the model up, as it does on a real connection.
    if (pending.length > 32_768) {
      const room = response.write(pending)
      pending = ''
      if (!room && !(await drained(response))) return record(sent, false)
    }
  }
  for (const [index, tool] of answer.tools.entries()) {
    pending += event(
      JSON.stringify({ tool_calls: [{ index, id: tool.id, type: 'function', function: { name: tool.function.name, arguments: '' } }] }),
    )
    for (const piece of tool.function.arguments.match(/[\s\S]{1,24}/g) ?? []) {
      pending += event(JSON.stringify({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
    sent += toolTokens({ tools: [tool] })
  }
  if (response.destroyed) return record(sent, false)
  record(sent, true)
  if (fault?.kind === 'missing_end') return void response.end(pending)
  const counted = JSON.stringify(usage(call.provider, call.prompt, sent))
  // Perplexity counts without being asked, beside the end of the answer; the others when asked, after it.
  if (call.provider === 'perplexity') pending += `${event(roleAnd(''), answer.finish).slice(0, -3)},"usage":${counted}}\n\n`
  else pending += event('{}', answer.finish)
  if (call.body.stream_options?.include_usage) pending += `${head}],"usage":${counted}}\n\n`
  response.end(`${pending}data: [DONE]\n\n`)
}

function breakOff(fault: Fault, response: ServerResponse, pending: string, record: () => void): void {
  record()
  if (fault.kind === 'truncate') return void response.end(pending)
  if (fault.kind === 'malformed_event') return void response.end(`${pending}data: {"id":"chatcmpl-x","choices":[{"index":0,"del\n\n`)
  response.write(pending, () => response.socket?.resetAndDestroy())
}

function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (room: boolean) => () => {
      response.off('drain', onDrain).off('close', onClose)
      resolve(room)
    }
    const onDrain = settle(true)
    const onClose = settle(false)
    response.on('drain', onDrain).on('close', onClose)
  })
}
