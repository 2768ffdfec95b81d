import type { State } from '../core/state.ts'
import type { Truth } from '../core/truth.ts'

export type Message = {
  id: string
  kind: 'mail' | 'sms'
  at: string
  from: string
  from_name: string
  to: string[]
  subject: string
  text: string
  html: string | null
  message_id: string | null
  headers: Record<string, string>
  attachments: { filename: string; type: string }[]
  links: string[]
}
export type Inbox = ReturnType<typeof createInbox>

const KEPT = 2000

/** Every mail and text message that the product sent, newest first. */
export function createInbox(state: State, truth: Truth) {
  const messages = state.table<Message>('inbox')

  function keep(message: Omit<Message, 'id' | 'at' | 'links'>): Message {
    const kept = messages.put({
      ...message,
      id: state.id('msg', 16),
      at: new Date().toISOString(),
      links: linksIn(message.html, message.text),
    })
    const { id, from, to, subject, message_id } = kept
    truth.log(kept.kind === 'mail' ? 'smtp' : 'sms', kept.kind, { id, from, to, subject, message_id })
    if (messages.size() > KEPT) messages.delete(messages.all()[0]!.id)
    return kept
  }

  function list({ to, kind, limit = 100 }: { to?: string | null; kind?: string | null; limit?: number }): Message[] {
    const wanted = to?.toLowerCase()
    return messages
      .newest()
      .filter((each) => (!wanted || each.to.some((address) => address.toLowerCase() === wanted)) && (!kind || each.kind === kind))
      .slice(0, limit)
  }

  return {
    keep,
    list,
    get: messages.get,
    remove(filter: { id?: string; to?: string | null }): number {
      const gone = filter.id ? messages.all().filter((each) => each.id === filter.id) : list({ to: filter.to ?? null, limit: KEPT })
      for (const each of gone) messages.delete(each.id)
      return gone.length
    },
  }
}

function linksIn(html: string | null, text: string): string[] {
  const fromHtml = [...(html ?? '').matchAll(/href\s*=\s*["']([^"']+)["']/gi)].map((found) => unescapeHtml(found[1]!))
  const fromText = [...text.matchAll(/https?:\/\/[^\s<>"')\]]+/g)].map((found) => found[0])
  return [...new Set([...fromHtml, ...fromText])].filter((link) => /^https?:/i.test(link))
}

const unescapeHtml = (text: string) =>
  text.replaceAll('&#x3D;', '=').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
