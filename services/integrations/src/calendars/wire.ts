import type { CalendarEvent } from '@operon/contracts/integrations/calendars'
import type { z } from 'zod'
import type { Answer, AppRequest } from '../apps/app.ts'

export type Shown = z.output<typeof CalendarEvent>
export type Wanted = {
  title: string
  starts_at: string
  ends_at: string
  busy: boolean
  place?: string | undefined
  notes?: string | undefined
}
/** Where listing goes on: the window of the first time, and the vendor's word for a page or for all that came so far. */
export type At = { from: string; until: string; page?: string; sync?: string }
export type Told = { remote: string; resource: string | null; until: Date }

/** One vendor's calendar protocol. */
export type CalendarWire = {
  list(at: At): AppRequest
  listed(answer: Answer, at: At): { events: Shown[]; at: At; more: boolean; anew?: string[] }
  show(id: string): AppRequest
  add(key: string, event: Wanted): AppRequest
  /** The id that a new event has, where we choose it. */
  idFor?: (key: string) => string
  change(id: string, event: Wanted, etag?: string): AppRequest
  remove(id: string, etag?: string): AppRequest
  event(answer: Answer): Shown
  /** Null where it tells nobody of changes. */
  watching: Watching | null
}
export type Watching = {
  watch(hook: { id: string; address: string; secret: string }): AppRequest
  watched(answer: Answer): Told
  unwatch(told: { remote: string; resource: string | null }): AppRequest
}

export const removed = (id: unknown): Shown => ({
  ...{ id: String(id), removed: true, title: null, starts_at: null, ends_at: null, all_day: false, busy: false },
  ...{ place: null, notes: null, url: null, key: null, etag: null, updated_at: null },
})
/** A moment as we write it; null where the vendor's answer holds none. */
export function moment(value: unknown): string | null {
  const at = new Date(String(value ?? ''))
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
export const words = (value: unknown, most: number): string | null =>
  value === undefined || value === null || value === '' ? null : String(value).slice(0, most)
