import { event, fn, id, plain } from '@operon/contracts/contract'
import { capabilitiesOf } from '@operon/contracts/registry'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkDeclarations, checkFamilies } from './declarations.ts'

const said = {
  access: 'user',
  summary: 'Counts',
  description: 'All of them.',
  errors: [],
  body: z.object({ tag: z.string().optional() }),
  reply: z.object({ count: z.int() }),
  example: { request: { tag: 'vip' }, reply: { count: 3 } },
} as const
const reads = { title: 'Count', when: 'The person asks how many', effect: 'reads' } as const
const sends = { ...reads, effect: 'sends', does: () => 'Sends one email to each of them' } as const
const count = fn('count-things', { ...said, action: reads })
const breachesOf = (...contracts: unknown[]) => checkDeclarations({ crm: { ...contracts } })

test('every capability and every event of the registry says what it has to', () => {
  expect([...checkDeclarations(), ...checkFamilies()]).toEqual([])
})

test('a capability that says everything, with its preview and its way back, is fine', () => {
  const undone = fn('unsend-things', { ...said, body: z.object({ run: id('run') }), action: { ...reads, title: 'Unsend' } } as never)
  const sent = fn('send-things', {
    ...said,
    reply: z.object({ run: id('run') }),
    example: { request: {}, reply: { run: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b10' } },
    idempotent: true,
    action: { ...sends, title: 'Send', preview: count, undo: { contract: undone, seconds: 60 } },
  })
  expect(breachesOf(count, sent)).toEqual([])
})

test.each([
  ['raw', { raw: true }, /is raw/],
  ['of staff', { access: 'staff' }, /open to staff alone/],
  ['without a summary', { summary: undefined }, /no summary/],
  ['without a description', { description: undefined }, /no description/],
  ['without errors', { errors: undefined }, /its errors/],
  ['without an example', { example: undefined }, /no example/],
  ['with an example that is refused', { example: { request: { tag: 1 }, reply: { count: 3 } } }, /request that its body refuses/],
  ['with a reply that is refused', { example: { request: {}, reply: { count: 'x' } } }, /reply that its reply refuses/],
  ['with evidence of nothing', { action: { ...reads, evidence: { rows: 'people', columns: {} } } }, /evidence of people/],
  ['with evidence of no field', { action: { ...reads, evidence: { columns: { sum: { label: 'Sum', as: 'count' } } } } }, /evidence of sum/],
  ['that sends without a key', { action: sends }, /takes no idempotency key/],
  ['that sends without a sentence', { idempotent: true, action: { ...sends, does: undefined } }, /no sentence/],
  [
    'with a preview of another body',
    {
      idempotent: true,
      action: {
        ...sends,
        preview: fn('other', { ...said, body: z.object({ name: z.string() }), action: { ...reads, title: 'Other' } } as never),
      },
    },
    /preview with another body/,
  ],
  [
    'with a preview that changes',
    { idempotent: true, action: { ...sends, preview: fn('other', { ...said, action: { ...sends, title: 'Other' } } as never) } },
    /does not only read/,
  ],
  [
    'with an undo of something else',
    {
      idempotent: true,
      action: {
        ...sends,
        undo: {
          contract: fn('other', { ...said, body: z.object({ thing: z.uuid() }), action: { ...reads, title: 'Other' } } as never),
          seconds: 9,
        },
      },
    },
    /not made of/,
  ],
])('a capability %s is named', (_what, other, why) => {
  expect(breachesOf({ ...count, ...other }).join('\n')).toMatch(why)
})

test('a string of an event that is neither personal nor plain is named', () => {
  const sold = event('shop.sold', z.object({ id: z.uuid(), title: z.string(), word: plain(z.string()) }))
  expect(breachesOf(sold)).toEqual(['shop.sold: title is neither personal() nor plain()'])
})

test('the list of capabilities has what a caller needs, and nothing of sign-in, settings or staff', () => {
  const list = capabilitiesOf()
  const payments = list.find(({ name }) => name === 'list-payments')!
  expect(payments).toMatchObject({
    service: 'billing',
    title: 'List payments',
    effect: 'reads',
    input: { type: 'object', properties: { limit: {} } },
  })
  expect(payments.output).toMatchObject({ type: 'object', properties: { payments: { type: 'array' } } })
  expect(list.find(({ name }) => name === 'notifications-read')!.input).toMatchObject({ type: 'object', properties: { ids: {} } })
  for (const { contract } of list) expect(['user', 'public']).toContain(contract.access)
})
