import type { Capability } from '@operon/contracts/registry'
import { clausesTold } from '../typed/requests.ts'

// Whether a change that can be undone may run at once. A model can be talked into anything, so only the person's words of this turn decide:
// they ask for that capability and for nothing else, and they hold every value that the model fills in. See docs/decisions/0022.

export function asksOutright(said: string, capability: Capability, input: Record<string, unknown>): boolean {
  // Quoted words may be somebody else's: they can name a thing, and never order one.
  const clauses = clausesTold(said.replace(/"[^"]*"|“[^”]*”|`[^`]*`|«[^»]*»/g, ' quoted '))
  return clauses !== null && clauses.length > 0 && clauses.every((clause) => names(clause, capability)) && isSaid(input, said)
}

/** The clause begins with a verb that the capability is asked for by, and says what it is about. */
function names(clause: string, { title, when }: Capability): boolean {
  const [verb, ...rest] = stemsOf(clause)
  const about = new Set(stemsOf(`${title} ${when}`).filter((word) => word.length > 3))
  return verb !== undefined && verbsOf(title, when).has(verb) && rest.some((word) => about.has(word))
}

/** A title begins with its verb; `when` says what "the person asks to …, … or …". */
const verbsOf = (title: string, when: string) =>
  new Set(
    stemsOf([title.split(' ')[0], ...[...when.matchAll(/(?:\bto|\bor|,) (?!to\b|or\b)(\p{L}+)/gu)].map(([, word]) => word)].join(' ')),
  )
const stemsOf = (text: string) => (text.toLowerCase().match(/\p{L}+/gu) ?? []).map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''))

/** Word for word; a switch has no words of its own. */
function isSaid(value: unknown, said: string): boolean {
  if (value === null || typeof value === 'boolean') return true
  if (Array.isArray(value)) return value.every((each) => isSaid(each, said))
  if (typeof value === 'object') return Object.values(value).every((each) => isSaid(each, said))
  const text = String(value).trim().toLowerCase()
  return text !== '' && holds(said.toLowerCase(), text)
}
/** As whole words: “1” is not said by “10”. */
function holds(said: string, text: string): boolean {
  for (let at = said.indexOf(text); at >= 0; at = said.indexOf(text, at + 1))
    if (!/[\p{L}\p{N}]/u.test(said[at - 1] ?? ' ') && !/[\p{L}\p{N}]/u.test(said[at + text.length] ?? ' ')) return true
  return false
}
