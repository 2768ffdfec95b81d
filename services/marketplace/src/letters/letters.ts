import { GUEST_FILES, MAX_ATTACHMENTS } from '@operon/contracts/marketplace/threads'
import { day, money } from '@operon/contracts/words'
import type { Letter } from '@operon/kit/mail/frame'

type Sum = { amount_cents: number; currency: string }

export const receiptOf = (
  order: Sum & { title: string; seller: string; tax_cents: number; paid_at: Date; id: string; link: string; files: number },
): Letter => ({
  subject: `Your order: ${order.title}`,
  title: order.files ? 'Your download is ready' : 'Thank you for your order',
  text: `You bought ${order.title} from ${order.seller}. Downloads, updates and messages to the seller are on one page.`,
  action: { label: order.files ? 'Download' : 'Open your order', url: order.link },
  facts: [
    ['Paid', money(order)],
    ...(order.tax_cents ? [['Tax included', money({ ...order, amount_cents: order.tax_cents })] as [string, string]] : []),
    ['Date', day(order.paid_at.toISOString())],
    ['Order', order.id],
  ],
  after: 'Keep this email to yourself: anyone with its link can open the order.',
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
    text: `${message.to} has your message about ${message.subject}, but not ${message.files === 1 ? 'the file' : `${message.files} of the files`} attached to your email. ${
      message.hasAccount
        ? `A message takes up to ${MAX_ATTACHMENTS} files of 25 MB each, within the storage of your plan.`
        : `Without an account, a message takes up to ${MAX_ATTACHMENTS} files and 10 MB in all, and a conversation ${GUEST_FILES} files, within the storage of ${message.to}. Sign up with this address to send more.`
    } Programs are not accepted.`,
    action: { label: 'Open the conversation', url: message.link },
    after: 'The text of your email was delivered.',
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
      : 'You keep your purchase. If something is wrong with it, message the seller from your order.',
  }
}
const accepting = ({ seller, by, answer, title }: { seller: string; by: string | null; answer: string | null; title: string }) => {
  const who =
    by === 'rule'
      ? `${title} was refunded automatically, because ${seller} did not answer in time or nothing was downloaded.`
      : `${seller} refunded ${title}.`
  return `${who} The money goes to the card you paid with.${answer ? `\n\n${answer}` : ''}`
}

export const versionOf = (update: { title: string; seller: string; version: number; notes: string; link: string }): Letter => ({
  subject: `Version ${update.version} of ${update.title} is out`,
  title: `${update.title} has a new version`,
  text: update.notes
    ? `Notes from ${update.seller} on version ${update.version}:\n\n${update.notes}`
    : `${update.seller} published version ${update.version}.`,
  action: { label: 'See what changed', url: update.link },
  after: 'The update is free. The version you have stays available.',
})

export const foundOf = (search: { words: string; titles: string[]; count: number; link: string; stop: string }): Letter => ({
  subject:
    search.count === 1
      ? `A new product for ${search.words}`
      : `${search.count}${search.count >= 100 ? ' or more' : ''} new products for ${search.words}`,
  title: `New for ${search.words}`,
  text: search.titles.map((title) => `• ${title}`).join('\n'),
  action: { label: 'See the products', url: search.link },
  after: 'You get at most one email a day for each search. Unsubscribe with one click.',
  stop: search.stop,
})
