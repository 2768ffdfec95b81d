import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Actor } from '@operon/kit/context'
import { type SignedRequest, signRequest } from '@operon/kit/requests'
import { Vault } from '@operon/kit/vault'
import { z } from 'zod'
import { jsonSchemaOf, samplesOf } from './samples.ts'
import { type Travel, travels } from './travel.ts'

export const corpusFolder = resolve(import.meta.dirname, '../../../libs/contracts/corpus')
/** Names with the reason why the two versions need not understand each other there. */
const accepted: Record<string, string> = JSON.parse(readFileSync(join(corpusFolder, 'accepted.json'), 'utf8'))

const SIGNED = 'signed-request.json'
export const RECORDED = 'recorded.json'

type Recorded = { kind: string; parts: Record<string, { schema: object; samples: unknown[] }> }
/** The messages of one release, by name: samples made from its schemas. */
export type Release = Record<string, Recorded>

export const releases = (): string[] =>
  readdirSync(corpusFolder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

export function readRelease(version: string): Release {
  const files = readdirSync(join(corpusFolder, version)).filter((file) => file !== SIGNED && file !== RECORDED)
  return Object.assign({}, ...files.map((file) => JSON.parse(readFileSync(join(corpusFolder, version, file), 'utf8'))))
}

type SignedSample = { key: string; name: string; request: SignedRequest }
export const readSigned = (version: string): SignedSample => JSON.parse(readFileSync(join(corpusFolder, version, SIGNED), 'utf8'))

/** A request as this version signs it, for a person, under a key that stands beside it. */
export function signNow(): SignedSample {
  const key = Buffer.alloc(32, 7)
  const name = 'identity.user'
  const actor: Actor = {
    kind: 'user',
    id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10',
    email: 'ann@studio.example',
    phone: null,
    sessionId: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b11',
    aal: 'aal1',
    amr: [{ method: 'password', timestamp: 1_763_719_200 }],
    mfa: false,
    staff: false,
    anonymous: false,
    metadata: { name: 'Ann' },
  }
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  return { key: key.toString('base64'), name, request: signRequest(new Vault([key]), name, { user_id: actor.id }, actor, trace) }
}

/** The messages of this version, as samples and schemas. Throws where a sample does not fit the contract that it was made from. */
export function recordNow(): Release {
  return Object.fromEntries(travels().map((travel) => [travel.name, recordOf(travel)]))
}

function recordOf({ name, kind, parts }: Travel): Recorded {
  const recorded = Object.entries(parts).map(([part, schema]) => {
    const samples = samplesOf(schema).map((sample) => sent(schema, sample, `${name} ${part}`))
    return [part, { schema: jsonSchemaOf(schema), samples }]
  })
  return { kind, parts: Object.fromEntries(recorded) }
}

/** As it goes over the wire: what the schema lets through, as JSON. */
function sent(schema: z.ZodType, sample: unknown, what: string): unknown {
  const parsed = schema.safeParse(sample)
  if (parsed.success) return JSON.parse(JSON.stringify(parsed.data))
  throw new Error(`${what}: no sample fits, give the field an example by .meta({ examples: [...] }): ${parsed.error.message}`)
}

/** Writes the folder of a release, a file a service. A released file is never rewritten. */
export function writeRelease(version: string): string[] {
  const into = join(corpusFolder, version)
  if (existsSync(into)) throw new Error(`the corpus of ${version} is there already; a new release has a new version in package.json`)
  const byService = Object.groupBy(Object.entries(recordNow()), ([name]) => name.slice(0, name.indexOf('.')))
  mkdirSync(into)
  writeFileSync(join(into, SIGNED), `${JSON.stringify(signNow(), null, 1)}\n`)
  return Object.entries(byService).map(([service, entries]) => {
    const file = join(into, `${service}.json`)
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries!), null, 1)}\n`)
    return file
  })
}

/** Every way in which this version and a release would not understand each other while both run, less what is accepted with a reason. */
export function misunderstandings(release: Release, now: Travel[]): string[] {
  const current = new Map(now.map((travel) => [travel.name, travel]))
  const found = Object.entries(release).flatMap(([name, then]) => {
    const travel = current.get(name)
    if (!travel) return [[name, `${name}: the release sends it, and nothing here knows it`]]
    return Object.entries(then.parts).flatMap(([part, { schema, samples }]) => {
      const ours = travel.parts[part]
      if (!ours) return [[name, `${name} ${part}: the release has it, and it is gone here`]]
      return [
        ...refusals(ours, samples, `${name} ${part}: refused here, and the release sends it`),
        ...refusals(
          z.fromJSONSchema(schema as never),
          recordOf(travel).parts[part]!.samples,
          `${name} ${part}: the release refuses it, and it is sent here`,
        ),
      ].map((text) => [name, text])
    })
  })
  return found.filter(([name]) => !Object.hasOwn(accepted, name!)).map(([, text]) => text!)
}

/** Messages that a release really sent and this version does not take, less those accepted with a reason. */
export function notTaken(recorded: Record<string, Record<string, unknown[]>>, now: Travel[]): string[] {
  const current = new Map(now.map((travel) => [travel.name, travel]))
  return Object.entries(recorded).flatMap(([name, parts]) => {
    if (Object.hasOwn(accepted, name)) return []
    const travel = current.get(name)
    if (!travel) return [`${name}: the release sent it, and nothing here knows it`]
    return Object.entries(parts).flatMap(([part, samples]) =>
      travel.parts[part]
        ? refusals(travel.parts[part], samples, `${name} ${part}: refused here, and the release sent it`)
        : [`${name} ${part}: the release sent it, and it is gone here`],
    )
  })
}

const refusals = (schema: z.ZodType, samples: unknown[], what: string): string[] =>
  samples.flatMap((sample) => {
    const parsed = schema.safeParse(sample)
    return parsed.success
      ? []
      : [
          `${what}: ${JSON.stringify(sample)} (${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')})`,
        ]
  })
