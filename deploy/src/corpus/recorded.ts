import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Heard } from '@operon/kit/testing/recorder'
import { z } from 'zod'
import { corpusFolder, RECORDED, type Release, readRelease } from './corpus.ts'

// Messages that a release really sent, beside the samples made from its schemas: taken while its tests ran, without anybody's values.

type Json = Record<string, any>
type Samples = Record<string, Record<string, unknown[]>>
export type Recorded = {
  /** By name and part: each sample has a shape that those before it had not. */
  recorded: Samples
  /** Travelled in no test: of these there are made samples alone, in the files beside this one. */
  made_only: string[]
}

const MOST_OF_A_PART = 5
const STANDING: Record<string, string> = {
  uuid: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10',
  email: 'ann@studio.example',
  'date-time': '2026-11-21T10:00:00.000Z',
  date: '2026-11-21',
  uri: 'https://studio.example/page',
}

export function readRecorded(version: string): Recorded | null {
  const file = join(corpusFolder, version, RECORDED)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** Writes what was heard while the tests of a release ran. */
export function writeRecorded(version: string, heardIn: string): Recorded {
  const release = readRelease(version)
  const recorded = sampled(release, heard(heardIn))
  const made_only = Object.keys(release).filter((name) => !(name in recorded))
  const said: Recorded = { recorded, made_only }
  writeFileSync(join(corpusFolder, version, RECORDED), `${JSON.stringify(said, null, 1)}\n`)
  return said
}

function* heard(folder: string): Generator<Heard> {
  for (const file of readdirSync(folder).sort())
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) if (line) yield JSON.parse(line) as Heard
}

/** A few of each part, in the order of their names. A message that does not fit the release's own schema was sent by a test to be refused. */
export function sampled(release: Release, all: Iterable<Heard>): Samples {
  const shapes = new Map<string, Map<string, unknown>>()
  const schemas = new Map<string, z.ZodType>()
  for (const { name, part, value } of all) {
    const schema = release[name]?.parts[part]?.schema as Json | undefined
    if (!schema) continue
    const place = `${name} ${part}`
    const found = shapes.get(place) ?? new Map<string, unknown>()
    shapes.set(place, found)
    const sample = withoutValues(schema, value)
    const shape = shapeOf(sample)
    if (found.has(shape) || found.size >= MOST_OF_A_PART) continue
    const known = schemas.get(place) ?? z.fromJSONSchema(schema as never)
    schemas.set(place, known)
    if (known.safeParse(sample).success) found.set(shape, sample)
  }
  const samples: Samples = {}
  for (const [place, found] of [...shapes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [name, part] = place.split(' ') as [string, string]
    if (found.size) samples[name] = { ...samples[name], [part]: [...found.values()] }
  }
  return samples
}

/** The shape stays: words of a list, the product's own words, switches. Values that could be somebody's become a stand-in, numbers 1 or 0. */
export function withoutValues(schema: Json, value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = value.slice(0, 50).map((each, n) => withoutValues(schemaOfItem(schema, n), each))
    return [...new Map(shapes.map((each) => [JSON.stringify(each), each])).values()].slice(0, Math.max(2, schema.minItems ?? 0))
  }
  if (typeof value === 'object' && value !== null) {
    const fields = fieldsOf(schema)
    return Object.fromEntries(
      Object.entries(value).map(([key, each], n) => {
        const field = fields.properties[key]
        // A key that no contract names may be a name itself.
        return [field || fields.isListed ? key : `key${n}`, withoutValues(field ?? fields.others, each)]
      }),
    )
  }
  if (typeof value === 'number') return wordsOf(schema).has(value) ? value : Math.max(value === 0 ? 0 : 1, leastOf(schema))
  if (typeof value !== 'string') return value
  return standIn(schema, value)
}

function standIn(schema: Json, value: string): string {
  if (wordsOf(schema).has(value) || schema['x-personal'] === false) return value
  const format = formatOf(schema, value)
  return format ? STANDING[format]! : masked(value)
}

/** A letter for a letter, so that what a contract asks of a text still holds. */
const masked = (text: string) =>
  text
    .slice(0, 40)
    .replace(/\p{Ll}/gu, 'x')
    .replace(/\p{Lu}/gu, 'X')
    .replace(/\d/g, '0')
/** The same for two messages that differ in the length of their texts alone. */
const shapeOf = (sample: unknown) => JSON.stringify(sample).replace(/[xX0](?:[ .,:’'-]*[xX0])*/g, 'x')

const branchesOf = (schema: Json): Json[] => schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []

function formatOf(schema: Json, value: string): string | undefined {
  if (schema.format && STANDING[schema.format]) return schema.format
  const branch = branchesOf(schema).find((each) => each.format && STANDING[each.format])
  if (branch) return branch.format
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(value)) return 'uuid'
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return 'date-time'
  return /^\S+@\S+$/.test(value) ? 'email' : undefined
}

/** The values that a contract spells out. */
function wordsOf(schema: Json): Set<unknown> {
  return new Set([
    ...(schema.enum ?? []),
    ...('const' in schema ? [schema.const] : []),
    ...branchesOf(schema).flatMap((each) => [...wordsOf(each)]),
  ])
}
const leastOf = (schema: Json): number => Math.max(schema.minimum ?? 0, ...branchesOf(schema).map(leastOf), 0)
const schemaOfItem = (schema: Json, n: number): Json => {
  const listed = [schema, ...branchesOf(schema)].find(({ items, prefixItems }) => items ?? prefixItems)
  return listed?.prefixItems?.[n] ?? listed?.items ?? {}
}

function fieldsOf(schema: Json): { properties: Record<string, Json>; others: Json; isListed: boolean } {
  const parts = [schema, ...branchesOf(schema).flatMap((each) => [each, ...branchesOf(each)])]
  const others = parts.map(({ additionalProperties }) => additionalProperties).find((each) => typeof each === 'object') ?? {}
  return {
    properties: Object.assign({}, ...parts.map(({ properties = {} }) => properties)),
    others,
    isListed: parts.some(({ propertyNames }) => propertyNames?.enum),
  }
}
