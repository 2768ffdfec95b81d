import type { AppRequest } from '../apps/app.ts'

// The differences between the mailboxes of two vendors.

export type Party = { name: string | null; address: string }
export type Mail = {
  id: string
  thread_id: string
  from: Party | null
  to: Party[]
  subject: string
  snippet: string
  at: string
  url: string | null
  /** Not sent yet. */
  isDraft: boolean
}
export type Ask = (request: AppRequest) => Promise<any>
export type MailWire = {
  /** The right to read, as the vendor names it. */
  scope: string
  /** Asks for the emails with any of the addresses, newest first. Vendors search by words, so their answers hold more than those. */
  list: (addresses: string[], limit: number) => AppRequest
  mails: (answer: any, ask: Ask, account: string) => Promise<Mail[]>
}

/** In quotes as both take them. A quote or a backslash of the address ends no quoting: it parts words there, as it does in what is searched. */
export const phrase = (address: string) => address.replace(/["\\]/g, ' ')

export const secure = (url: unknown) => (typeof url === 'string' && url.startsWith('https://') ? url : null)

const MOST_CHARACTERS = 10_000
/** The people of a header as `"Ortega, Ines" <ines@example.com>, tom@example.com`. */
export function parties(header: string | undefined): Party[] {
  const parts =
    (header ?? '')
      .slice(0, MOST_CHARACTERS)
      .replace(/\s+/g, ' ')
      .match(/(?:"(?:\\.|[^"\\])*"|<[^>]*>|[^,"<])+/g) ?? []
  return parts.flatMap((part) => {
    const [, name = '', address] = /^(.*?)<([^<>]*)>[^<>]*$/.exec(part) ?? [part, '', part.replace(/\([^()]*\)/g, '')]
    const at = address!.trim().toLowerCase()
    if (!at.includes('@')) return []
    const said = name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replace(/\\(.)/g, '$1')
      .trim()
    return [{ name: said || null, address: at }]
  })
}
