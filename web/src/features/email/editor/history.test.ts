import { expect, test } from 'vitest'
import { change, type Draft, redo, start, undo, unsaved } from './history.ts'

const draft = {
  name: 'News',
  subject: '',
  document: { blocks: [] },
  sender_id: null,
  segment_id: null,
  ab: null,
  reader_hour: null,
} as unknown as Draft

test('keys in one field within a second are one step back, others a step each', () => {
  let of = start(draft)
  of = change(of, { subject: 'H' }, 'subject', 0)
  of = change(of, { subject: 'Hi' }, 'subject', 300)
  of = change(of, { name: 'News 2' }, 'name', 400)
  of = change(of, { subject: 'Hi!' }, 'subject', 500)
  expect(of.now).toMatchObject({ subject: 'Hi!', name: 'News 2' })
  of = undo(undo(of))
  expect(of.now).toMatchObject({ subject: 'Hi', name: 'News' })
  expect(undo(of).now).toEqual(draft)
  expect(redo(of).now.name).toBe('News 2')
  // Text written after an undo ends the redo.
  expect(redo(change(of, { subject: 'Ho' }, 'subject', 900)).now.name).toBe('News')
  expect(change(of, { subject: 'Hi' }, 'subject', 900)).toBe(of)
})

test('what is saved is what changed and can be taken', () => {
  expect(unsaved(draft, draft)).toBeNull()
  expect(unsaved(draft, { ...draft, subject: 'Hi' })).toEqual({ subject: 'Hi' })
  expect(unsaved(draft, { ...draft, name: ' ' })).toBeNull()
  const half = { subject: '', share_percent: 20, after_hours: 4 }
  expect(unsaved(draft, { ...draft, ab: half })).toBeNull()
  expect(unsaved({ ...draft, ab: half }, { ...draft, ab: null })).toEqual({ ab: null })
})
