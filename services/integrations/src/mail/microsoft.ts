import { listOf } from '../apps/app.ts'
import { type Mail, type MailWire, type Party, phrase, secure } from './wire.ts'

const columns = 'id,conversationId,from,sender,toRecipients,ccRecipients,bccRecipients,subject,bodyPreview,sentDateTime,webLink,isDraft'

export const outlookWire: MailWire = {
  scope: 'Mail.Read',
  list: (addresses, limit) => {
    // Quotes within the quotes of the parameter. A search comes in the order of sending and takes no other.
    const either = addresses.map((address) => `participants:\\"${phrase(address)}\\"`).join(' OR ')
    return { path: '/me/messages', query: { $search: `"${either}"`, $top: limit, $select: columns } }
  },
  mails: async ({ value }) => listOf(value).map(mailOf),
}

const party = ({ emailAddress }: any): Party[] => {
  const address = String(emailAddress?.address ?? '').toLowerCase()
  return address.includes('@') ? [{ name: emailAddress.name || null, address }] : []
}

const mailOf = (message: any): Mail => ({
  id: String(message.id),
  thread_id: String(message.conversationId ?? message.id),
  from: [message.from, message.sender].flatMap((each) => (each ? party(each) : []))[0] ?? null,
  to: [message.toRecipients, message.ccRecipients, message.bccRecipients].flatMap((each) => listOf(each).flatMap(party)),
  subject: String(message.subject ?? ''),
  snippet: String(message.bodyPreview ?? ''),
  at: new Date(message.sentDateTime ?? 0).toISOString(),
  url: secure(message.webLink),
  isDraft: message.isDraft === true,
})
