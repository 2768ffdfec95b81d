import { expect, test } from 'vitest'
import { z } from 'zod'
import { fn } from './contract.ts'
import { apps } from './integrations/apps.ts'
import { paletteOf } from './palette.ts'
import { capabilitiesOf, durableEvents } from './registry.ts'

const palette = paletteOf()
const entry = (type: string) => palette.find((each) => each.type === type)!

test('every capability is a step of the palette, and every event that begins something a trigger', () => {
  expect(palette.filter(({ type }) => type.startsWith('do.')).map(({ type }) => type)).toEqual(
    capabilitiesOf().map(({ name }) => `do.${name}`),
  )
  const triggers = durableEvents().flatMap(({ name, trigger }) =>
    trigger ? [name, ...(trigger.choices ?? []).map((choice) => `${name}.${choice.name}`)].map((each) => `trigger.${each}`) : [],
  )
  expect(palette.filter(({ type }) => type.startsWith('trigger.')).map(({ type }) => type)).toEqual(triggers)
  expect(triggers).toContain('trigger.crm.lead_created')
  expect(new Set(palette.map(({ type }) => type)).size).toBe(palette.length)
})

test('each app of the library begins a workflow with something that happens there [spec-120]', () => {
  for (const { id } of apps)
    expect(
      palette.filter(({ type, where }) => type.startsWith('trigger.integrations.app_told.') && where?.service_name === id).length,
    ).toBeGreaterThan(0)
  expect(entry('trigger.integrations.app_told.gmail.new-mail')).toMatchObject({
    title: 'New email in Gmail',
    where: { service_name: 'gmail', trigger: 'new-mail' },
    outputs: expect.arrayContaining([{ path: 'title', type: 'string' }]),
  })
})

test('a step has its form from the schema, and what it answers is known to the steps after it', () => {
  expect(entry('do.list-payments')).toMatchObject({
    title: 'List payments',
    service: 'billing',
    effect: 'reads',
    needs: [],
    form: { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 } } },
  })
  expect(entry('do.list-payments').outputs).toEqual(
    expect.arrayContaining([
      { path: 'payments', type: 'array' },
      { path: 'payments[].amount_cents', type: 'integer' },
      { path: 'payments[].currency', type: 'string' },
    ]),
  )
  expect(entry('trigger.integrations.connection_changed')).toMatchObject({
    title: 'An app was connected or disconnected',
    outputs: expect.arrayContaining([{ path: 'service_name', type: 'string' }]),
  })
})

test('one new contract is one new entry', () => {
  const countThings = fn('count-things', {
    access: 'user',
    summary: 'Counts things',
    body: z.object({ tag: z.string().max(40).optional() }),
    reply: z.object({ count: z.int(), newest: z.object({ name: z.string() }).nullable() }),
    action: { title: 'Count things', when: 'The person asks how many', effect: 'reads' },
  })
  expect(paletteOf({ crm: { countThings } })).toEqual([
    {
      type: 'do.count-things',
      title: 'Count things',
      description: 'Counts things',
      service: 'crm',
      form: { type: 'object', properties: { tag: { type: 'string', maxLength: 40 } } },
      outputs: [
        { path: 'count', type: 'integer' },
        { path: 'newest', type: 'object' },
        { path: 'newest.name', type: 'string' },
      ],
      effect: 'reads',
      unit: undefined,
      needs: [],
    },
  ])
})
