import { DomainError } from '@operon/kit/errors'
import { type Answer, type AnswerDeps, ask, type Outcome, type Piece, type Question } from '../completions/answer.ts'
import type { Desk } from './tools.ts'

/** Fewer than any plan allows. */
const MOST_ROUNDS = 5
const MOST_CALLS = 10

type Called = { id: string; name: string; arguments: string }

/** An answer in several rounds: the model calls tools, hears what they say, and goes on. Each round is asked, metered and booked by itself. */
export class Rounds {
  content = ''
  citations: string[] = []
  outcome: Outcome | null = null
  problem: string | null = null
  readonly #deps: AnswerDeps
  readonly #question: Question
  readonly #desk: Desk
  readonly #answers: Answer[]

  constructor(deps: AnswerDeps, question: Question, first: Answer, desk: Desk) {
    this.#deps = deps
    this.#question = question
    this.#desk = desk
    this.#answers = [first]
  }

  get alias() {
    return this.#answers[0]!.alias
  }
  get target() {
    return this.#answers.at(-1)!.target
  }
  get usage() {
    const sum = { prompt_tokens: 0, completion_tokens: 0, cost_microusd: 0, counted: true }
    for (const { usage } of this.#answers) {
      sum.prompt_tokens += usage.prompt_tokens
      sum.completion_tokens += usage.completion_tokens
      sum.cost_microusd += usage.cost_microusd
      sum.counted &&= usage.counted
    }
    return sum
  }

  async *pieces(): AsyncGenerator<Piece[]> {
    const messages: Question['body']['messages'] = [...this.#question.body.messages]
    for (let round = 1; ; round++) {
      const answer = this.#answers.at(-1)!
      const before = this.content
      const calls: Called[] = []
      for await (const batch of answer.pieces()) {
        collect(batch, calls)
        this.content = before + answer.content
        yield batch
      }
      this.citations = answer.citations
      const called = calls.filter(Boolean).slice(0, MOST_CALLS)
      if (answer.outcome !== 'completed' || called.length === 0) return this.#end(answer.outcome, answer.problem)
      if (round === MOST_ROUNDS) return this.#end('cut', 'The answer was ended here: it kept looking things up. Ask for less at once.')
      messages.push({
        role: 'assistant',
        content: answer.content || null,
        tool_calls: called.map(({ id, name, arguments: args }) => ({ id, type: 'function', function: { name, arguments: args } })),
      } as never)
      for (const { id, name, arguments: args } of called) {
        messages.push({ role: 'tool', tool_call_id: id, content: await this.#desk.use(name, args) } as never)
      }
      try {
        // One question is one line of activity, however many rounds it takes.
        const question = { ...this.#question, command: '', body: { ...this.#question.body, messages } }
        this.#answers.push(await ask(this.#deps, question))
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        return this.#end(error.code === 'answer_stopped' ? 'stopped' : 'cut', error.message)
      }
    }
  }

  #end(outcome: Outcome | null, problem: string | null) {
    const isLost = outcome !== 'completed' && this.#desk.steps.length > 0
    this.outcome = outcome
    this.problem = isLost ? [problem, 'What it proposed was not kept.'].filter(Boolean).join(' ') : problem
  }
}

type Part = { index: number; id?: string; function?: { name?: string; arguments?: string } }
/** Tool calls come in parts. */
function collect(batch: Piece[], calls: Called[]) {
  for (const { chunk } of batch)
    for (const part of (chunk?.choices?.[0]?.delta?.tool_calls ?? []) as Part[]) {
      calls[part.index] ??= { id: '', name: '', arguments: '' }
      const call = calls[part.index]!
      call.id ||= part.id ?? ''
      call.name += part.function?.name ?? ''
      call.arguments += part.function?.arguments ?? ''
    }
}
