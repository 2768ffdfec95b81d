import type { ChatBody } from './answer.ts'

type Range = [param: string, least: number, most: number]
const ranges: Range[] = [
  ['temperature', 0, 2],
  ['top_p', 0, 1],
  ['presence_penalty', -2, 2],
  ['frequency_penalty', -2, 2],
  ['top_logprobs', 0, 20],
]

/** The first parameter out of its range, in OpenAI's words. */
export function wrongParameter(body: ChatBody): { param: string; message: string; code: string } | null {
  for (const [param, least, most] of ranges) {
    const value = (body as unknown as Record<string, unknown>)[param]
    if (value === undefined || value === null) continue
    if (typeof value !== 'number')
      return { param, message: `Invalid type for '${param}': expected a decimal, but got a ${typeof value} instead.`, code: 'invalid_type' }
    if (value < least)
      return {
        param,
        message: `Invalid '${param}': decimal below minimum value. Expected a value >= ${least}, but got ${value} instead.`,
        code: 'decimal_below_min_value',
      }
    if (value > most)
      return {
        param,
        message: `Invalid '${param}': decimal above maximum value. Expected a value <= ${most}, but got ${value} instead.`,
        code: 'decimal_above_max_value',
      }
  }
  return null
}
