import { expect, test } from 'vitest'
import type { Message } from '../api/ai.ts'
import { fromRows, ownLine } from './message.ts'
import { threadTo, tipUnder, versionsOf } from './thread.ts'

const lines = { failed: '', empty: '' }
const row = (id: string, role: string, after_id: string | null) =>
  ({ id, role, after_id, conversation_id: 'talk', content: id, state: 'complete', prompt_tokens: null }) as Message
const read = (rows: Message[]) => fromRows(rows, lines)
const keys = (messages: { key: string }[]) => messages.map(({ key }) => key).join(' ')

test('one way through the versions is read, and each message knows those beside it', () => {
  const all = read([
    row('q1', 'user', 'talk'),
    row('a1', 'assistant', 'q1'),
    row('q2', 'user', 'a1'),
    row('a2', 'assistant', 'q2'),
    row('a1b', 'assistant', 'q1'),
    row('q1b', 'user', 'talk'),
  ])
  expect(keys(threadTo(all, 'a2'))).toBe('q1 a1 q2 a2')
  expect(keys(threadTo(all, 'a1b'))).toBe('q1 a1b')
  expect(keys(versionsOf(all, all[1]!))).toBe('a1 a1b')
  expect(keys(versionsOf(all, all[0]!))).toBe('q1 q1b')
  expect([tipUnder(all, 'a1'), tipUnder(all, 'q1'), tipUnder(all, 'q1b')]).toEqual(['a2', 'a1b', 'q1b'])
})

test('messages kept before there were versions follow each other', () => {
  const all = read([row('q1', 'user', null), row('a1', 'assistant', null), row('q2', 'user', null)])
  expect(keys(threadTo(all, 'q2'))).toBe('q1 a1 q2')
})

test('a message whose predecessor is not there begins the thread, and a circle ends', () => {
  expect(keys(threadTo(read([row('a1', 'assistant', 'gone'), row('q2', 'user', 'a1')]), 'q2'))).toBe('a1 q2')
  const [one, two] = [ownLine('1'), ownLine('2')]
  const circle = [
    { ...one, after: two.key },
    { ...two, after: one.key },
  ]
  expect(threadTo(circle, one.key)).toHaveLength(2)
})
