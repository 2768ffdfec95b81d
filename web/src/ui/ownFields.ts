import type { CallReply } from '@operon/contracts/calls'
import { useCall } from '../api/call.ts'
import { day } from './format.ts'

export type OwnField = CallReply<'list-contact-fields'>['fields'][number]
export type Value = string | number | boolean
export const kindNames: Record<OwnField['kind'], string> = {
  text: 'Text',
  number: 'Number',
  date: 'Date',
  choice: 'Choice',
  yes_no: 'Yes or no',
}

export const useFields = () => useCall('list-contact-fields', {}, { key: ['crm', 'fields'] }).data?.fields ?? none
const none: OwnField[] = []

/** The typed text as the field keeps it; null empties it. */
export function typedAs({ kind }: OwnField, typed: string): Value | null {
  if (!typed) return null
  if (kind === 'number') return Number.isNaN(Number(typed)) ? typed : Number(typed)
  return kind === 'yes_no' ? typed === 'yes' : typed
}
export const typedOf = (value: Value | undefined) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value ?? ''))

export function shownValue({ kind }: OwnField, value: Value | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 6 })
  // Noon, so that the day is the same in every zone that anybody works in.
  return kind === 'date' ? day(`${value}T12:00:00`) : value
}
