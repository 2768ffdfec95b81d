import { type Action, type Endpoint, type Event, event } from '@operon/contracts/contract'
import { unmarked } from '@operon/contracts/marks'
import { contracts as all, nameOf } from '@operon/contracts/registry'
import type { ProcessName } from '@operon/contracts/services'
import { z } from 'zod'
import { travels } from './corpus/travel.ts'

type Capability = Endpoint & { action: Action }
type Json = Record<string, any>

/** The declarations that a capability or an event is missing. */
export function checkDeclarations(contracts: Partial<Record<ProcessName, object>> = all): string[] {
  const values = Object.values(contracts).flatMap((service) => Object.values(service))
  const capabilities = values.filter((value): value is Capability => value?.kind === 'endpoint' && value.action !== undefined)
  const events = values.filter((value): value is Event => value?.kind === 'event')
  return [
    ...capabilities.flatMap(breachesOf),
    ...twice(capabilities.map(({ action }) => action.title)),
    ...new Set(events.flatMap(unmarkedOf)),
  ]
}

/** The events that every service has one of stand in no registry. */
export const checkFamilies = (): string[] =>
  travels().flatMap(({ name, kind, parts }) =>
    kind === 'durable' || kind === 'broadcast' ? unmarkedOf(event(name as never, parts.payload as z.ZodObject)) : [],
  )

function unmarkedOf({ name, payload }: Event): string[] {
  return unmarked(payload).map((path) => `${name}: ${path} is neither personal() nor plain()`)
}

function breachesOf(contract: Capability): string[] {
  const { access, raw, bytes, body, reply, summary, description, example, errors, idempotent, action } = contract
  const { effect, does, preview, noPreview, undo, evidence } = action
  const breaches: string[] = []
  if (!contract.path.startsWith('/functions/v1/')) breaches.push('is no named function')
  if (raw || bytes) breaches.push('is raw')
  if (access !== 'user' && access !== 'public') breaches.push(`is open to ${access} alone: sign-in, settings and staff are no capabilities`)
  if (!summary) breaches.push('has no summary')
  if (!description) breaches.push('has no description')
  if (!errors) breaches.push('does not say its errors')
  if (body && objectOf(body) === null) breaches.push('has a body that is no object')
  if (!example) breaches.push('has no example')
  if (example && body && !body.safeParse(example.request).success) breaches.push('has an example request that its body refuses')
  if (example && !reply.safeParse(example.reply).success) breaches.push('has an example reply that its reply refuses')
  if (effect === 'reads' && idempotent) breaches.push('only reads and takes an idempotency key')
  if (effect !== 'reads' && !idempotent) breaches.push(`${effect} and takes no idempotency key`)
  if (effect !== 'reads' && !does) breaches.push(`${effect} and has no sentence for its approval`)
  if (effect !== 'reads' && example && does && !isSentence(does(body?.parse(example.request))))
    breaches.push('has an approval sentence that says nothing')
  if (preview && preview.action?.effect !== 'reads') breaches.push('has a preview that does not only read')
  if (preview && !comesFrom(fieldsOf(preview.body), fieldsOf(body))) breaches.push('has a preview with another body')
  if (noPreview && (preview || noPreview.length < 20)) breaches.push('has a reason for no preview that is none')
  if (undo && !undo.contract.action) breaches.push('has an undo that is no capability')
  if (undo && undo.seconds <= 0) breaches.push('has an undo that is never open')
  if (undo && !comesFrom(fieldsOf(undo.contract.body), { ...fieldsOf(reply), ...fieldsOf(body) }))
    breaches.push('has an undo whose body is not made of its input and reply')
  if (evidence) breaches.push(...evidenceBreaches(evidence, reply))
  return breaches.map((breach) => `${nameOf(contract)} ${breach}`)
}

function evidenceBreaches({ rows, columns }: NonNullable<Action['evidence']>, reply: z.ZodType): string[] {
  const fields = fieldsOf(reply)
  const row = rows ? objectOf(fields[rows]?.items) : fields
  if (!row) return [`has evidence of ${rows}, which is no list of its reply`]
  return Object.keys(columns).flatMap((path) =>
    fieldAt(row, path.split('.')) ? [] : [`has evidence of ${path}, which its reply does not have`],
  )
}

function fieldAt(fields: Json, [first = '', ...rest]: string[]): Json | undefined {
  const field: Json | undefined = fields[first]
  return field && rest.length ? fieldAt(objectOf(field) ?? {}, rest) : field
}

const isSentence = (text: string) => text.trim().length > 8
const twice = (titles: string[]): string[] =>
  titles.filter((title, at) => titles.indexOf(title) !== at).map((title) => `${title}: two capabilities have this title`)

const jsonOf = (schema: z.ZodType): Json => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Json
const fieldsOf = (schema: z.ZodType | undefined): Json => (schema ? (objectOf(schema) ?? {}) : {})

/** The fields of an object, also of one that may be absent. */
function objectOf(schema: z.ZodType | Json | undefined): Json | null {
  if (!schema) return null
  const json: Json = schema instanceof z.ZodType ? jsonOf(schema) : schema
  if (json.properties || json.type === 'object') return json.properties ?? {}
  return (json.anyOf as Json[] | undefined)?.find((branch) => branch.type === 'object')?.properties ?? null
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const comesFrom = (fields: Json, from: Json) => Object.entries(fields).every(([name, field]) => same(field, from[name]))
