import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Heard } from '../bank.ts'
import { readSdk, type Schema } from './types.ts'

/** Holds what the stand-in says against the types of the provider's own SDK, and keeps where it does not fit, once a kind. */
export function openConformance() {
  const sdk = readSdk()
  const replies = new Map(sdk.operations().map((each) => [`${each.method} ${each.path}`, each.reply]))
  const events = new Map<string, Schema>()
  for (const [key, schema] of Object.entries(sdk.defs))
    if (key.startsWith('resources/Events#') && schema.properties?.type?.const)
      events.set(schema.properties.type.const, { $ref: refOf(key) })
  if (events.size === 0) sdk.type('Events', 'Event')
  for (const [key, schema] of Object.entries(sdk.defs))
    if (key.startsWith('resources/Events#') && schema.properties?.type?.const)
      events.set(schema.properties.type.const, { $ref: refOf(key) })
  const ajv = new Ajv({ strict: false, inlineRefs: false, validateSchema: false, code: { optimize: false } })
  ajv.addSchema({ $id: 'sdk', $defs: sdk.defs })
  const checks = new Map<string, ValidateFunction | null>()
  const problems = new Map<string, string>()
  const said: Parameters<Heard>[] = []

  function checkOf(name: string, schema: Schema | null | undefined): ValidateFunction | null {
    if (!checks.has(name))
      checks.set(name, schema?.$ref ? ajv.compile({ $ref: `sdk${schema.$ref}` }) : schema ? ajv.compile(absolute(schema)) : null)
    return checks.get(name)!
  }

  // Compiling the types of an account takes seconds, so it is not done while somebody waits for an answer.
  const heard: Heard = (what, answer) => void said.push([what, structuredClone(answer)])

  function hold([what, answer]: Parameters<Heard>) {
    const name = 'operation' in what ? what.operation : what.event
    const check = checkOf(name, 'operation' in what ? replies.get(name) : events.get(name))
    if (check === null) {
      if (!('operation' in what) || !KNOWN_BESIDES.test(name)) problems.set(name, `${name}: the SDK has no type for it`)
    } else if (!check(answer)) {
      const worst = deepest(check.errors ?? [])
      problems.set(
        `${name} ${worst.instancePath.replace(/\d+/g, '0')} ${worst.message}`,
        `${name}${worst.instancePath} ${worst.message} ${JSON.stringify(worst.params)}`,
      )
    }
  }

  return {
    heard,
    seen: () => said.length,
    problems() {
      for (const each of said) hold(each)
      return [...problems.values()].sort()
    },
  }
}

// Searching answers a page of its own kind; resending is done by Stripe's command line alone.
const KNOWN_BESIDES = /\/search$|\/retry$/
const refOf = (key: string) => `#/$defs/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
const absolute = (schema: Schema): Schema => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"sdk#/$defs/'))
const deepest = (errors: ErrorObject[]) =>
  errors.reduce((worst, each) => (each.instancePath.length > worst.instancePath.length ? each : worst))
