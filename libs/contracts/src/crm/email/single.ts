import { z } from 'zod'
import { fn, oneLine, reading, text } from '../../contract.ts'
import { EmailDocument } from './document.ts'
import { address, exampleId, sender_id, template_id } from './shapes.ts'

// Single emails that programs send.

const oneEmail = z.object({
  to: address,
  name: oneLine(120).default(''),
  /** That of the template where it is left out. */
  subject: oneLine(200).min(1).optional(),
  text: text(8000).optional(),
  document: EmailDocument.optional(),
  template_id: template_id.optional(),
  fields: z.record(z.string().max(60), z.string().max(2000)).default({}),
  sender_id: sender_id.optional(),
})
export const previewEmail = reading('preview-email', {
  summary: 'Shows an email to one address as it would be sent',
  description: 'Sends nothing. Refuses what `send-email` would refuse.',
  body: oneEmail,
  reply: z.object({ from: z.string(), to: z.string(), subject: z.string(), text: z.string() }),
  example: {
    request: { to: 'ines@harbour-cafe.example', subject: 'Your receipt', text: 'Thank you for your order.' },
    reply: {
      from: 'Harbour Café <news@harbour-cafe.example>',
      to: 'ines@harbour-cafe.example',
      subject: 'Your receipt',
      text: 'Thank you for your order.',
    },
  },
  errors: ['mailersend_first', 'not_found', 'address_suppressed', 'campaign_incomplete'],
  action: {
    title: 'Preview an email',
    when: 'The person asks how an email to one address would look',
    effect: 'reads',
  },
})
export const sendEmail = fn('send-email', {
  access: 'user',
  idempotent: 'two-phase',
  summary: 'Sends one email, as from an app of your own',
  description:
    'For receipts, codes and the like. `template_id` takes the design and the subject of a template of the email studio, `fields` fills in its merge fields. It goes to addresses that unsubscribed from campaigns. Addresses that bounced, complained or unsubscribed by the link in such an email are refused. Counts against the plan; under the same `Idempotency-Key` it is sent once.',
  body: oneEmail,
  reply: z.object({ email_id: z.uuid(), state: z.enum(['sent', 'unknown']) }),
  example: {
    request: { to: 'ines@harbour-cafe.example', subject: 'Your receipt', text: 'Thank you for your order.' },
    reply: { email_id: exampleId, state: 'sent' },
  },
  errors: ['mailersend_first', 'not_found', 'address_suppressed', 'limit_emails', 'email_pace', 'campaign_incomplete', 'campaign_provider'],
  action: {
    title: 'Send an email',
    when: 'The person asks to email one address',
    effect: 'sends',
    unit: 'emails',
    preview: previewEmail,
    does: ({ to, subject }) => `Emails ${to}${subject ? `: ${subject}` : ''}`,
  },
})
