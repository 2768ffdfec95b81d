import type { CallReply } from '@operon/contracts/calls'

type Mention = NonNullable<CallReply<'show-contact'>['activities'][number]['mentions']>[number]
export type Picked = Pick<Mention, 'kind' | 'id' | 'name'>

const MOST = 20

/** Those that are still in the text, each once for every time it stands there. */
export function mentionsOf(text: string, picked: Picked[]): Pick<Mention, 'kind' | 'id'>[] {
  const left = new Map<string, number>()
  return picked
    .filter(({ name }) => {
      const rest = left.get(name) ?? text.split(`@${name}`).length - 1
      left.set(name, rest - 1)
      return rest > 0
    })
    .slice(0, MOST)
    .map(({ kind, id }) => ({ kind, id }))
}

/** The search at the end of the text before the caret: the letters after an @ that begins a word. */
export function askedIn(before: string): { query: string; starts: number } | null {
  const found = /(?:^|[\s(])@([^\s@][^@\n]{0,39})?$/.exec(before)
  return found && { query: (found[1] ?? '').trim(), starts: before.lastIndexOf('@') }
}

type Part = { text: string; at: number; mention?: Mention }
/** The text in pieces, each mention by the name of now. */
export function partsOf(text: string, mentions: Mention[] = []): Part[] {
  const parts: Part[] = []
  let from = 0
  for (const mention of mentions) {
    if (mention.starts > from) parts.push({ text: text.slice(from, mention.starts), at: from })
    const isMarked = text[mention.starts] === '@'
    parts.push({ text: `${isMarked ? '@' : ''}${mention.name}`, at: mention.starts, mention })
    from = mention.starts + mention.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), at: from })
  return parts
}
