import { event } from '@operon/contracts/contract'
import { verifyRequest } from '@operon/kit/requests'
import { Vault } from '@operon/kit/vault'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { misunderstandings, notTaken, readRelease, readSigned, recordNow, releases, signNow } from './corpus.ts'
import { readRecorded, sampled, withoutValues } from './recorded.ts'
import { jsonSchemaOf, samplesOf } from './samples.ts'
import { type Travel, travels } from './travel.ts'

test.each(releases())('this version and release %s understand each other, whichever of them sends', (version) => {
  expect(misunderstandings(readRelease(version), travels())).toEqual([])
})

const recordings = releases().flatMap((version) => readRecorded(version) ?? [])
test('the last release kept what really travelled, and says of everything else that its samples are made', () => {
  const last = releases().at(-1)!
  const { recorded, made_only } = readRecorded(last)!
  expect([...Object.keys(recorded), ...made_only].sort()).toEqual(Object.keys(readRelease(last)).sort())
  expect(Object.keys(recorded).length).toBeGreaterThan(made_only.length)
})

test('this version takes what the releases really sent', () => {
  expect(recordings.flatMap(({ recorded }) => notTaken(recorded, travels()))).toEqual([])
})

test('what is recorded is the shape of a message, and nobody’s values', () => {
  const schema = z.object({
    id: z.uuid(),
    state: z.enum(['on', 'off']),
    word: z.string().meta({ 'x-personal': false }),
    name: z.string(),
    amount: z.int().min(1),
    many: z.array(z.object({ at: z.iso.datetime().nullable() })),
    counts: z.record(z.string(), z.int()),
  })
  const value = {
    id: crypto.randomUUID(),
    state: 'off',
    word: 'ours',
    name: 'Ada 42',
    amount: 77,
    many: [{ at: null }],
    counts: { Bob: 3 },
  }
  const kept = withoutValues(jsonSchemaOf(schema), value)
  expect(kept).toEqual({ ...value, id: expect.stringMatching(/^01931a5c/), name: 'Xxx 00', amount: 1, counts: { key0: 1 } })
  const release = { 'shop.sold': { kind: 'durable', parts: { payload: { schema: jsonSchemaOf(schema), samples: [] } } } }
  const heard = [value, { ...value, name: 'Bea 17' }, { ...value, state: 'on' }, { ...value, id: 1 }]
  const said = sampled(
    release,
    heard.map((value) => ({ name: 'shop.sold', part: 'payload', value })),
  )
  expect(said['shop.sold']!.payload).toEqual([kept, { ...(kept as object), state: 'on' }])
})

test('a recorded message that this version refuses is found', () => {
  const recorded = { 'shop.sold': { payload: [{ id: 'no uuid' }] } }
  expect(notTaken(recorded, [travelOf(z.object({ id: z.uuid() }))])).toEqual([expect.stringContaining('refused here')])
  expect(notTaken(recorded, [])).toEqual([expect.stringContaining('nothing here knows it')])
})

test.each(releases())('a request that release %s signed is believed here, and one that is signed here has the same form', (version) => {
  const { key, name, request } = readSigned(version)
  vi.useFakeTimers({ toFake: ['Date'], now: request.at })
  try {
    const vault = new Vault([Buffer.from(key, 'base64')])
    expect(verifyRequest(vault, name, request)).toMatchObject({ input: request.input, actor: request.actor, trace: request.trace })
    expect(() => verifyRequest(vault, name, { ...request, actor: { kind: 'service' } })).toThrow()
    expect(signNow().request).toEqual(request)
  } finally {
    vi.useRealTimers()
  }
})

test('everything that travels has samples, of the least and of the most that it may carry', () => {
  const recorded = recordNow()
  expect(Object.keys(recorded)).toEqual(travels().map(({ name }) => name))
  for (const [name, { parts }] of Object.entries(recorded))
    for (const { samples } of Object.values(parts)) expect([name, samples.length > 0]).toEqual([name, true])
  expect(recorded['identity.user_created']!.parts.payload!.samples).toEqual(
    expect.arrayContaining([
      { email: null, name: null, referral_code: null, role: null, version: 1 },
      expect.objectContaining({ email: expect.any(String), role: 'seller' }),
      expect.objectContaining({ email: expect.any(String), role: 'buyer' }),
    ]),
  )
})

const shape = { id: z.uuid(), state: z.enum(['on', 'off']), note: z.string().max(20).optional() }
const before = { 'shop.sold': recordOf(z.object(shape)) }
const after = (fields: z.ZodRawShape) => misunderstandings(before, [travelOf(z.object({ ...shape, ...fields }))])

test('a new optional field is understood by both', () => {
  expect(after({ colour: z.string().optional() })).toEqual([])
})

test.each([
  ['a new field that is required', { colour: z.string() }, /refused here/],
  ['a field that became required', { note: z.string() }, /refused here/],
  ['a value that is gone', { state: z.enum(['on']) }, /refused here/],
  ['a value that the release does not know', { state: z.enum(['on', 'off', 'broken']) }, /the release refuses/],
  ['a field that the release needs and may now be absent', { id: z.uuid().optional() }, /the release refuses/],
  ['null where the release knows none', { id: z.uuid().nullable() }, /the release refuses/],
  ['a longer text', { note: z.string().min(30).optional() }, /refuses|refused/],
  ['another type', { id: z.int() }, /refused here/],
])('%s is found', (_what, fields, why) => {
  expect(after(fields).join('\n')).toMatch(why)
})

test('what nobody here knows any more is found', () => {
  expect(misunderstandings(before, [])).toEqual(['shop.sold: the release sends it, and nothing here knows it'])
})

function travelOf(payload: z.ZodObject): Travel {
  const { name, delivery } = event('shop.sold', payload)
  return { name, kind: delivery, parts: { payload } }
}

function recordOf(payload: z.ZodObject) {
  return { kind: 'durable', parts: { payload: { schema: jsonSchemaOf(payload), samples: samplesOf(payload) } } }
}
