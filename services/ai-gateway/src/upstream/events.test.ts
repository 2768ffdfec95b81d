import { expect, test } from 'vitest'
import { EventReader } from './events.ts'

const word = (content: string, more = '') =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: null }] }).replace(/}$/, `${more}}`)}\n\n`
const END = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const read = (bytes: Buffer, size: number) => {
  const reader = new EventReader()
  const events = []
  for (let at = 0; at < bytes.length; at += size) events.push(...reader.push(bytes.subarray(at, at + size)))
  return [...events, ...reader.end()]
}

test('however the bytes are cut, the same bytes go out, with the same words and their count', () => {
  const words = ['Bread', ' “é 你好 😀', ' say \\"hi\\"', ' "quoted" \\ \n', ' data: ', ' "content":"x"']
  const text = words.map((each) => word(each)).join('') + END
  for (const size of [1, 7, 64, 10_000]) {
    const events = read(Buffer.from(text), size)
    expect(Buffer.from(events.map(({ raw }) => `${raw}\n\n`).join(''), 'latin1').toString()).toBe(text)
    expect(events.map((event) => event.text).join('')).toBe(words.join(''))
    expect(events.reduce((sum, event) => sum + event.words, 0)).toBe(words.length)
    expect(events.at(-1)!.done).toBe(true)
    expect(events.at(-2)!.chunk!.choices![0]!.finish_reason).toBe('stop')
  }
  expect(read(Buffer.from(text), 10_000).length).toBeLessThan(words.length + 2)
})

test('an event that is more than a word, or no JSON, is never taken for one', () => {
  const head = word('one') + word('two')
  for (const odd of [
    word('three').replace('"three"', '"thr"ee"'),
    word('three').replace('three', 'thr\tee'),
    word('three').replace('three', 'thr\\xee'),
    word('three').slice(0, -4).concat('\n\n'),
  ])
    expect(read(Buffer.from(head + odd), 10_000).at(-1)).toMatchObject({ malformed: true, words: 0 })
  expect(read(Buffer.from(head + word('three', ',"error":{"message":"no"}')), 10_000).at(-1)!.chunk!.error!.message).toBe('no')
  const spaced = (key: string) => `data: {"id${key}":1,"choices":[{"delta":{"content": "same"}}]}\n\n`
  expect(read(Buffer.from(spaced('same') + spaced('other')), 10_000).map(({ text }) => text)).toEqual(['same', 'same'])
  const injected = word('three').replace('"three"', '"three","tool_calls":[{"index":0}]')
  expect(read(Buffer.from(head + injected), 10_000).at(-1)!.chunk!.choices![0]!.delta!.tool_calls).toHaveLength(1)
})
