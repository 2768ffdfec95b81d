import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import type { Faults } from '../core/faults.ts'
import type { Inbox } from './inbox.ts'

// Those of the extensions that the greeting offers: SIZE, 8BITMIME, SMTPUTF8 and AUTH.
const OFFERED = ['SIZE', 'BODY', 'SMTPUTF8', 'AUTH']

/** Takes mail from anyone, with any password, and keeps it in the inbox. */
export function smtpServer(inbox: Inbox, faults: Faults): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    size: 25 * 1024 * 1024,
    closeTimeout: 500,
    onMailFrom({ args }, _session, done) {
      const unknown = Object.keys(args || {}).find((name) => !OFFERED.includes(name))
      done(unknown ? Object.assign(new Error(`${unknown} is no parameter of MAIL FROM here`), { responseCode: 555 }) : null)
    },
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', async () => {
        const to = session.envelope.rcptTo.map((each) => each.address)
        const fault = faults.take('smtp', to.join(','), () => to)
        if (fault?.kind === 'hung') return
        if (fault?.kind === 'status') return done(Object.assign(new Error('ordered by the sandbox'), { responseCode: fault.status ?? 451 }))
        if (fault?.kind === 'reset_before') return done(Object.assign(new Error('service closing'), { responseCode: 421 }))
        try {
          const mail = await PostalMime.parse(Buffer.concat(parts))
          const { address: from = '' } = session.envelope.mailFrom || {}
          const kept = inbox.keep({
            kind: 'mail',
            from: mail.from?.address ?? from,
            from_name: mail.from?.name ?? '',
            to,
            subject: mail.subject ?? '(no subject)',
            text: mail.text ?? '',
            html: mail.html ?? null,
            message_id: mail.messageId ?? null,
            headers: Object.fromEntries(mail.headers.map((header) => [header.key, header.value])),
            attachments: mail.attachments.map((each) => ({ filename: each.filename ?? 'unnamed', type: each.mimeType })),
          })
          done(
            fault?.kind === 'reset_after' ? Object.assign(new Error('lost after taking it'), { responseCode: 421 }) : null,
            `kept as ${kept.id}`,
          )
        } catch (error) {
          done(error as Error)
        }
      })
    },
  })
  server.on('error', () => undefined)
  return server
}
