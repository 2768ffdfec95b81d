import { z } from 'zod'
import { changing, col, id, personal, reading, text, time } from '../contract.ts'

// Emails of connected mailboxes, read there when somebody looks. None of them is kept here.

export const mailApps = ['gmail', 'outlook'] as const
/** The most addresses that are looked for at once. */
export const MOST_ADDRESSES = 10
const connection_id = id('connection')
export const MailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/)
  .meta({ examples: ['ines@harbour-cafe.example'] })

const Party = z.object({ name: personal(z.string()).nullable(), address: personal(z.string()) })
export const MailMessage = z.object({
  /** Of the message and its conversation over there. */
  id: z.string(),
  thread_id: z.string(),
  connection_id,
  from: Party.nullable(),
  /** Its first recipients, copies included. */
  to: z.array(Party).max(20),
  subject: personal(z.string()),
  /** Its first words, as the mailbox shows them in its list. */
  snippet: personal(z.string()),
  at: time,
  /** Opens it in the mailbox. */
  url: personal(z.string()).nullable(),
})
export const Mailbox = z.object({
  connection_id,
  app: z.enum(mailApps),
  account: personal(z.string()),
  /**
   * `read`: its emails are among the messages. `off`: its owner has not allowed it, and it was not asked. `no_access`: it was connected
   * without the right to read. `broken`: it has to be connected again. `failed`: it did not answer this time.
   */
  state: z.enum(['read', 'off', 'no_access', 'broken', 'failed']),
  /** In words, where it failed. */
  failure: z.string().nullable(),
})
export const MOST_MESSAGES = 25
export const mailPage = {
  limit: z.int().min(1).max(MOST_MESSAGES).default(10),
  cursor: text(20_000).optional(),
}
export const MailReply = z.object({
  /** Newest first, of all mailboxes together. */
  messages: z.array(MailMessage).max(MOST_MESSAGES),
  mailboxes: z.array(Mailbox),
  cursor: z.string().nullable(),
})
const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b20'
export const mailExample: z.output<typeof MailReply> = {
  messages: [
    {
      ...{ id: '193b2f0c9a1e77d4', thread_id: '193b2f0c9a1e77d4', connection_id: exampleId },
      from: { name: 'Ines Ortega', address: 'ines@harbour-cafe.example' },
      to: [{ name: null, address: 'maya@example.com' }],
      ...{ subject: 'The quote', snippet: 'Thank you for the quote. Could we start in January?', at: '2026-11-24T10:00:00.000Z' },
      url: 'https://mail.google.com/mail/u/?authuser=maya%40example.com#all/193b2f0c9a1e77d4',
    },
  ],
  mailboxes: [{ connection_id: exampleId, app: 'gmail', account: 'maya@example.com', state: 'read', failure: null }],
  cursor: null,
}
export const mailColumns = {
  at: col.time('When'),
  subject: col.text('Subject'),
  'from.address': col.text('From'),
  snippet: col.text('Begins'),
}

export const findMailWith = reading('find-mail-with', {
  summary: 'Finds the latest emails exchanged with an address, in the connected mailboxes whose owner allowed it',
  description:
    'Gmail and Outlook are read at that moment, and nothing of what they answer is kept. A mailbox is asked only after `update-mailbox` has set `on_timelines`. The address has to be the sender or a recipient, letter by letter. `mailboxes` says how each answered: one that fails does not hold up the others.',
  body: z.object({ addresses: z.array(MailAddress).min(1).max(MOST_ADDRESSES), ...mailPage }),
  reply: MailReply,
  example: { request: { addresses: ['ines@harbour-cafe.example'] }, reply: mailExample },
  errors: ['invalid'],
  action: {
    title: 'Find emails with an address',
    when: 'The person asks what they wrote with an email address that is no contact of theirs',
    effect: 'reads',
    evidence: { rows: 'messages', columns: mailColumns },
  },
})

export const updateMailbox = changing('update-mailbox', {
  summary: 'Says whether the emails of a connected mailbox are shown with contacts on their timelines',
  description:
    'Off until its owner sets it, and off again after disconnecting. While it is on, opening a contact asks the mailbox for the latest emails with that contact: sender, recipients, subject, date and first words. They are shown and not kept.',
  body: z.object({ connection_id, on_timelines: z.boolean() }),
  reply: z.object({ connection_id, on_timelines: z.boolean() }),
  example: { request: { connection_id: exampleId, on_timelines: true }, reply: { connection_id: exampleId, on_timelines: true } },
  errors: ['not_found'],
  action: {
    title: 'Show email on timelines',
    when: 'The person asks that emails of their mailbox are shown with their contacts, or are not shown any more',
    effect: 'changes',
    does: ({ on_timelines }) =>
      on_timelines
        ? 'Shows emails of the connected mailbox on the timelines of your contacts'
        : 'Stops showing emails of the connected mailbox on timelines',
  },
})
