import { DomainError } from '@operon/kit/errors'

type Body = Record<string, unknown>
const isGiven = (value: unknown) => value !== undefined && value !== null && value !== false

/** What the protocol has and this door does not: refused by name, never left out in silence. Everything else is the provider's to judge. */
const refusals: [param: string, isRefused: (value: unknown) => boolean, why: string][] = [
  ['n', (n) => isGiven(n) && n !== 1, 'one answer a request is supported'],
  ['functions', isGiven, 'this older form is not supported; send `tools`'],
  ['function_call', isGiven, 'this older form is not supported; send `tool_choice`'],
  ['audio', isGiven, 'answers are text'],
  ['modalities', (kinds) => Array.isArray(kinds) && kinds.some((kind) => kind !== 'text'), 'answers are text'],
  ['store', isGiven, 'answers are not kept to be fetched later'],
]

export function checkParameters(body: Body): void {
  for (const [param, isRefused, why] of refusals)
    if (isRefused(body[param])) throw new DomainError('invalid', { message: `${param}: ${why}.`, details: { param } })
}
