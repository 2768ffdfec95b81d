import type { Selectable } from 'kysely'
import type { CrmDb } from '../schema.ts'
import type { CampaignRow } from './campaigns.ts'
import type { Links } from './links.ts'
import { type Person, renderEmail, renderSubject } from './render.ts'
import type { SenderRow } from './transports.ts'

/** One email as it goes to a provider. `id` is its tag there, by which it is found again. */
export type Outgoing = {
  id: string
  from: { name: string; email: string }
  replyTo: string | null
  to: { name: string; email: string }
  subject: string
  html: string
  text: string
  /** Where one click ends the campaigns (RFC 8058). */
  unsubscribe: string | null
}
export type RecipientRow = Selectable<CrmDb['email_recipients']>
export type Fields = { first_name?: string; company: string | null; job_title: string | null; phone: string | null }

/** A header is one line, whatever a contact's name says. */
export const lineOf = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 250)

export const personOf = (name: string, email: string, { company, job_title, phone }: Fields): Person => ({
  ...{ name, email },
  fields: { ...(company && { company }), ...(job_title && { job_title }), ...(phone && { phone }) },
})

/** The email that the recipient of a campaign gets. */
export function letterOf(
  campaign: CampaignRow,
  sender: SenderRow,
  to: Pick<RecipientRow, 'id' | 'email' | 'variant'>,
  person: Person,
  links: Links,
): Outgoing {
  const { ab, document } = campaign
  const subject = to.variant === 'b' && ab ? ab.subject : campaign.subject
  return {
    id: to.id,
    from: { name: lineOf(sender.name), email: sender.email },
    replyTo: sender.reply_to,
    to: { name: lineOf(person.name), email: to.email },
    subject: renderSubject(subject, person),
    ...renderEmail(document, person, links),
    unsubscribe: links.unsubscribe,
  }
}
