import { expect, test } from 'vitest'
import { fieldsOf } from './fields.ts'

const said = (of: object) => fieldsOf(of).map(({ name, lines }) => `${name}: ${lines.join(' | ')}`)

test('a preview reads from what it is about to what is left, in whatever order it was kept', () => {
  expect(
    said({
      adds: ['1 note'],
      left: '985 of 1,000 prompts left',
      about: ['Contact: Ada'],
      emails: ['a@b.example: Hi'],
      changes: ['Status: cold → hot'],
    }),
  ).toEqual([
    'about: Contact: Ada',
    'changes: Status: cold → hot',
    'adds: 1 note',
    'emails: a@b.example: Hi',
    'allowance: 985 of 1,000 prompts left',
  ])
  expect(said({ body: 'Hi', subject: 'Thank you' })).toEqual(['subject: Thank you', 'body: Hi'])
  expect(said({ depends: 'Depends on the step before.' })).toEqual(['order: Depends on the step before.'])
})

test('amounts, times and rows are words, and what says nothing is left out', () => {
  expect(said({ amount_cents: 4900, fee_returned_cents: 150, currency: 'usd' })).toEqual(['amount: $49', 'fee returned: $1.50'])
  expect(said({ recipients: 12000, first: { to: 'ada@example.com', html: '<p>Hi</p>', text: 'Hi' } })).toEqual([
    'recipients: 12,000',
    'first: to: ada@example.com | text: Hi',
  ])
  expect(said({ title: 'Post a message', fields: [{ name: 'text', value: 'Sold!' }] })).toEqual([
    'title: Post a message',
    'fields: text: Sold!',
  ])
  expect(said({ send: true, ends_at: '2026-12-01T09:00:00.000Z' })[1]).toMatch(/^ends at: (Nov 30|Dec 1|Dec 2), 2026/)
  expect(
    said({ deal_id: '0199a2b4-1111-7222-8333-444455556666', to: '{{1.email}}', missing: null, changes: [], text: '', model: 'gpt' }),
  ).toEqual([])
})
