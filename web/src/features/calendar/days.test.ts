import { expect, test } from 'vitest'
import { addDays, daysOf, placed, step } from './days.ts'

const at = (day: string, hour: number, minutes: number, id: string) => ({
  id,
  starts_at: new Date(`${day}T${String(hour).padStart(2, '0')}:00:00`).toISOString(),
  ends_at: new Date(new Date(`${day}T${String(hour).padStart(2, '0')}:00:00`).getTime() + minutes * 60_000).toISOString(),
})

test('what overlaps stands side by side, what does not has the whole width [spec-131]', () => {
  const day = '2026-12-01'
  const all = [at(day, 9, 60, 'a'), at(day, 9, 30, 'b'), at(day, 11, 60, 'c'), at('2026-12-02', 9, 60, 'other')]
  expect(placed(all, day).map(({ of, lane, lanes }) => [of.id, lane, lanes])).toEqual([
    ['a', 0, 2],
    ['b', 1, 2],
    ['c', 0, 1],
  ])
})

test('weeks begin on Monday, a month shows whole weeks, and a step leads to the next of what is shown', () => {
  expect(daysOf('week', '2026-12-06')[0]).toBe('2026-11-30')
  expect([daysOf('month', '2026-12-15')[0], daysOf('month', '2026-12-15').length]).toEqual(['2026-11-30', 42])
  expect([step('month', '2026-01-31', 1), step('week', '2026-12-01', -1), addDays('2026-02-28', 1)]).toEqual([
    '2026-02-01',
    '2026-11-24',
    '2026-03-01',
  ])
})
