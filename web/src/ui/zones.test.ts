import { expect, test } from 'vitest'
import { clocksOf, dayIn } from './zones.ts'

test('a repeated 01:30 shows its distance from UTC, every other time its clock alone [spec-131]', () => {
  const night = ['2026-11-01T05:00:00Z', '2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T07:00:00Z']
  expect(clocksOf(night, 'America/New_York').map(({ label }) => label)).toEqual(['1:00 AM', '1:30 AM GMT-4', '1:30 AM GMT-5', '2:00 AM'])
  expect(clocksOf(['2026-12-01T03:30:00Z'], 'Asia/Kolkata').map(({ label }) => label)).toEqual(['9:00 AM'])
})

test('the day of a time is that of the zone', () => {
  expect([dayIn('2026-12-01T23:30:00Z', 'UTC'), dayIn('2026-12-01T23:30:00Z', 'Europe/Berlin')]).toEqual(['2026-12-01', '2026-12-02'])
})
