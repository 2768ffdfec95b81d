// Merge fields: `{{ first_name | default: "there" }}`. Liquid's words for the one thing that an email needs, without its loops.

const FIELD =
  /\{\{\s{0,4}([a-z][a-z0-9_]{0,39})\s{0,4}(?:\|\s{0,4}default:\s{0,4}(?:"([^"{}]{0,100})"|'([^'{}]{0,100})'|[“”]([^“”{}]{0,100})[“”])\s{0,4})?\}\}/g

export type MergeField = { name: string; fallback: string | null }
export type MergeValues = Record<string, string>

export const mergeFields = [
  { name: 'first_name', label: 'First name' },
  { name: 'last_name', label: 'Last name' },
  { name: 'name', label: 'Full name' },
  { name: 'email', label: 'Email address' },
  { name: 'company', label: 'Company' },
] as const

/** The text with each field replaced by what `put` returns for it. */
export const replaceFields = (text: string, put: (field: MergeField) => string): string =>
  text.replace(FIELD, (_, name: string, a?: string, b?: string, c?: string) => put({ name, fallback: a ?? b ?? c ?? null }))

/** In plain text, as a subject. */
export const fillFields = (text: string, values: MergeValues): string => replaceFields(text, (field) => filledIn(field, values))

export const filledIn = ({ name, fallback }: MergeField, values: MergeValues): string =>
  (Object.hasOwn(values, name) && values[name]?.replace(/[\p{Cc}\uE000\uE001]+/gu, ' ').trim()) || fallback || ''

/** The fields of a text, and whether something in it looks like a field and is none. */
export function fieldsIn(text: string): { fields: MergeField[]; broken: boolean } {
  const fields: MergeField[] = []
  const rest = replaceFields(text, (field) => {
    fields.push(field)
    return ''
  })
  return { fields, broken: /\{\{|\}\}/.test(rest) }
}

/** A contact's row as merge fields. The first word of a name is the first name. */
export function valuesOf({ name, email, fields = {} }: { name: string; email: string; fields?: MergeValues }): MergeValues {
  const [first = '', ...others] = name.trim().split(/\s+/)
  return { ...fields, name: name.trim(), first_name: first, last_name: others.join(' '), email }
}
