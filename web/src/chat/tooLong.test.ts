import { expect, test } from 'vitest'
import { roomLeft, tooLong } from './tooLong.ts'

test('a message that is too long is said in words, by the field’s limit or by the plan’s', () => {
  const [field, plan] = [
    { characters: 50_000, isPlans: false },
    { characters: 20_000, isPlans: true },
  ]
  const text = 'x'.repeat(50_310)
  expect(tooLong(text, field)).toBe('Your message has 50,310 characters; at most 50,000 can be sent. Shorten it by 310.')
  expect(tooLong(text, plan)).toBe(
    'Your message has 50,310 characters; your plan takes up to 20,000 at once. Shorten it by 30,310, or upgrade on the plan page.',
  )
  expect(tooLong(` ${'x'.repeat(20_000)} `, plan)).toBeNull()
  expect([roomLeft('x'.repeat(19_000), plan), roomLeft('x'.repeat(18_000), plan), roomLeft(text, plan)]).toEqual([
    '19,000 of 20,000 characters',
    null,
    null,
  ])
})
