import { expect, test } from 'vitest'
import { z } from 'zod'
import { personal, plain } from './contract.ts'
import { personalFields, unmarked, withoutPersonal } from './marks.ts'

test('free text has to say whether it is personal; ids, times, numbers and words of a list need not', () => {
  const schema = z.object({
    id: z.uuid(),
    at: z.iso.datetime(),
    state: z.enum(['on', 'off']),
    count: z.int().nullable(),
    limits: z.record(z.enum(['a', 'b']), z.int()),
    said: personal(z.string()).nullable(),
    word: plain(z.string()).optional(),
    title: z.string(),
    note: z.string().nullish(),
    links: z.array(z.url()),
    inner: z.object({ email: z.email() }),
    any: z.record(z.string(), z.unknown()),
    either: z.union([z.int(), z.string()]),
  })
  expect(unmarked(schema)).toEqual(['title', 'note', 'links', 'inner.email', 'any', 'either'])
})

test('what is personal is found and left out, however deep it stands', () => {
  const schema = z.object({
    name: personal(z.string()),
    session: personal(z.uuid()).nullable(),
    plan: plain(z.string()),
    lines: z.array(z.object({ text: personal(z.string()), count: z.int() })),
    buyer: z.object({ email: personal(z.email()).nullish(), city: plain(z.string()) }).nullable(),
  })
  expect(personalFields(schema)).toEqual(['name', 'session'])
  const value = { name: 'Ann', session: null, plan: 'pro', lines: [{ text: 'a', count: 1 }], buyer: { email: 'a@b.example', city: 'Oslo' } }
  expect(withoutPersonal(schema, value)).toEqual({ plan: 'pro', lines: [{ count: 1 }], buyer: { city: 'Oslo' } })
})
