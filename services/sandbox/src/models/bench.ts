import type { Answer } from './answer.ts'
import { type Call, envelope, usage } from './replies.ts'

const benchStreams = new Map<string, Buffer>()
/** The whole stream as bytes, made once: under load the stand-in must not be what is measured. */
export function benchStream(call: Call): Buffer {
  const withUsage = call.body.stream_options?.include_usage === true
  const key = `${call.provider} ${call.body.model} ${withUsage ? call.prompt : ''}`
  const known = benchStreams.get(key)
  if (known) return known
  const fixed = JSON.stringify({ ...envelope(call, 'chat.completion.chunk'), id: 'chatcmpl-bench' }).slice(0, -1)
  const tail = withUsage ? '],"usage":null}\n\n' : ']}\n\n'
  const event = (delta: object, finish: string | null = null) =>
    `data: ${fixed},"choices":[${JSON.stringify({ index: 0, delta, logprobs: null, finish_reason: finish })}${tail}`
  const last = withUsage
    ? `data: ${fixed},"choices":[],"usage":${JSON.stringify(usage(call.provider, call.prompt, call.chunks.length))}}\n\n`
    : ''
  const middle = call.chunks.map((chunk) => event({ content: chunk.text })).join('')
  const made = Buffer.from(
    `${event({ role: 'assistant', content: '', refusal: null })}${middle}${event({}, 'stop')}${last}data: [DONE]\n\n`,
  )
  if (benchStreams.size < 200) benchStreams.set(key, made)
  return made
}

const benchSizes = new Map<number, Call['chunks']>()
export function benchChunks(count: number): Call['chunks'] {
  const known = benchSizes.get(count)
  if (known) return known
  const made = Array.from({ length: count }, (_, index) => ({ text: ` token${index % 10}`, tokens: 1 }))
  benchSizes.set(count, made)
  return made
}

const benchAnswers = new Map<number, Answer>()
export function benchAnswer(count: number): Answer {
  const known = benchAnswers.get(count)
  if (known) return known
  const made: Answer = {
    text: benchChunks(count)
      .map((chunk) => chunk.text)
      .join(''),
    tools: [],
    finish: 'stop',
    citations: [],
  }
  benchAnswers.set(count, made)
  return made
}
