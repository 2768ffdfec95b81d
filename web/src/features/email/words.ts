import type { Status } from './queries.ts'

export const statusNames: Record<Status, string> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  sending: 'Sending',
  paused: 'Paused',
  sent: 'Sent',
  cancelled: 'Cancelled',
}
export const statusTones = {
  draft: 'neutral',
  scheduled: 'info',
  sending: 'signal',
  paused: 'warn',
  sent: 'good',
  cancelled: 'neutral',
} as const

export const count = (n: number) => n.toLocaleString('en-US')
/** 12 people, 1 person. */
export const counted = (n: number, one: string, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`
export const share = (part: number, whole: number) => (whole > 0 ? `${Math.round((part / whole) * 100)}%` : '0%')
