import { DomainError } from '@operon/kit/errors'
import { listOf } from '../apps/app.ts'
import { header, mailThere } from '../apps/google.ts'
import { fewAtATime } from '../connections/few.ts'
import { type Mail, type MailWire, parties, phrase } from './wire.ts'

const fields = ['from', 'to', 'cc', 'bcc']

export const gmailWire: MailWire = {
  scope: 'https://www.googleapis.com/auth/gmail.readonly',
  list: (addresses, limit) => {
    const either = addresses.flatMap((address) => fields.map((field) => `${field}:"${phrase(address)}"`))
    return { path: '/messages', query: { q: `{${either.join(' ')}} -in:drafts`, maxResults: limit } }
  },
  // The list names ids alone.
  mails: async ({ messages }, ask, account) => {
    const read = await fewAtATime(listOf(messages), ({ id }) => ask(mailThere(id)).catch(goneSince))
    return read.flatMap((message) => (message ? [mailOf(message, account)] : []))
  },
}

/** Deleted between the list and the reading. */
function goneSince(error: unknown): null {
  if (error instanceof DomainError && (error.details as { status?: number } | undefined)?.status === 404) return null
  throw error
}

function mailOf(message: any, account: string): Mail {
  return {
    id: String(message.id),
    thread_id: String(message.threadId ?? message.id),
    from: parties(header(message, 'from'))[0] ?? null,
    to: ['to', 'cc', 'bcc'].flatMap((name) => parties(header(message, name))),
    subject: header(message, 'subject') ?? '',
    snippet: unescaped(String(message.snippet ?? '')),
    at: new Date(Number(message.internalDate) || 0).toISOString(),
    // Several accounts may be signed in to one browser, in any order.
    url: `https://mail.google.com/mail/u/?authuser=${encodeURIComponent(account)}#all/${encodeURIComponent(message.id)}`,
    isDraft: listOf(message.labelIds).includes('DRAFT'),
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
/** Gmail writes its snippets as HTML. */
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => entities[name]!)
