import { MOST_STEPS } from '@operon/contracts/ai-gateway/approvals'
import { LONGEST_MEMORY } from '@operon/contracts/ai-gateway/memory'
import type { Evidence } from '@operon/contracts/contract'
import type { Capability } from '@operon/contracts/registry'
import { day } from '@operon/contracts/words'
import type { Ctx, UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { type Approvals, canBeUndone, runAtOnce, type shown } from '../approvals/approvals.ts'
import { capabilities, type Missing } from '../approvals/offered.ts'
import { type Order, prepare } from '../approvals/steps.ts'
import { quoteIn } from '../memory/memory.ts'
import type { AiDb } from '../schema.ts'
import { asksOutright } from './asked.ts'

export type Page = { path: string; name: string }
/** Rows that an answer's figures come from, as its person sees them. */
export type Shown = { action: string; title: string; columns: Evidence['columns']; rows: Record<string, unknown>[]; note?: string }

const MOST_FITTING = 6
const MOST_QUOTES = 3
const MOST_ROWS = 50
const MOST_RESULT = 20_000

const tool = (name: string, description: string, parameters: object) => ({ type: 'function', function: { name, description, parameters } })

/** The two that lead to everything else, and the few that fit the question: never the whole registry. */
export function toolsFor(said: string, missing: Missing, { pages, remembers }: { pages: readonly Page[]; remembers: boolean }) {
  const text = { type: 'string', maxLength: 200 }
  const fitting = ranked(said)
    .filter((capability) => missing(capability) === null)
    .slice(0, MOST_FITTING)
  return [
    tool('find-actions', 'Finds what can be read or done for the person, by words', {
      type: 'object',
      properties: { query: text },
      required: ['query'],
    }),
    tool(
      'run-action',
      'Runs an action by its name. What only reads runs at once, and so does a change that can be undone where the person asked for just that; everything else is proposed to the person',
      {
        type: 'object',
        properties: { action: text, input: { type: 'object' } },
        required: ['action', 'input'],
      },
    ),
    ...(remembers
      ? [
          tool('remember', 'Keeps in mind what the person says about themselves or their business, in their exact words', {
            type: 'object',
            properties: { quote: { type: 'string', maxLength: LONGEST_MEMORY } },
            required: ['quote'],
          }),
        ]
      : []),
    ...(pages.length
      ? [
          tool('open-page', 'Opens a page of the app, when the person asks to be taken there', {
            type: 'object',
            properties: {
              page: {
                type: 'string',
                enum: pages.map(slugOf),
                description: pages.map((page) => `${slugOf(page)}: ${page.name}`).join(', '),
              },
            },
            required: ['page'],
          }),
        ]
      : []),
    ...fitting.map(({ name, when, input }) => tool(name, when, input)),
  ]
}

/** Tools of the desk itself. */
const own = new Set(['find-actions', 'run-action', 'open-page', 'remember'])
const slugOf = ({ path }: Page) => path.slice(path.lastIndexOf('/') + 1)

const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? [])].map((word) => word.replace(/s$/, ''))

/** By the words they share: a word that few of them have says more than one of many ("show"), and one of its name, or of a name that was said whole, counts twice. */
function ranked(said: string): Capability[] {
  const isNamed = startsOf(said)
  const all = [...capabilities().values()].map((capability) => {
    const { name, title, when, contract } = capability
    const about = contract.action.about ?? []
    const whole = about.filter((each) => isNamed(each.toLowerCase()))
    return { capability, named: startsOf([name, title, ...whole].join(' ')), told: startsOf([when, ...about].join(' ')) }
  })
  const weights = wordsOf(said).map((word) => {
    const having = all.filter(({ named, told }) => named(word) || told(word)).length
    return { word, weight: Math.log(1 + all.length / (1 + having)) }
  })
  return all
    .map(({ capability, named, told }) => ({
      capability,
      score: weights.reduce((sum, { word, weight }) => sum + weight * (named(word) ? 2 : told(word) ? 1 : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ capability }) => capability)
}

function startsOf(text: string) {
  const lower = ` ${text.toLowerCase().replace(/[^\p{L}]+/gu, ' ')}`
  return (word: string) => lower.includes(` ${word}`)
}

export type Asking = {
  pages: readonly Page[]
  /** The person's message, word for word. */
  said: string
  /** They said it just now: another version of an answer asks for nothing anew. */
  isSaidNow: boolean
  /** The answer that this is for, where it is kept. */
  messageId: string | null
}

/** The tools of one answer. It reads, and makes changes that the person asked for outright and can undo. */
export class Desk {
  readonly evidence: Shown[] = []
  readonly steps: Order[] = []
  /** Changes that were made, each with its undo. */
  readonly done: ReturnType<typeof shown>[] = []
  /** More than reading was asked for, whether or not it could be proposed. */
  wasToAct = false
  /** Where the person is led once the answer is there. */
  open: Page | null = null
  readonly #approvals: Approvals
  readonly #ctx: Ctx<AiDb>
  readonly #actor: UserActor
  readonly #missing: Missing
  readonly #asking: Asking
  /** From the first look on, a stranger's words may be among those that the model follows. */
  #hasRead = false
  /** Kept in mind once the answer is whole. */
  readonly quotes: string[] = []

  constructor(approvals: Approvals, ctx: Ctx<AiDb>, actor: UserActor, missing: Missing, asking: Asking) {
    this.#approvals = approvals
    this.#ctx = ctx
    this.#actor = actor
    this.#missing = missing
    this.#asking = asking
  }

  /** The result of a tool, for the model. A refusal is told in its words, so that it can be passed on or put right. */
  async use(name: string, args: string): Promise<string> {
    if (!own.has(name) && capabilities().get(name)?.effect !== 'reads') this.wasToAct = true
    try {
      const given = objectOf(args)
      if (name === 'find-actions') return JSON.stringify({ actions: this.#found(String(given.query ?? '')) })
      if (name === 'remember') return JSON.stringify(this.#remember(given.quote))
      if (name === 'open-page') return JSON.stringify(this.#lead(given.page))
      const action = name === 'run-action' ? String(given.action ?? '') : name
      const input = name === 'run-action' ? objectOf(given.input) : given
      return JSON.stringify(await this.#run(action, input)).slice(0, MOST_RESULT)
    } catch (error) {
      if (error instanceof DomainError) return JSON.stringify({ error: error.message })
      throw error
    }
  }

  #remember(given: unknown) {
    const quote = quoteIn(this.#asking.said, given)
    if (!quote)
      throw new DomainError('invalid', {
        message: `Only what the person said in this message is kept, word for word, up to ${LONGEST_MEMORY} characters.`,
      })
    if (this.quotes.length < MOST_QUOTES) this.quotes.push(quote)
    return { remembered: quote }
  }

  #lead(slug: unknown) {
    const page = this.#asking.pages.find((each) => slugOf(each) === slug)
    if (!page) {
      this.wasToAct = true
      throw new DomainError('not_found', { message: 'There is no such page. Nothing was opened.' })
    }
    // Rows that were read may hold somebody else's words: from then on nobody is led anywhere.
    if (this.#hasRead) throw new DomainError('forbidden', { message: 'Name the page in your answer instead.' })
    this.open = page
    return { opening: page.name }
  }

  #found(query: string) {
    return ranked(query)
      .slice(0, 8)
      .map((capability) => {
        const { name, when, effect, input } = capability
        return { action: name, when, effect, input, missing: this.#missing(capability) ?? undefined }
      })
  }

  async #run(action: string, input: Record<string, unknown>): Promise<unknown> {
    const capability = capabilities().get(action)
    if (capability?.effect !== 'reads') this.wasToAct = true
    if (!capability) throw new DomainError('not_found', { message: `There is no action ${action.slice(0, 60)}. Nothing was done.` })
    const { contract, title, effect } = capability
    const reason = this.#missing(capability)
    if (reason) throw new DomainError('action_missing', { message: reason })
    if (effect !== 'reads') return this.#mayRun(capability, input) ? this.#change({ action, input }) : this.#propose({ action, input })
    this.#hasRead = true
    const data = await this.#approvals.rt.call(contract, input as never, { actor: this.#actor, requestId: this.#ctx.requestId })
    const { evidence } = contract.action
    if (!evidence) return { data }
    const note = noteOf(data, evidence)
    this.evidence.push({ action, title, columns: evidence.columns, rows: rowsOf(data, evidence), ...(note && { note }) })
    return note ? { note, data } : { data }
  }

  #mayRun(capability: Capability, input: Record<string, unknown>): boolean {
    const { said, isSaidNow } = this.#asking
    return isSaidNow && !this.#hasRead && canBeUndone(capability.name) && asksOutright(said, capability, input)
  }

  async #change(order: Order) {
    if (this.done.length >= MOST_STEPS) throw new DomainError('invalid', { message: `${MOST_STEPS} changes are the most for one answer.` })
    const approval = await runAtOnce(this.#approvals, this.#ctx, order, this.#asking.messageId)
    this.done.push(approval)
    const [step] = approval.steps
    if (step!.state !== 'done') return { error: step!.error ?? 'Nobody can say whether it was done.' }
    return { done: step!.does, note: 'Done. The person sees it with a button to undo it.' }
  }

  async #propose(order: Order) {
    if (this.steps.length >= MOST_STEPS) throw new DomainError('invalid', { message: `${MOST_STEPS} steps are the most for one approval.` })
    const steps = [...this.steps, order]
    const prepared = await prepare(this.#approvals.rt, this.#actor, this.#missing, steps)
    this.steps.push(order)
    const { does, preview } = prepared.at(-1)!
    const depends = (preview as { depends?: string } | null)?.depends
    return { proposed: does, step: steps.length, depends, note: 'Not done. It waits for the approval of the person.' }
  }
}

function rowsOf(data: unknown, { rows, columns }: Evidence): Record<string, unknown>[] {
  const list = rows ? (data as Record<string, unknown[]>)[rows]! : [data]
  const at = (row: any, path: string) => path.split('.').reduce((from, key) => from?.[key], row) ?? null
  return list.slice(0, MOST_ROWS).map((row: any) => ({
    ...Object.fromEntries(Object.keys(columns).map((path) => [path, at(row, path)])),
    ...(typeof row?.currency === 'string' && { currency: row.currency }),
  }))
}

/** Lists that end before what there is say so by `more`, or by how far back was looked. */
function noteOf(data: any, { rows }: Evidence): string | null {
  const since = data?.searched_back_to
  if (typeof since === 'string') return `Only what came after ${day(since)} was searched. There is older.`
  return data?.more === true || (rows && data[rows].length > MOST_ROWS) ? 'There are more than these.' : null
}

function objectOf(given: unknown): Record<string, unknown> {
  try {
    const value = typeof given === 'string' ? JSON.parse(given || '{}') : given
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Told below.
  }
  throw new DomainError('invalid', { message: 'The arguments are no JSON object.' })
}
