import { createHash } from 'node:crypto'
import type { StepOrder } from '@operon/contracts/ai-gateway/approvals'
import type { Capability } from '@operon/contracts/registry'
import type { UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { parsed } from '@operon/kit/problems'
import type { Runtime } from '@operon/kit/service'
import type { z } from 'zod'
import type { AiDb, Step } from '../schema.ts'
import { capabilities, type Missing } from './offered.ts'

export type Order = z.output<typeof StepOrder>
type Call = Pick<Runtime<AiDb>, 'call' | 'preview'>

/** `{{2.subject}}`: a field of what an earlier step answered, as the whole of a value. */
const reference = /^\{\{([1-8])((?:\.[\w-]{1,60}){1,6})\}\}$/

/** A step as the person is asked for it: checked, in words, previewed. */
export async function prepare(call: Call, actor: UserActor, missing: Missing, orders: readonly Order[]): Promise<Step[]> {
  return Promise.all(orders.map((order, at) => prepareOne(call, actor, missing, order, at)))
}

async function prepareOne(call: Call, actor: UserActor, missing: Missing, { action, input }: Order, at: number): Promise<Step> {
  const capability = capabilities().get(action)
  if (!capability) throw new DomainError('not_found', { message: `There is no action ${action}.` })
  const reason = missing(capability)
  if (reason) throw new DomainError('action_missing', { message: reason })
  const { contract, title, effect, unit } = capability
  const isFilledLater = refers(input, at)
  // Steps that send or destroy are shown in full before they are approved.
  if (isFilledLater && (effect === 'sends' || effect === 'destroys'))
    throw new DomainError('invalid', {
      message: `${title} cannot use the result of an earlier step. Propose it once that result is there.`,
    })
  const given = contract.body && !isFilledLater ? (parsed(contract.body, input) as Step['input']) : input
  const preview = isFilledLater ? null : await previewOf(call, actor, contract, given)
  const does = sentenceOf(capability, given)
  return {
    action,
    title,
    effect,
    unit: unit ?? null,
    does,
    input: given,
    preview,
    state: 'waiting',
    reply: null,
    error: null,
    undo_until: null,
  }
}

/** Null where nothing can be said before it runs; steps that are not asked for need none. */
async function previewOf({ call, preview }: Call, actor: UserActor, { action, ...contract }: Capability['contract'], given: Step['input']) {
  if (action.preview) return call(action.preview, given, { actor })
  if (action.noPreview || action.effect === 'reads' || isUndoable(action)) return null
  const found = await preview({ ...contract, action }, given, { actor })
  return Object.keys(found).length ? found : null
}

/** A change with a way back. Actions that spend, send or destroy always ask, even where they could be undone. */
export const isUndoable = ({ effect, undo }: Capability['contract']['action']) => effect === 'changes' && undo !== undefined

function sentenceOf({ contract, title }: Capability, input: unknown): string {
  try {
    return contract.action.does?.(input) ?? title
  } catch {
    // A sentence may need a field that an earlier step fills.
    return title
  }
}

/** Whether an input waits for earlier steps; one that names a later step, or itself, never comes true. */
function refers(value: unknown, at: number): boolean {
  if (Array.isArray(value)) return value.some((each) => refers(each, at))
  if (typeof value === 'object' && value !== null) return Object.values(value).some((each) => refers(each, at))
  const found = typeof value === 'string' ? reference.exec(value) : null
  if (found && Number(found[1]) > at)
    throw new DomainError('invalid', { message: `Step ${at + 1} can only use what earlier steps answered.` })
  return found !== null
}

/** The input with what earlier steps answered in it. */
export function filled(value: unknown, steps: readonly Step[]): any {
  if (Array.isArray(value)) return value.map((each) => filled(each, steps))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, steps)]))
  const found = typeof value === 'string' ? reference.exec(value) : null
  if (!found) return value
  const path = found[2]!.slice(1).split('.')
  return path.reduce<any>((from, key) => (from && Object.hasOwn(from, key) ? from[key] : undefined), steps[Number(found[1]) - 1]?.reply)
}

/** Of everything that the person sees before approving. */
export const hashOf = (steps: readonly Step[]) =>
  createHash('sha256')
    .update(
      canonical(steps.map(({ action, effect, does, input, preview }) => ({ action, effect, does, input, preview: lasting(preview) }))),
    )
    .digest('hex')

/** An allowance goes down with every answer meanwhile, and a page is read anew; that changes nothing of what is approved. */
const lasting = (preview: unknown) =>
  preview && typeof preview === 'object' ? { ...preview, left: undefined, read_at: undefined } : preview

/** The database keeps no order of keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

export const promptsOf = (steps: readonly Step[]) => steps.filter(({ unit }) => unit === 'prompts').length
export const titleOf = (steps: readonly Step[]) => {
  const [first, ...rest] = [...new Set(steps.map(({ title }) => title))]
  return steps.length === 1 ? first! : rest.length ? `${first} and ${rest.length} more` : `${first}, ${steps.length} times`
}
