import { expect, test } from 'vitest'
import { drawable } from './drawable.ts'

test('an answer is drawn while it is written: code is code, bold is bold, a row waits until it is whole', () => {
  for (const [content, drawn] of [
    ['Say **this', 'Say **this**'],
    ['Say **', 'Say '],
    ['**This** and that', '**This** and that'],
    ['```js\n2 ** 3', '```js\n2 ** 3\n```'],
    ['Costs:\n| A | B |', 'Costs:'],
    ['| A | B |\n|---|---|\n| 1', '| A | B |\n|---|---|'],
  ] as const)
    expect(drawable(content, 'streaming')).toBe(drawn)
})

test('of an answer that was cut all that came is drawn; a complete one is left as it is', () => {
  expect(drawable('| A | B |\n|---|---|\n| 1 | **2', 'cut')).toBe('| A | B |\n|---|---|\n| 1 | **2**')
  expect(drawable('2 ** 3', 'complete')).toBe('2 ** 3')
})
