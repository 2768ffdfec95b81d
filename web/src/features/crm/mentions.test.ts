import { expect, test } from 'vitest'
import { askedIn, mentionsOf, partsOf } from './mentions.ts'

const ann = { kind: 'contact', id: 'a', name: 'Ann' } as const

test('an @ that begins a word asks, one within an address does not', () => {
  expect(askedIn('Ask @Ann Le')).toEqual({ query: 'Ann Le', starts: 4 })
  expect(askedIn('@')).toEqual({ query: '', starts: 0 })
  for (const text of ['ann@example', 'Ask @Ann\nand', 'Ask @ Ann', 'no']) expect(askedIn(text)).toBeNull()
})

test('what was taken out of the text again is mentioned no more', () => {
  expect(mentionsOf('Ask @Ann', [ann, ann])).toEqual([{ kind: 'contact', id: 'a' }])
  expect(mentionsOf('Ask her', [ann])).toEqual([])
})

test('a mention is shown by its name of now', () => {
  const mention = { ...ann, name: 'Ann Lee', starts: 4, length: 4 }
  expect(partsOf('Ask @Ann first', [mention]).map(({ text }) => text)).toEqual(['Ask ', '@Ann Lee', ' first'])
  expect(partsOf('Ask @Ann')).toEqual([{ text: 'Ask @Ann', at: 0 }])
})
