import { sandboxAddress } from '@operon/contracts/sandbox/events'
import type { createTransport, Transporter } from 'nodemailer'
import { z } from 'zod'
import type { Runtime } from '../service.ts'
import { type Letter, renderLetter } from './frame.ts'

/** The settings of a service that sends email. */
export const mailSettings = {
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/?]/i, { error: 'must begin with smtp:// or smtps:// and name a host' })
    .optional(),
  MAIL_FROM: z.string().optional(),
}
type MailSettings = { SMTP_URL?: string | undefined; MAIL_FROM?: string | undefined }

export type Email = {
  /** The job's id: a retry after a lost answer carries the same Message-ID, so it is seen as the same email. */
  id: string
  to: string
  letter: Letter
  /** The name before the @ where MAIL_FROM is not set. */
  sender?: string
  /** Where an answer goes; to nobody without it. */
  replyTo?: string
  /** For the calendar of whoever reads it (RFC 6047). */
  invitation?: { method: 'REQUEST' | 'CANCEL'; content: string }
}
export type Mailer = {
  send(email: Email): Promise<void>
  /** The address that emails come from, as an invitation names it. */
  sender(): string
  close(): void
}

/** Sends through SMTP_URL, else into the sandbox's inbox. */
export function openMailer({
  ask,
  config,
  kit,
  providers,
}: Pick<Runtime<any, MailSettings>, 'ask' | 'config' | 'kit' | 'providers'>): Mailer {
  const { PRODUCT_NAME: product, PUBLIC_URL: home } = kit
  const { hostname } = new URL(home)
  const domain = hostname.includes('.') ? hostname : 'operon.example'
  let opened: Promise<Transporter> | null = null

  async function open(): Promise<Transporter> {
    return createSmtpTransport(config.SMTP_URL ?? (await ask(sandboxAddress, { provider: 'smtp' })).url)
  }

  /** The next email connects anew: the server may be another one by then. */
  function close() {
    const closing = opened
    opened = null
    closing?.then(
      (transport) => transport.close(),
      () => {},
    )
  }

  return {
    close,
    sender: () => /[^<>\s]+@[^<>\s]+/.exec(config.MAIL_FROM ?? '')?.[0] ?? `no-reply@${domain}`,
    async send({ id, to, letter, sender = 'no-reply', replyTo, invitation }) {
      const { stop } = letter
      opened ??= open()
      try {
        const transport = await opened
        const email = {
          from: config.MAIL_FROM ?? { name: product, address: `${sender}@${domain}` },
          to: { name: '', address: to },
          ...(replyTo && { replyTo }),
          ...(invitation && { icalEvent: { ...invitation, filename: 'invite.ics' } }),
          messageId: `<${id}@${hostname}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(stop && { 'List-Unsubscribe': `<${stop}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
          },
          ...renderLetter(letter, { product, home }),
        }
        await providers.call('smtp', () => transport.sendMail(email))
      } catch (error) {
        close()
        throw error
      }
    },
  }
}

/**
 * nodemailer reads the address by its own rules: smtps:// is TLS from the first byte on port 465, smtp:// is port 587 and uses STARTTLS where
 * the server offers it, and options may follow as a query (`?requireTLS=true`).
 */
export async function createSmtpTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections: 2,
    // A connection that breaks after the text may have handed it over: whoever asked decides whether it goes again.
    maxRequeues: 0,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  } as Parameters<typeof createTransport>[0])
}
