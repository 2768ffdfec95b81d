import { z } from 'zod'

// Reads back the marks that `personal` and `plain` put on a schema.

type Json = Record<string, any>
const schemas = new WeakMap<z.ZodType, Json>()

function jsonOf(schema: z.ZodType): Json {
  const known = schemas.get(schema)
  if (known) return known
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Json
  schemas.set(schema, json)
  return json
}

/** Where free text may stand that is neither `personal` nor `plain`. Ids, times and words of a list are no free text. */
export const unmarked = (schema: z.ZodType): string[] => unmarkedIn(jsonOf(schema), '')

/** The value without everything that is personal. */
export const withoutPersonal = (schema: z.ZodType, value: unknown): unknown => without(jsonOf(schema), value)

/** The names of the fields that are personal. */
export const personalFields = (schema: z.ZodType): string[] =>
  Object.entries(jsonOf(schema).properties ?? {}).flatMap(([name, field]) => (isPersonal(field as Json) ? [name] : []))

const branchesOf = (json: Json): Json[] => json.anyOf ?? json.oneOf ?? json.allOf ?? []
const isPersonal = (json: Json): boolean => json['x-personal'] ?? branchesOf(json).some(isPersonal)

function unmarkedIn(json: Json, path: string): string[] {
  if (json['x-personal'] !== undefined) return []
  const branches = branchesOf(json)
  if (branches.length) return [...new Set(branches.flatMap((branch) => unmarkedIn(branch, path)))]
  const types: unknown[] = [json.type].flat()
  if (types.includes('object')) {
    const fields = Object.entries(json.properties ?? {}).flatMap(([name, field]) =>
      unmarkedIn(field as Json, path ? `${path}.${name}` : name),
    )
    const keys = isSchema(json.additionalProperties) && !json.propertyNames?.enum ? [path] : []
    return [...fields, ...keys]
  }
  if (types.includes('array')) return unmarkedIn(json.items ?? {}, path)
  if (json.enum || 'const' in json || json.format === 'uuid' || json.format === 'date-time') return []
  return types.includes('string') || json.type === undefined ? [path] : []
}

const isSchema = (value: unknown): value is Json => typeof value === 'object' && value !== null

function without(json: Json, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => without(json.items ?? {}, each))
  if (typeof value !== 'object' || value === null) return value
  const properties: Record<string, Json> = json.properties ?? branchesOf(json).find((branch) => branch.properties)?.properties ?? {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      properties[name] && isPersonal(properties[name]) ? [] : [[name, without(properties[name] ?? {}, each)]],
    ),
  )
}
