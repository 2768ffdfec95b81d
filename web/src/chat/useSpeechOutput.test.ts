import { expect, test } from 'vitest'
import { breaths, plainText } from './useSpeechOutput.ts'

test('what is read aloud has no marks of form, no code and no addresses', () => {
  const answer =
    '## Plan\n\n1. **First** call [the bank](https://bank.example)\n\n| Day | Who |\n| --- | ---: |\n| Mon | Ana |\n\n```js\nfetch(1)\n```'
  const words = plainText(answer)
  expect(words).toContain('First call the bank')
  for (const mark of ['#', '*', '|', '---', 'https', 'fetch']) expect(words).not.toContain(mark)
})

test('a long answer is read in parts that end with a sentence, and none of it is lost [spec-63]', () => {
  const sentence = 'This is a sentence of some length that says one thing. '
  const parts = breaths(sentence.repeat(12))
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) expect(part).toMatch(/\.$/)
  expect(parts.join(' ')).toBe(sentence.repeat(12).trim())
})
