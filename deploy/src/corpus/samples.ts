import { z } from 'zod'

// Samples of what a schema lets through, made from the schema itself, so that no contract is without one.

type Json = Record<string, any>

const AT = '2026-11-21T10:00:00.000Z'
const FORMATS: Record<string, string> = {
  uuid: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10',
  email: 'ann@studio.example',
  'date-time': AT,
  date: AT.slice(0, 10),
  uri: 'https://studio.example/page',
}

/** Made anew from the given alternative at each place where there is one; the first everywhere else. */
type Choices = ReadonlyMap<string, number>

/** The least a schema takes, the most, and one more for each enum value, union branch and null that the fullest leaves out. */
export function samplesOf(schema: z.ZodType): unknown[] {
  const json = jsonSchemaOf(schema)
  const found = new Map<string, unknown>()
  const keep = (value: unknown) => found.set(JSON.stringify(value), value)
  keep(least(json))
  const open: Choices[] = [new Map()]
  const tried = new Set<string>()
  while (open.length) {
    const choices = open.pop()!
    const places = new Map<string, number>()
    keep(fullest(json, '', choices, places))
    for (const [place, count] of places) {
      for (let n = 1; n < count; n++) {
        if (tried.has(`${place}=${n}`)) continue
        tried.add(`${place}=${n}`)
        // The choices that led to this place stay, or it would not be there.
        const kept = [...choices].filter(([other]) => place.startsWith(other))
        open.push(new Map([...kept, [place, n]]))
      }
    }
  }
  return [...found.values()]
}

/** The shape that a schema accepts, in a form that outlives it. */
export const jsonSchemaOf = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline', cycles: 'throw', override: withoutPattern }) as Json

/** A format says what its expression says; zod writes both. */
const withoutPattern = ({ jsonSchema }: { jsonSchema: Json }) => void (jsonSchema.format && delete jsonSchema.pattern)

function least(schema: Json): unknown {
  const branches = branchesOf(schema)
  if (branches) return least(branches.find((branch: Json) => branch.type === 'null') ?? branches[0]!)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(least))
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? schema.prefixItems?.length ?? 0 }, (_, n) => least(itemOf(schema, n)))
  if (schema.type !== 'object') return plain(schema, schema.enum?.[0])
  if (schema.examples) return schema.examples[0]
  const required: string[] = schema.required ?? []
  return Object.fromEntries(required.map((key) => [key, least(schema.properties?.[key] ?? schema.additionalProperties ?? {})]))
}

function fullest(schema: Json, path: string, choices: Choices, places: Map<string, number>): unknown {
  const choose = <T>(from: T[]): T => {
    places.set(path, from.length)
    return from[choices.get(path) ?? 0]!
  }
  const branches = branchesOf(schema)
  if (branches) {
    const branch = choose(branches)
    return fullest(branch, `${path}|${branches.indexOf(branch)}`, choices, places)
  }
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each: Json, n: number) => fullest(each, `${path}&${n}`, choices, places)))
  if (schema.type === 'array') {
    const length = schema.minItems ?? schema.prefixItems?.length ?? 1
    return Array.from({ length: Math.max(1, length) }, (_, n) => fullest(itemOf(schema, n), `${path}[${n}]`, choices, places))
  }
  if (schema.enum) return choose(schema.enum)
  if (schema.type !== 'object') return plain(schema)
  // Of an object too, where its fields alone do not say what goes together.
  if (schema.examples) return choose(schema.examples)
  const keys: string[] = schema.propertyNames?.enum ?? Object.keys(schema.properties ?? {})
  const values = keys.map((key) => [
    key,
    fullest(schema.properties?.[key] ?? schema.additionalProperties, `${path}.${key}`, choices, places),
  ])
  const key = schema.propertyNames?.format ? String(plain({ type: 'string', ...schema.propertyNames })) : 'some'
  if (values.length === 0 && isSchema(schema.additionalProperties))
    values.push([key, fullest(schema.additionalProperties, `${path}.some`, choices, places)])
  return Object.fromEntries(values)
}

/** `type: ['string', 'null']` says the same as two branches. */
function branchesOf(schema: Json): Json[] | undefined {
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => ({ ...schema, type }))
  return schema.anyOf ?? schema.oneOf
}
const isSchema = (value: unknown): value is Json => typeof value === 'object' && value !== null
const itemOf = ({ prefixItems, items }: Json, n: number): Json => prefixItems?.[n] ?? items ?? {}

function plain(schema: Json, preferred?: unknown): unknown {
  if (schema.examples) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (preferred !== undefined) return preferred
  if (schema.type === 'null') return null
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1, (schema.exclusiveMinimum ?? 0) + 1)
  if (schema.type !== 'string') return { any: 'value' }
  const text = FORMATS[schema.format] ?? spelt(schema)
  return text.slice(0, schema.maxLength ?? text.length)
}

/** Text of the length that is asked for. A pattern needs an example of its own. */
const spelt = ({ minLength = 1 }: Json): string => 'a few words'.repeat(Math.ceil(Math.max(1, minLength) / 11))
