import { createHmac, randomBytes } from 'node:crypto'
import type { Message } from './inbox.ts'

/** Where answers are sent on to, and what they are signed with: as a route of Mailgun's does. */
export type InboundMail = { url: string; key: string }

export const replyAddressOf = ({ headers }: Message): string | null => headers['reply-to'] ?? null

/** An answer as Mailgun forwards it: a form, signed over its time and a token of its own. */
export async function sendReply({ url, key }: InboundMail, message: Message, text: string, files: File[] = []): Promise<boolean> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const token = randomBytes(25).toString('hex')
  const quoted = message.text.replaceAll(/^/gm, '> ')
  const fields = {
    recipient: replyAddressOf(message) ?? '',
    sender: message.to[0] ?? '',
    from: message.to[0] ?? '',
    subject: `Re: ${message.subject}`,
    'body-plain': `${text}\n\n${quoted}`,
    'stripped-text': text,
    'Message-Id': `<${token.slice(0, 20)}@sandbox.example>`,
    'In-Reply-To': message.message_id ?? '',
    'message-headers': '[]',
    timestamp,
    token,
    signature: createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex'),
  }
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  for (const [at, file] of files.entries()) body.append(`attachment-${at + 1}`, file, file.name)
  if (files.length) body.append('attachment-count', String(files.length))
  const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10_000) })
  return answer.ok && ((await answer.json()) as { taken?: boolean }).taken === true
}
