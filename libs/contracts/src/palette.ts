import { z } from 'zod'
import type { Effect } from './contract.ts'
import { capabilitiesOf, contracts, durableEvents } from './registry.ts'
import type { ProcessName } from './services.ts'

type Json = Record<string, any>

/** One thing that the workflow builder offers. */
export type PaletteEntry = {
  /** A node's type: `do.list-payments`, `trigger.crm.lead_created`. */
  type: `do.${string}` | `trigger.${string}`
  title: string
  description: string
  service: string
  /** The fields of its form, as a JSON schema. */
  form: Json
  /** Of a trigger that is one kind of an event: the fields that say so, with their values. */
  where?: Record<string, string>
  /** The output that later steps can use. */
  outputs: Output[]
  /** Of what is done: what it draws on, and which apps it needs. */
  effect?: Effect
  unit?: string | undefined
  needs?: readonly string[]
}
/** `payments[].amount_cents`: a field, or a field of each row of a list. */
export type Output = { path: string; type: string }

/** The builder's palette: every capability as a step, every event with a trigger as a beginning. */
export function paletteOf(by: Partial<Record<ProcessName, object>> = contracts): PaletteEntry[] {
  const names = new Set(
    Object.values(by).flatMap((service) => Object.values(service).map((contract) => (contract as { name?: string }).name)),
  )
  const triggers = durableEvents()
    .filter(({ name }) => names.has(name))
    .flatMap(({ name, payload, trigger }): PaletteEntry[] => {
      if (!trigger) return []
      const { choices = [], ...said } = trigger
      const entry: PaletteEntry = {
        type: `trigger.${name}`,
        ...said,
        service: name.slice(0, name.indexOf('.')),
        form: { type: 'object', properties: {} },
        outputs: outputsOf(z.toJSONSchema(payload, { unrepresentable: 'any', reused: 'inline' }) as Json),
      }
      return [entry, ...choices.map(({ name: of, ...choice }): PaletteEntry => ({ ...entry, ...choice, type: `trigger.${name}.${of}` }))]
    })
  const steps = capabilitiesOf(by).map(
    ({ name, title, summary, service, input, output, effect, unit, needs }): PaletteEntry => ({
      type: `do.${name}`,
      title,
      description: summary,
      service,
      form: input,
      outputs: outputsOf(output),
      effect,
      unit,
      needs,
    }),
  )
  return [...triggers, ...steps]
}

function outputsOf(json: Json, path = ''): Output[] {
  const value = notNull(json)
  const self = path ? [{ path, type: value.type ?? 'any' }] : []
  if (value.type === 'array') return [...self, ...outputsOf(value.items ?? {}, `${path}[]`).slice(1)]
  const fields = Object.entries(value.properties ?? {}) as [string, Json][]
  return [...self, ...fields.flatMap(([name, field]) => outputsOf(field, path ? `${path}.${name}` : name))]
}

/** The type of a nullable field without its null. */
function notNull(json: Json): Json {
  const branch = (json.anyOf as Json[] | undefined)?.find(({ type }) => type !== 'null')
  if (branch) return notNull(branch)
  return Array.isArray(json.type) ? { ...json, type: json.type.find((type: string) => type !== 'null') } : json
}
