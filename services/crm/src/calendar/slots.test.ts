import type { ScheduleShape } from '@operon/contracts/crm/calendar'
import { expect, test } from 'vitest'
import { slotsOf } from './slots.ts'
import { daysIn } from './zones.ts'

const type = { minutes: 30, step_minutes: 30, before_minutes: 0, after_minutes: 0, notice_minutes: 0, days_ahead: 365 }
const allWeek = (from: number, to: number) => Array.from({ length: 7 }, () => [{ from, to }])
const schedule = (zone: string, from: number, to: number, exceptions: ScheduleShape['exceptions'] = []): ScheduleShape => ({
  zone,
  hours: allWeek(from, to),
  exceptions,
})
const at = (iso: string) => Date.parse(iso)
const on = (of: ScheduleShape, day: string, more: Partial<Parameters<typeof slotsOf>[0]> = {}) =>
  slotsOf({ schedule: of, type, busy: [], nowMs: at(`${day}T00:00:00Z`) - 5 * 86_400_000, ...daysIn(day, 1, of.zone), ...more }).map((ms) =>
    new Date(ms).toISOString().slice(0, 16),
  )

test('in New York a repeated 01:30 is two times, and the hour that is skipped is none [spec-131]', () => {
  const night = schedule('America/New_York', 60, 180)
  // 1 November 2026: 02:00 becomes 01:00 again, at 06:00 UTC.
  expect(on(night, '2026-11-01')).toEqual([
    '2026-11-01T05:00',
    '2026-11-01T05:30',
    '2026-11-01T06:00',
    '2026-11-01T06:30',
    '2026-11-01T07:00',
    '2026-11-01T07:30',
  ])
  // 14 March 2027: 02:00 becomes 03:00, at 07:00 UTC.
  expect(on(night, '2027-03-14')).toEqual(['2027-03-14T06:00', '2027-03-14T06:30'])
  expect(on(schedule('America/New_York', 150, 210), '2027-03-14')).toEqual(['2027-03-14T07:00'])
})

test('in Berlin nine stays nine over both changes of the clock [spec-131]', () => {
  const nine = schedule('Europe/Berlin', 540, 570)
  const days = ['2026-03-28', '2026-03-29', '2026-10-24', '2026-10-25']
  expect(days.map((day) => on(nine, day)[0])).toEqual(['2026-03-28T08:00', '2026-03-29T07:00', '2026-10-24T07:00', '2026-10-25T08:00'])
})

test('Lord Howe moves by half an hour, and Kolkata is half an hour off and never moves [spec-131]', () => {
  // 4 April 2027: 02:00 becomes 01:30 again.
  expect(on(schedule('Australia/Lord_Howe', 90, 120), '2027-04-04')).toEqual(['2027-04-03T14:30', '2027-04-03T15:00'])
  // 3 October 2027: 02:00 becomes 02:30.
  expect(on(schedule('Australia/Lord_Howe', 90, 150), '2027-10-03')).toEqual(['2027-10-02T15:00'])
  expect(on(schedule('Asia/Kolkata', 540, 600), '2026-12-01')).toEqual(['2026-12-01T03:30', '2026-12-01T04:00'])
})

test('the buffers of both sides, notice, the last bookable day and time off leave times out [spec-131]', () => {
  const day = schedule('UTC', 540, 720)
  const busy = [{ from: at('2026-12-01T10:00:00Z'), to: at('2026-12-01T10:30:00Z') }]
  const buffered = { ...type, before_minutes: 10, after_minutes: 15 }
  expect(on(day, '2026-12-01', { busy, type: buffered })).toEqual(['2026-12-01T09:00', '2026-12-01T11:00', '2026-12-01T11:30'])
  const nowMs = at('2026-12-01T08:30:00Z')
  expect(on(day, '2026-12-01', { nowMs, type: { ...type, notice_minutes: 120 } })[0]).toBe('2026-12-01T10:30')
  expect(on(day, '2026-12-05', { nowMs, type: { ...type, days_ahead: 3 } })).toEqual([])
  const off = [
    { from: '2026-12-01', to: '2026-12-03', spans: [] },
    { from: '2026-12-03', to: '2026-12-03', spans: [{ from: 600, to: 660 }] },
  ]
  const away = { ...day, exceptions: off }
  expect(on(away, '2026-12-02')).toEqual([])
  expect(on(away, '2026-12-03')).toEqual(['2026-12-03T10:00', '2026-12-03T10:30'])
})

test('what overlaps in the calendar hides no longer appointment behind a shorter one', () => {
  const busy = [
    { from: at('2026-12-01T09:00:00Z'), to: at('2026-12-01T11:30:00Z') },
    { from: at('2026-12-01T09:10:00Z'), to: at('2026-12-01T09:20:00Z') },
  ]
  expect(on(schedule('UTC', 540, 720), '2026-12-01', { busy })).toEqual(['2026-12-01T11:30'])
})
