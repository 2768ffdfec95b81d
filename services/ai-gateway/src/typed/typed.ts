import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { Approvals } from '../approvals/approvals.ts'
import { capabilities, missingFor } from '../approvals/offered.ts'
import { STEP_MS } from '../approvals/run.ts'
import type { Page } from '../assistant/tools.ts'
import type { Piece, Told } from '../completions/answer.ts'
import { SEARCHING_MODEL } from '../registry/models.ts'
import type { AiDb } from '../schema.ts'
import type { Requests, Tool } from './requests.ts'
import { absent, isAbsent, notAvailable, onTheWay } from './words.ts'

/** The app's own replies to the specified words: before a model's answer and after it. */
export type Typed = { before: string; after: string; open: Page | null; asksModel: boolean; by: Told['target'] }

const nobody: Told['target'] = { upstreamModel: '', sandbox: false }

/** The model that a message asks for by its words. */
export const modelTyped = ({ tool }: Requests): string | null => (tool === 'research' ? SEARCHING_MODEL : null)

type Typing = { said: string; requests: Requests; pages: readonly Page[]; key: string | undefined }
/** Does what the specified words ask for. The person typed them, so nothing is proposed first. */
export async function runTyped(approvals: Approvals, ctx: Ctx<AiDb>, { said, requests, pages, key }: Typing): Promise<Typed | null> {
  const { destination, tool, asks } = requests
  const led = pages.length ? ledTo(destination, pages) : null
  const before = tool && tool !== 'research' ? await act(approvals, ctx, tool, said, key ?? newId()) : null
  if (!led && !before) return null
  return {
    before: before?.text ?? '',
    by: before?.by ?? nobody,
    after: led?.line ?? '',
    open: led?.open ?? null,
    asksModel: asks || tool === 'research',
  }
}

/** Without a look at anything but the words: what a message comes to that only leads to a page. */
export function ledOnly({ destination, tool, asks }: Requests, pages: readonly Page[]) {
  return asks || tool ? null : ledTo(destination, pages)
}

/** Whether the app alone can answer these words; what else is typed needs a model. */
export function needsModel({ destination, tool, asks }: Requests, pages: readonly Page[]): boolean {
  return asks || tool === 'research' || !(tool || (destination && pages.length))
}

function ledTo(destination: Requests['destination'], pages: readonly Page[]) {
  if (!destination) return null
  const open = pages.some(({ path }) => path === destination.path) ? destination : null
  return { open, line: open ? onTheWay(destination.name) : notAvailable(destination.name) }
}

/** The model that wrote it, where one did. */
type Wrote = { answered_by?: string | null; sandbox?: boolean }
type Done = { text: string; by?: Told['target'] }

async function act(approvals: Approvals, ctx: Ctx<AiDb>, tool: Exclude<Tool, 'research'>, said: string, key: string): Promise<Done> {
  if (isAbsent(tool)) return { text: absent[tool] }
  const capability = [...capabilities().values()].find(({ contract }) => contract.action.typed?.as === tool)!
  const actor = signedIn(ctx)
  const reason = (await missingFor(ctx.db, actor))(capability)
  const typed = capability.contract.action.typed!
  // Only the failure of an app says where to connect it; a plan or a sign-in has its own reason.
  if (reason) return { text: (capability.needs.length > 0 && typed.failed) || reason }
  try {
    const options = { actor, requestId: ctx.requestId, deadlineMs: STEP_MS }
    const idempotencyKey = capability.effect === 'reads' ? undefined : `typed:${key}`
    const input = typed.input(said) as never
    const reply = (await approvals.rt.call(capability.contract, input, { ...options, ...(idempotencyKey && { idempotencyKey }) })) as Wrote
    return { text: typed.says(reply, said), by: { upstreamModel: reply.answered_by ?? '', sandbox: reply.sandbox ?? false } }
  } catch (error) {
    if (typed.failed && error instanceof DomainError && !error.code.startsWith('limit_')) return { text: typed.failed }
    throw error
  }
}

/** Adds the app's own lines around a model's answer. */
export class Framed implements Told {
  readonly #inner: Told
  readonly #before: string
  readonly #after: string

  constructor(inner: Told, { before, after }: Pick<Typed, 'before' | 'after'>) {
    this.#inner = inner
    this.#before = before
    this.#after = after
  }
  get content() {
    const after = this.#inner.outcome === 'completed' ? this.#after : ''
    return [this.#before, this.#inner.content, after].filter(Boolean).join('\n\n')
  }
  get citations() {
    return this.#inner.citations
  }
  get outcome() {
    return this.#inner.outcome
  }
  get problem() {
    return this.#inner.problem
  }
  get alias() {
    return this.#inner.alias
  }
  get target() {
    return this.#inner.target
  }
  get usage() {
    return this.#inner.usage
  }
  async *pieces(): AsyncGenerator<Piece[]> {
    if (this.#before) yield [words(this.#before)]
    let begun = !this.#before
    for await (const batch of this.#inner.pieces()) {
      const speaks = !begun && batch.some(({ text }) => text)
      yield speaks ? [words('\n\n'), ...batch] : batch
      begun ||= speaks
    }
    if (this.#inner.outcome === 'completed' && this.#after) yield [words(this.content === this.#after ? this.#after : `\n\n${this.#after}`)]
  }
}
const words = (text: string): Piece => ({ raw: '', text, chunk: null })

/** Nobody was asked: the app said it all. */
export const noModel = (alias: string, target: Told['target']): Told => ({
  content: '',
  citations: [],
  outcome: 'completed',
  problem: null,
  alias,
  target,
  usage: { prompt_tokens: 0, completion_tokens: 0, cost_microusd: 0, counted: true },
  async *pieces() {},
})
