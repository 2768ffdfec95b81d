import { z } from 'zod'
import { id, reading } from '../contract.ts'
import { MailReply, mailColumns, mailExample, mailPage } from '../integrations/mail.ts'

// Emails on the timeline of a contact: read in the connected mailboxes when the contact is looked at, and kept nowhere.

export const findContactMail = reading('find-contact-mail', {
  summary: 'Finds the latest emails exchanged with a contact, in the connected mailboxes whose owner allowed it',
  description:
    'Read in Gmail and Outlook at that moment, for the addresses of the contact alone, and not kept. A mailbox is asked only while `update-mailbox` has `on_timelines` set; `mailboxes` says how each answered. For a contact without an email address nothing is asked.',
  body: z.object({ contact_id: id('lead'), ...mailPage }),
  reply: MailReply,
  example: { request: { contact_id: '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b31' }, reply: mailExample },
  errors: ['not_found', 'invalid'],
  action: {
    title: 'Find emails with a contact',
    when: 'The person asks what a contact wrote last, or what was written to a contact from their mailbox',
    effect: 'reads',
    evidence: { rows: 'messages', columns: mailColumns },
  },
})
