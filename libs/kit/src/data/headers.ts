import { refusal } from './errors.ts'
import { MAX_ROWS, type Query } from './query.ts'

export type Count = 'exact' | 'planned' | 'estimated'
export type Preferences = {
  count: Count | null
  reply: 'minimal' | 'representation' | 'headers-only'
  maxAffected: number | null
  applied: string
}
export type Shape = { single: boolean; stripNulls: boolean; contentType: string }

/** The parts of `Prefer` that this API honors. Others are ignored, or refused where the caller asked for strictness. */
export function readPreferences(header: string | undefined): Preferences {
  const wanted: Preferences = { count: null, reply: 'minimal', maxAffected: null, applied: '' }
  const given = (header ?? '')
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter(Boolean)
  const strict = given.includes('handling=strict')
  const applied: string[] = []
  const refused: string[] = []
  for (const preference of given) {
    const [key, value = ''] = preference.split('=')
    if (key === 'count' && ['exact', 'planned', 'estimated'].includes(value)) wanted.count = value as Count
    else if (key === 'return' && ['minimal', 'representation', 'headers-only'].includes(value)) wanted.reply = value as Preferences['reply']
    else if (key === 'max-affected' && strict && /^\d{1,6}$/.test(value)) wanted.maxAffected = Number(value)
    else if (key === 'resolution') throw refusal(400, 'PGRST100', 'Upserts are not offered by this data API.')
    else if (key !== 'handling' && preference !== 'missing=default') {
      refused.push(preference)
      continue
    }
    applied.push(preference)
  }
  if (strict && refused.length)
    throw refusal(400, 'PGRST122', 'Invalid preferences given with handling=strict', `Invalid preferences: ${refused.join(', ')}`)
  return { ...wanted, applied: applied.join(', ') }
}

const json = ['', '*/*', 'application/*', 'application/json', 'application/vnd.pgrst.array+json', 'application/vnd.pgrst.array']
const object = ['application/vnd.pgrst.object+json', 'application/vnd.pgrst.object']

export function readShape(accept: string | undefined): Shape {
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...params] = range.split(';').map((part) => part.trim().toLowerCase())
    const stripNulls = params.includes('nulls=stripped')
    if (object.includes(type))
      return {
        single: true,
        stripNulls,
        contentType: `application/vnd.pgrst.object+json${stripNulls ? ';nulls=stripped' : ''}; charset=utf-8`,
      }
    if (json.includes(type))
      return {
        single: false,
        stripNulls,
        contentType: stripNulls ? 'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8' : 'application/json; charset=utf-8',
      }
  }
  throw refusal(406, 'PGRST107', `None of these media types are available: ${accept?.slice(0, 200)}`)
}

/** supabase-js names the schema; there is one. */
export function checkProfile(profile: string | undefined) {
  if (profile && profile !== 'public')
    throw refusal(406, 'PGRST106', `Invalid schema: ${profile.slice(0, 60)}`, 'Only the following schemas are exposed: public')
}

/** The rows asked for by limit and offset, by the `Range` header, or by both. */
export function readWindow(query: Query, range: string | undefined): { offset: number; limit: number } {
  const [, from, to] = /^(\d{1,15})-(\d{0,15})$/.exec(range?.replace(/^items=/, '') ?? '') ?? []
  if (range && from === undefined) throw refusal(416, 'PGRST103', 'Requested range not satisfiable', 'The Range header is not understood.')
  if (to && Number(to) < Number(from))
    throw refusal(
      416,
      'PGRST103',
      'Requested range not satisfiable',
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    )
  const offset = Math.max(query.offset, Number(from ?? 0))
  const ends = [query.limit === null ? Number.MAX_SAFE_INTEGER : query.offset + query.limit, to ? Number(to) + 1 : Number.MAX_SAFE_INTEGER]
  return { offset, limit: Math.max(0, Math.min(MAX_ROWS, Math.min(...ends) - offset)) }
}
