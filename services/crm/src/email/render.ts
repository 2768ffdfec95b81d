import type { EmailDocument } from '@operon/contracts/crm/email/document'
import { fillFields, valuesOf } from '@operon/contracts/crm/email/merge'
import { type EmailLinks, type RenderedEmail, renderEmail as render } from '@operon/contracts/crm/email/render'

export type Person = { name: string; email: string; fields: Record<string, string> }

/** An email for one person, by the same code that draws the editor's preview. Keep the document while it is sent: its layout is made once. */
export const renderEmail = (document: EmailDocument, person: Person, links: EmailLinks): RenderedEmail =>
  render(document, valuesOf(person), links)

/** A subject for one person: one line, with nothing that could start a header. */
export const renderSubject = (subject: string, person: Person): string =>
  fillFields(subject, valuesOf(person))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 300)
