import type { Field, Table } from '../parameters.ts'
import { played } from '../played.ts'
import type { readSdk, Schema } from './types.ts'

const DECIMALS = /percent|decimal|rate/

/** For each operation that is played: what it takes and of which type, as the SDK has it, and the names of what Stripe takes besides. */
export function parameterTable(sdk: ReturnType<typeof readSdk>): Record<string, Table> {
  const operations = new Map(sdk.operations().map((each) => [`${each.method} ${each.path}`, each.params]))
  const table: Record<string, Table> = {}
  for (const [name, paths] of Object.entries(played)) {
    if (!operations.has(name)) throw new Error(`Stripe has no ${name}`)
    const whole = sdk.target(operations.get(name) ?? { properties: {}, required: [] })
    const wanted = [...paths, ...('expand' in whole.properties ? ['expand'] : [])]
    const { o = {}, r = [] } = fieldOf(sdk, whole, '', wanted) as { o?: Record<string, Field>; r?: string[] }
    table[name] = { takes: o, needs: r, others: Object.keys(whole.properties).filter((each) => !(each in o)) }
  }
  return table
}

/** `wanted` null: all of it. */
function fieldOf(sdk: ReturnType<typeof readSdk>, given: Schema, at: string, wanted: string[] | null): Field {
  const schema = sdk.target(given)
  if (schema.anyOf) return unionOf(schema.anyOf.map((each: Schema) => fieldOf(sdk, each, at, wanted)))
  if ('const' in schema) return schema.const === '' ? '' : { e: [String(schema.const)] }
  if (schema.enum) return { e: schema.enum.map(String) }
  if (schema.type === 'array') return { a: fieldOf(sdk, schema.items, at, wanted) }
  if (schema.type === 'number') return DECIMALS.test(at) ? 'd' : 'i'
  if (schema.type === 'boolean') return 'b'
  if (schema.type !== 'object') return 's'
  if (schema.additionalProperties) return 'm'
  const names = Object.keys(schema.properties)
  const takes = names.filter((name) => !wanted || wanted.some((path) => path === name || path.startsWith(`${name}.`)))
  for (const path of wanted ?? [])
    if (!names.includes(path.split('.')[0]!)) throw new Error(`Stripe does not take ${[at, path].filter(Boolean).join('.')}`)
  const below = (name: string) => {
    if (!wanted || wanted.includes(name)) return null
    return wanted.filter((path) => path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1))
  }
  return {
    o: Object.fromEntries(takes.map((name) => [name, fieldOf(sdk, schema.properties[name], name, below(name))])),
    r: (schema.required as string[]).filter((name) => takes.includes(name)),
    ...(takes.length < names.length && { n: names.filter((name) => !takes.includes(name)) }),
  }
}

function unionOf(options: Field[]): Field {
  const distinct = [...new Map(options.map((each) => [JSON.stringify(each), each])).values()]
  return distinct.length === 1 ? distinct[0]! : { u: distinct }
}
