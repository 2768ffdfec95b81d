import { z } from 'zod'

export type Json = Record<string, any>
type Io = 'input' | 'output'

/** The schemas of the contracts as JSON schema: what has a name of its own stands once, among the components, and is referred to. */
export class Schemas {
  /** Those that were referred to, by name. */
  readonly components: Record<string, Json> = {}
  readonly #names = z.registry<{ id: string }>()
  readonly #converted: Record<Io, Record<string, Json>>

  constructor(named: Record<string, z.ZodType>, unnamed: Iterable<z.ZodType>) {
    const add = (id: string, schema: z.ZodType) => this.#names.has(schema) || this.#names.add(schema, { id })
    for (const [id, schema] of Object.entries(named)) add(id, schema)
    let count = 0
    for (const schema of unnamed) add(`${UNNAMED}${count++}`, schema)
    const options = { unrepresentable: 'any', reused: 'inline', cycles: 'throw', uri: (id: string) => AT + id, override: brief } as const
    const converted = (io: Io) => z.toJSONSchema(this.#names, { ...options, io }).schemas as Record<string, Json>
    this.#converted = { input: converted('input'), output: converted('output') }
  }

  /** As a part of an operation: by reference where it has a name. */
  use(schema: z.ZodType, io: Io): Json {
    return this.#resolved({ $ref: AT + this.#idOf(schema) }, io)
  }

  /** Its own fields, whatever it is called. */
  fields(schema: z.ZodObject): { properties: Record<string, Json>; required: string[] } {
    const { properties = {}, required = [] } = this.#resolved(this.#converted.input[this.#idOf(schema)]!, 'input')
    return { properties, required }
  }

  #idOf(schema: z.ZodType): string {
    return this.#names.get(schema)!.id
  }

  #resolved(value: any, io: Io): any {
    if (Array.isArray(value)) return value.map((each) => this.#resolved(each, io))
    if (typeof value !== 'object' || value === null) return value
    const { $ref, $schema, $id, ...own } = value
    const rest = Object.fromEntries(Object.entries(own).map(([key, each]) => [key, this.#resolved(each, io)]))
    if ($ref === undefined) return rest
    const id = $ref.slice(AT.length)
    if (id.startsWith(UNNAMED)) return { ...this.#resolved(this.#converted[io][id], io), ...rest }
    return { $ref: AT + this.#component(id, io), ...rest }
  }

  // Input and output differ where there are defaults or unknown fields: then there are two components.
  #component(id: string, io: Io): string {
    const name = io === 'input' && this.#differs(id) ? `${id}.input` : id
    if (!this.components[name]) {
      this.components[name] = {}
      Object.assign(this.components[name], this.#resolved(this.#converted[io][id], io))
    }
    return name
  }

  #differs(id: string, seen = new Set<string>()): boolean {
    if (seen.has(id)) return false
    seen.add(id)
    const [input, output] = [JSON.stringify(this.#converted.input[id]), JSON.stringify(this.#converted.output[id])]
    return input !== output || [...input.matchAll(refs)].some(([, other]) => this.#differs(other!, seen))
  }
}

const AT = '#/components/schemas/'
const UNNAMED = '~'
/** A format says it; the expression that checks it is longer than all the rest. */
const brief = ({ jsonSchema }: { jsonSchema: Json }) => void (jsonSchema.format && delete jsonSchema.pattern)
const refs = /"\$ref":"#\/components\/schemas\/([^"]+)"/g
