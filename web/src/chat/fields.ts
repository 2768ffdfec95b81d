import { moment, money } from '../ui/format.ts'

// A step's effect or answer in words. The database keeps no order of keys, so the order is made here.

export type Field = { name: string; lines: string[] }

const order = ['depends', 'note', 'about', 'changes', 'adds', 'deletes', 'emails', 'recipients', 'left_out', 'title', 'subject']
const last = ['left', 'emails_left']
const names: Record<string, string> = { depends: 'order', left: 'allowance' }
/** The model is named elsewhere, and sources have links of their own. */
const quiet = new Set(['answered_by', 'sandbox', 'model', 'sources'])

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const REFERENCE = /^\{\{[1-8]\./
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** Ids and results of other steps mean nothing to a person. */
export const isForMachines = (value: string) => UUID.test(value) || REFERENCE.test(value)

export function fieldsOf(of: object): Field[] {
  const place = (name: string) => {
    if (last.includes(name)) return order.length + 1
    const at = order.indexOf(name)
    return at < 0 ? order.length : at
  }
  return Object.entries(of)
    .filter(([name]) => !quiet.has(name))
    .sort(([a], [b]) => place(a) - place(b))
    .map(([name, value]) => ({ name: names[name] ?? worded(name), lines: linesOf(value, name, of) }))
    .filter(({ lines }) => lines.length)
}

const worded = (name: string) => name.replace(/_cents$/, '').replaceAll('_', ' ')

function linesOf(value: unknown, name: string, beside: object): string[] {
  const { currency } = beside as { currency?: unknown }
  if (value === null || value === undefined || value === '') return []
  if (name === 'currency' && Object.keys(beside).some((key) => key.endsWith('_cents'))) return []
  if (name === 'html' && 'text' in beside) return []
  if (Array.isArray(value)) return value.flatMap((each) => linesOf(each, name, beside))
  if (typeof value === 'boolean') return [value ? 'Yes' : 'No']
  if (typeof value === 'number')
    return [name.endsWith('_cents') && typeof currency === 'string' ? money(value, currency) : value.toLocaleString('en-US')]
  if (typeof value === 'string') return isForMachines(value) ? [] : [TIME.test(value) && Date.parse(value) ? moment(value) : value]
  const { name: label, value: content } = value as Record<string, unknown>
  if (typeof label === 'string' && content !== undefined) return linesOf(content, label, {}).map((line) => `${worded(label)}: ${line}`)
  return Object.entries(value).flatMap(([key, each]) => {
    const lines = linesOf(each, key, value)
    return lines.length ? [`${worded(key)}: ${lines.join(', ')}`] : []
  })
}
