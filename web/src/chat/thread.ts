import type { ChatMessage } from './message.ts'

// Messages are a tree: those that follow the same message are its versions. The page shows one path through it, up to its last message, the tip.

/** The messages up to this one, from the first on. */
export function threadTo(all: readonly ChatMessage[], tip: string | null): ChatMessage[] {
  const byKey = new Map(all.map((message) => [message.key, message]))
  const thread: ChatMessage[] = []
  for (let each = byKey.get(tip ?? ''); each; each = byKey.get(each.after ?? '')) {
    thread.push(each)
    byKey.delete(each.key)
  }
  return thread.reverse()
}

/** A message and those that stand beside it, in the order they came. */
export const versionsOf = (all: readonly ChatMessage[], { after, role }: ChatMessage) =>
  all.filter((each) => each.after === after && each.role === role)

/** The newest message that follows this one, however far on. */
export function tipUnder(all: readonly ChatMessage[], key: string): string {
  const next = all.findLast(({ after }) => after === key)
  return next ? tipUnder(all, next.key) : key
}
