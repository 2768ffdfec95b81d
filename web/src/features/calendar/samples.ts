import { timeOf } from './days.ts'
import type { Appointment } from './queries.ts'

// Shown while a calendar has nothing of its own, always with the badge; never sent, counted or exported.
const meetings = [
  { title: 'Strategy call with Harbour Cafe', weekday: 0, from: 600, minutes: 45, state: 'confirmed' },
  { title: 'Demo for Weber Bikes', weekday: 1, from: 840, minutes: 30, state: 'pending' },
  { title: 'Weekly review', weekday: 2, from: 540, minutes: 60, state: 'confirmed' },
  { title: 'Onboarding of Nair Studio', weekday: 3, from: 660, minutes: 60, state: 'confirmed' },
  { title: 'Quote for Hadley Roofing', weekday: 4, from: 900, minutes: 45, state: 'pending' },
] as const

export function sampleMeetings(days: string[]): Appointment[] {
  return meetings.flatMap(({ title, weekday, from, minutes, state }) => {
    const day = days.length > 7 ? days[14 + weekday] : days[Math.min(weekday, days.length - 1)]
    if (!day || (days.length === 1 && weekday > 1)) return []
    const nothing = {
      event_type_id: null,
      guest_name: null,
      guest_email: null,
      guest_phone: null,
      guest_zone: null,
      place: '',
      notes: '',
      reason: '',
    }
    const times = { starts_at: timeOf(day, from).toISOString(), ends_at: timeOf(day, from + minutes).toISOString() }
    return [{ id: title, title, ...times, state, blocks: true, answers: [], version: 1, ...nothing }]
  })
}
