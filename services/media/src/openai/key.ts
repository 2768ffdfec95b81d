import { spendKeyRequest } from '@operon/contracts/ai-gateway/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Runtime } from '@operon/kit/service'
import type { MediaDb } from '../schema.ts'

/** A key opens these calls with the scope of the models; its own monthly limit is counted where the models count it. */
export async function admit({ ask }: Pick<Runtime, 'ask'>, ctx: Ctx<MediaDb>, calls = 1): Promise<void> {
  const actor = signedIn(ctx)
  if (!actor.key) return
  if (!actor.key.scopes.includes('chat')) throw new DomainError('key_scope')
  if (actor.key.monthlyPrompts) await ask(spendKeyRequest, { calls }, { actor })
}

export function refuse(param: string, why: string): never {
  throw new DomainError('invalid', { message: `${param}: ${why}.`, details: { param } })
}

type Fields = Record<string, unknown>
/** Only the named parameters, and each as it is allowed; null is as if it were not there. Whatever else could cost more is refused by its name. */
export function checked<B extends Fields>(body: B, allowed: Record<string, (value: any) => string | undefined>): B {
  for (const [param, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue
    const check = Object.hasOwn(allowed, param) ? allowed[param] : undefined
    if (!check) refuse(param, 'this parameter is not supported')
    const why = check?.(value)
    if (why) refuse(param, why)
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined)) as B
}

export const passes = () => undefined
export const oneOf =
  (...known: unknown[]) =>
  (value: unknown) =>
    known.includes(value) ? undefined : `only ${known.map((each) => JSON.stringify(each)).join(', ')} are supported`
export const words = (most: number) => (value: unknown) =>
  typeof value === 'string' && value.length <= most ? undefined : `a text of at most ${most} characters is needed`
export const between = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most ? undefined : `a number from ${least} to ${most} is needed`
