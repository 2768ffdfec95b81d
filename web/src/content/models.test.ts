import { expect, test } from 'vitest'
import { RECORDED, writerName } from './models.ts'

test('an answer names its model, the one that stood in for it, or that it is a recording', () => {
  expect(writerName('claude', 'claude-sonnet-5')).toBe('Claude')
  expect(writerName('gemini-1.5-flash', 'gemini-3.6-flash')).toBe('Gemini, answered by Gemini 3.6 Flash')
  expect(writerName('gpt-5-mini-2025-08-07', RECORDED)).toBe('Recorded answer')
  expect(writerName(RECORDED, RECORDED)).toBe('Recorded answer')
})
