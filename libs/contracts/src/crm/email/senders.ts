import { z } from 'zod'
import { col, fn, id, oneLine, reading, text, time } from '../../contract.ts'
import { address, exampleId, sender_id } from './shapes.ts'

// Senders of campaigns, and the providers that carry them.

export const mailProviders = ['mailersend', 'smtp', 'sandbox'] as const
const Provider = z.enum(mailProviders)

const Sender = z.object({
  sender_id,
  provider: Provider,
  name: z.string(),
  email: z.string(),
  reply_to: z.string().nullable(),
  domain: z.string(),
  /** The state of the domain at the last look: `ok`, `missing`, `wrong`, or `unchecked`. */
  checks: z.object({ spf: z.string(), dkim: z.string(), dmarc: z.string() }),
  checked_at: time.nullable(),
  is_default: z.boolean(),
  /** Where MailerSend sends its webhooks, and whether their secret is set: bounces and complaints come by them. */
  webhook_url: z.string().nullable(),
  webhook_set: z.boolean(),
})
const example: z.output<typeof Sender> = {
  sender_id: exampleId,
  provider: 'mailersend',
  name: 'Harbour Café',
  email: 'news@harbour-cafe.example',
  reply_to: null,
  domain: 'harbour-cafe.example',
  checks: { spf: 'ok', dkim: 'ok', dmarc: 'missing' },
  checked_at: '2026-11-24T10:00:00.000Z',
  is_default: true,
  webhook_url: 'https://operon.example/webhooks/mailersend/01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b51',
  webhook_set: false,
}

export const emailStatus = reading('email-status', {
  summary: 'Says whether campaigns can be sent: the provider, the senders and what the plan has left',
  description: '`ready` is false until a provider is connected. `sandbox` says whether emails can go to the inbox of the sandbox.',
  body: z.object({}).prefault({}),
  reply: z.object({
    ready: z.boolean(),
    mailersend: z.object({ connected: z.boolean(), account: z.string().nullable(), failure: z.string().nullable() }),
    sandbox: z.boolean(),
    senders: z.array(Sender).max(20),
    emails: z.object({ used: z.int(), reserved: z.int(), limit: z.int().nullable() }),
    suppressed: z.int(),
  }),
  example: {
    request: {},
    reply: {
      ready: true,
      mailersend: { connected: true, account: 'harbour-cafe.example', failure: null },
      sandbox: false,
      senders: [example],
      emails: { used: 120, reserved: 0, limit: 3000 },
      suppressed: 4,
    },
  },
  errors: [],
  action: {
    title: 'Show the email provider',
    when: 'The person asks whether they can send campaigns, or from which address',
    effect: 'reads',
    evidence: { rows: 'senders', columns: { email: col.text('Sender'), provider: col.text('Provider') } },
  },
})

const Smtp = z.object({
  host: oneLine(253).min(1),
  port: z.int().min(1).max(65_535).default(587),
  /** TLS from the first byte, as on port 465; else it is asked for after the greeting. */
  secure: z.boolean().default(false),
  user: oneLine(200).default(''),
  password: text(400).default(''),
})
/** Not a capability: its password must never pass a model. */
export const saveSender = fn('save-sender', {
  access: 'user',
  demo: 'never',
  summary: 'Adds a sender, or changes the one that is named',
  description:
    'With MailerSend the address has to be on a domain that is verified there. SMTP takes its server; the password is sealed and not shown again. `sandbox` exists only where the sandbox runs.',
  body: z.object({
    sender_id: sender_id.optional(),
    provider: Provider,
    name: oneLine(80).min(1),
    email: address,
    reply_to: address.nullable().optional(),
    connection_id: id('connection').optional(),
    smtp: Smtp.optional(),
    webhook_secret: text(200).optional(),
    make_default: z.boolean().default(false),
  }),
  reply: Sender,
  errors: ['not_found', 'mailersend_first', 'senders_full', 'sender_address', 'sender_smtp', 'sender_sandbox'],
})
export const deleteSender = fn('delete-sender', {
  access: 'user',
  summary: 'Deletes a sender with what was kept for it',
  body: z.object({ sender_id }),
  reply: z.object({ deleted: z.boolean() }),
  errors: ['not_found', 'sender_in_use'],
})

const Dns = z.object({
  purpose: z.enum(['spf', 'dkim', 'dmarc']),
  type: z.string(),
  name: z.string(),
  value: z.string(),
  state: z.enum(['ok', 'missing', 'wrong', 'unchecked']),
  found: z.array(z.string()).max(10),
})
export const checkSender = fn('check-sender', {
  access: 'user',
  rate: 'write',
  summary: 'Lists the DNS records of the domain of a sender, and looks whether they are there',
  body: z.object({ sender_id }),
  reply: z.object({ sender: Sender, records: z.array(Dns) }),
  errors: ['not_found'],
})
