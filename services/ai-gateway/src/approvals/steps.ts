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
  return Promise.all(orders.map((order, at) => prepareOne(call, actor, missing, order, orders.slice(0, at))))
}

async function prepareOne(
  call: Call,
  actor: UserActor,
  missing: Missing,
  { action, input }: Order,
  earlier: readonly Order[],
): Promise<Step> {
  const at = earlier.length
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
  const preview = isFilledLater
    ? asks(contract.action)
      ? { depends: 'Depends on the step before.' }
      : null
    : await previewOf(call, actor, contract, given).catch((error: unknown) => {
        if (!couldMend(earlier, capability, error)) throw error
        return { depends: `Depends on the step before. Without it: ${(error as DomainError).message}` }
      })
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

const MENDABLE = new Set([400, 404, 409, 422])
/**
 * Each step is tried by itself, so one may be refused for want of what an earlier one does. Its own guards decide when it runs. What sends
 * or destroys is shown in full or not proposed.
 */
function couldMend(earlier: readonly Order[], { effect, service }: Capability, error: unknown): boolean {
  const isState = error instanceof DomainError && MENDABLE.has(error.status)
  if (!isState || effect === 'sends' || effect === 'destroys') return false
  return earlier.some(({ action }) => {
    const before = capabilities().get(action)
    return before?.service === service && before.effect !== 'reads'
  })
}

/** Null where nothing can be said before it runs; steps that are not asked for need none. */
async function previewOf({ call, preview }: Call, actor: UserActor, contract: Capability['contract'], given: Step['input']) {
  const { action } = contract
  if (action.preview) return call(action.preview, given, { actor, previews: contract })
  if (!asks(action)) return null
  if (action.noPreview) return { note: action.noPreview }
  const found = await preview(contract, given, { actor })
  return Object.keys(found).length ? found : null
}

/** A change with a way back. Actions that spend, send or destroy always ask, even where they could be undone. */
export const isUndoable = ({ effect, undo }: Capability['contract']['action']) => effect === 'changes' && undo !== undefined

const asks = (action: Capability['contract']['action']) => action.effect !== 'reads' && !isUndoable(action)

function sentenceOf({ contract, title }: Capability, input: unknown): string {
  try {
    return (contract.action.does?.(input) ?? title).replace(/\{\{([1-8])\.[\w.-]+\}\}/g, '(from step $1)')
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
