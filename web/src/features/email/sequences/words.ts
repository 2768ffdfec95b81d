import type { ListedSequence, PeopleState, Trigger } from '../queries.ts'
import { counted } from '../words.ts'

export const stateNames: Record<ListedSequence['state'], string> = { draft: 'Draft', running: 'Running', paused: 'Paused' }
export const stateTones = { draft: 'neutral', running: 'signal', paused: 'warn' } as const
export const peopleNames: Record<PeopleState, string> = { waiting: 'Waiting', sending: 'Sending', done: 'Finished', left: 'Left' }
export const peopleTones = { waiting: 'info', sending: 'signal', done: 'good', left: 'neutral' } as const

export const units = { minutes: 1, hours: 60, days: 1440 } as const
export type Unit = keyof typeof units
/** The largest unit that the wait is whole in. */
export const unitOf = (minutes: number): Unit =>
  minutes > 0 && minutes % 1440 === 0 ? 'days' : minutes > 0 && minutes % 60 === 0 ? 'hours' : minutes === 0 ? 'days' : 'minutes'
export function waitOf(minutes: number): string {
  const unit = unitOf(minutes)
  return minutes ? counted(minutes / units[unit], unit.slice(0, -1)) : 'no wait'
}

export const enteredBy = (trigger: Trigger, forms: { id: string; title: string }[] | undefined): string =>
  trigger.kind === 'tag'
    ? `People enter when they get the tag ${trigger.tag}`
    : trigger.kind === 'form'
      ? `People enter when they send the form ${forms?.find(({ id }) => id === trigger.form_id)?.title ?? ''}`.trim()
      : 'You add people by hand'
