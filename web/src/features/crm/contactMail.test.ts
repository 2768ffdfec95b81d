import { expect, test } from 'vitest'
import { timelineOf } from './contactMail.ts'

const at = (day: number) => `2026-10-${String(day).padStart(2, '0')}T09:00:00.000Z`
const activities = (...days: number[]) => days.map((day) => ({ id: `a${day}`, kind: 'note', text: '', at: at(day) }))
const mails = (...days: number[]) =>
  days.map((day) => ({
    ...{ id: `m${day}`, thread_id: '', connection_id: 'c', from: null, to: [], subject: '', snippet: '', at: at(day), url: null },
  }))
const names = (entries: ReturnType<typeof timelineOf>) =>
  entries.map((entry) => ('activity' in entry ? entry.activity.id : 'mail' in entry ? entry.mail.id : 'older emails'))

test('emails stand between the other entries by their date', () => {
  const all = timelineOf({ entries: activities(9, 5, 1), hasMore: false }, { entries: mails(3, 7), hasMore: false })
  expect(names(all)).toEqual(['a9', 'm7', 'a5', 'm3', 'a1'])
})

test('no activity is hidden by emails that are still to come, and these are asked for where the read ones end', () => {
  const some = timelineOf({ entries: activities(9, 5, 1), hasMore: false }, { entries: mails(8, 7), hasMore: true })
  expect(names(some)).toEqual(['a9', 'm8', 'm7', 'older emails', 'a5', 'a1'])
})

test('emails from before the last activity wait while there are older activities', () => {
  const cut = timelineOf({ entries: activities(9, 5), hasMore: true }, { entries: mails(7, 3), hasMore: true })
  expect(names(cut)).toEqual(['a9', 'm7', 'a5'])
  const none = timelineOf({ entries: activities(9, 5), hasMore: false }, { entries: [], hasMore: true })
  expect(names(none)).toEqual(['a9', 'a5', 'older emails'])
})
