import type { Campaign } from '../queries.ts'

const fields = ['name', 'subject', 'document', 'sender_id', 'segment_id', 'segment', 'topic_id', 'ab', 'reader_hour'] as const
export type Draft = Pick<Campaign, (typeof fields)[number]>
export type History = { past: Draft[]; now: Draft; future: Draft[]; last: { field: string; at: number } | null }

const MOST_STEPS = 200
const ONE_STEP_MS = 1_000

export const draftOf = (campaign: Campaign): Draft => Object.fromEntries(fields.map((field) => [field, campaign[field]])) as Draft
export const start = (now: Draft): History => ({ past: [], now, future: [], last: null })

export function change(of: History, values: Partial<Draft>, field: string, at: number): History {
  const now = { ...of.now, ...values }
  if (same(now, of.now)) return of
  const isOneStep = of.last?.field === field && at - of.last.at < ONE_STEP_MS
  return { past: isOneStep ? of.past : [...of.past, of.now].slice(-MOST_STEPS), now, future: [], last: { field, at } }
}
export function undo(of: History): History {
  const before = of.past.at(-1)
  return before ? { past: of.past.slice(0, -1), now: before, future: [of.now, ...of.future], last: null } : of
}
export function redo(of: History): History {
  const [next, ...future] = of.future
  return next ? { past: [...of.past, of.now], now: next, future, last: null } : of
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Changes that the server does not have yet, and can take: a name that was emptied and half a second subject wait. */
export function unsaved(kept: Draft, now: Draft): Partial<Draft> | null {
  const changed = fields.filter((field) => !same(kept[field], now[field]))
  const ready = changed.filter((field) => (field === 'name' ? now.name.trim() : field === 'ab' ? !now.ab || now.ab.subject.trim() : true))
  return ready.length ? (Object.fromEntries(ready.map((field) => [field, now[field]])) as Partial<Draft>) : null
}
