import { GUEST_FILES, MAX_ATTACHMENTS } from '@operon/contracts/marketplace/threads'
import { day, money } from '@operon/contracts/words'
import type { Letter } from '@operon/kit/mail/frame'

type Sum = { amount_cents: number; currency: string }

export const receiptOf = (
  order: Sum & { title: string; seller: string; tax_cents: number; paid_at: Date; id: string; link: string; files: number },
): Letter => ({
  subject: `Your order: ${order.title}`,
  title: order.files ? 'Your download is ready' : 'Thank you for your order',
  text: `You bought ${order.title} from ${order.seller}. Everything about it is on one page: downloads, messages to the seller, and updates.`,
  action: { label: order.files ? 'Download' : 'Open your order', url: order.link },
  facts: [
    ['Paid', money(order)],
    ...(order.tax_cents ? [['Of this, tax', money({ ...order, amount_cents: order.tax_cents })] as [string, string]] : []),
    ['Date', day(order.paid_at.toISOString())],
    ['Order', order.id],
  ],
  after: 'Keep this email. Anyone with its link can open the order.',
})

export const messageOf = (message: {
  from: string
  subject: string
  text: string
  link: string
  label: string
  answerable: boolean
}): Letter => ({
  subject: `${message.from} wrote about ${message.subject}`,
  title: `${message.from} wrote to you`,
  text: message.text,
  action: { label: message.label, url: message.link },
  facts: [['About', message.subject]],
  after: message.answerable ? 'Reply to this email, or answer in the app.' : 'Answer in the app.',
})

export const filesLeftOf = (message: { to: string; subject: string; files: number; link: string; hasAccount: boolean }): Letter => {
  const files = message.files === 1 ? 'One file' : `${message.files} files`
  return {
    subject: `${files} did not reach ${message.to}`,
    title: `${files} did not reach ${message.to}`,
    text: message.hasAccount
      ? `${message.to} has your message about ${message.subject}, without ${message.files === 1 ? 'a file' : `${message.files} files`} of your email. A message takes up to ${MAX_ATTACHMENTS} files of 25 MB each, as long as your plan has room, and no programs.`
      : `${message.to} has your message about ${message.subject}, without ${message.files === 1 ? 'a file' : `${message.files} files`} of your email. Without an account a message takes up to ${MAX_ATTACHMENTS} files, 10 MB in all, and a conversation ${GUEST_FILES}, as long as ${message.to} has room, and no programs. An account with this address can send more.`,
    action: { label: 'Open the conversation', url: message.link },
    after: 'Your words were delivered. Only the files are missing.',
  }
}

export const refundAnswerOf = (
  asked: Sum & { title: string; seller: string; state: string; by: string | null; answer: string | null; link: string },
): Letter => {
  const accepted = asked.state !== 'declined'
  return {
    subject: accepted ? `${money(asked)} is on its way back to you` : `${asked.seller} declined your refund request`,
    title: accepted ? `You get ${money(asked)} back` : 'Your refund was declined',
    text: accepted ? accepting(asked) : `${asked.seller} declined a refund of ${asked.title}.${asked.answer ? `\n\n${asked.answer}` : ''}`,
    action: { label: 'Open your order', url: asked.link },
    after: accepted
      ? 'Banks take a few days to show it.'
      : 'What you bought stays yours. If something is wrong, write to the seller from your order.',
  }
}
const accepting = ({ seller, by, answer, title }: { seller: string; by: string | null; answer: string | null; title: string }) => {
  const who =
    by === 'rule'
      ? `${seller} did not answer in time, or you downloaded nothing, so our rule refunds ${title}.`
      : `${seller} refunds ${title}.`
  return `${who} It goes to the card you paid with.${answer ? `\n\n${answer}` : ''}`
}

export const versionOf = (update: { title: string; seller: string; version: number; notes: string; link: string }): Letter => ({
  subject: `Version ${update.version} of ${update.title} is out`,
  title: `${update.title} has a new version`,
  text: update.notes
    ? `What ${update.seller} says about version ${update.version}:\n\n${update.notes}`
    : `${update.seller} published version ${update.version}.`,
  action: { label: 'See what changed', url: update.link },
  after: 'It is yours without paying again. The version you have stays until you take the new one.',
})

export const foundOf = (search: { words: string; titles: string[]; count: number; link: string; stop: string }): Letter => ({
  subject:
    search.count === 1
      ? `A new product for ${search.words}`
      : `${search.count}${search.count >= 100 ? ' or more' : ''} new products for ${search.words}`,
  title: `New for ${search.words}`,
  text: search.titles.map((title) => `• ${title}`).join('\n'),
  action: { label: 'See them', url: search.link },
  after: 'At most one email a day for each search. One click ends them.',
  stop: search.stop,
})
