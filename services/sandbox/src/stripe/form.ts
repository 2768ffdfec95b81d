export type Params = Record<string, any>
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** `items[0][price]=x&expand[]=y` as nested objects and arrays; every leaf stays text. */
export function parseForm(text: string): Params {
  const root: Params = {}
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.split(/\]\[|\[|\]/).filter((part, index, all) => part !== '' || index < all.length - 1)
    if (path.some((part) => FORBIDDEN.has(part))) continue
    place(root, path, value)
  }
  return arrays(root) as Params
}

function place(at: Params, [first = '', ...rest]: string[], value: string): void {
  const key = first === '' ? String(Object.keys(at).length) : first
  if (rest.length === 0) at[key] = value
  else {
    if (typeof at[key] !== 'object') at[key] = {}
    place(at[key], rest, value)
  }
}

function arrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, arrays(each)] as const)
  const list = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))
  return list ? entries.map(([, each]) => each) : Object.fromEntries(entries)
}

export const yes = (value: unknown) => value === 'true' || value === true
export const int = (value: unknown, fallback = 0) => (value === undefined || value === '' ? fallback : Math.trunc(Number(value)))
/** Stripe unsets a field that is sent empty. */
export const text = (value: unknown): string | null => (value === undefined || value === null || value === '' ? null : String(value))

export function mergeMetadata(before: Record<string, string>, change: unknown): Record<string, string> {
  if (change === '') return {}
  const merged = { ...before, ...(change as Record<string, string> | undefined) }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ''))
}
