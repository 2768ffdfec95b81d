import type { Temperature } from '@operon/contracts/crm/heat'
import { ago } from '../../ui/format.ts'

export const temperatureNames: Record<Temperature, string> = { hot: 'Hot', warm: 'Warm', cold: 'Cold' }
export const temperatureTone = { hot: 'bad', warm: 'warn', cold: 'info' } as const
export const statuses = ['new', 'contacted', 'qualified', 'won', 'lost'] as const
export const sorts = ['newest', 'name', 'activity', 'heat'] as const
export const sortNames = { newest: 'Newest first', name: 'Name', activity: 'Last activity', heat: 'Hottest first' }

const kinds: Record<string, [string, string]> = {
  sale: ['purchase', 'purchases'],
  booking: ['booking', 'bookings'],
  reply: ['reply', 'replies'],
  message: ['message', 'messages'],
  form: ['form sent', 'forms sent'],
  click: ['click', 'clicks'],
  call: ['call', 'calls'],
  open: ['email opened', 'emails opened'],
}
export const countOf = (kind: string, count: number) => `${count} ${(kinds[kind] ?? [kind, `${kind}s`])[count === 1 ? 0 : 1]}`
/** "3 d ago", from what the lists say in short. */
export const longAgo = (at: string) => (ago(at) === 'now' ? 'just now' : `${ago(at)} ago`)
export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
