import { z } from 'zod'
import { changing, col, endpoint, event, fn, id, job, personal, reading, time } from '../contract.ts'
import { cursor } from './shapes.ts'

// Conversations between a buyer and a seller: about an order, or a question about a product.

/** The largest number of files in one message. */
export const MAX_ATTACHMENTS = 5
export const ATTACHMENT_BYTES = 25 * 1024 * 1024
/** All files of one message of a guest, and how many their conversation holds: they take the seller's space. */
export const GUEST_BYTES = 10 * 1024 * 1024
export const GUEST_FILES = 20
export const MESSAGE_LENGTH = 5_000

const thread_id = id('thread')
export const messageText = z.string().trim().min(1).max(MESSAGE_LENGTH)
const refusedFiles = ['attachment_unknown', 'attachment_forbidden', 'attachment_too_large'] as const
const file_ids = z.array(id('upload')).max(MAX_ATTACHMENTS).default([])

export const ThreadSide = z.enum(['buyer', 'seller'])
export const Thread = z.object({
  id: z.uuid(),
  /** The other side, by name or email address. */
  from: z.string(),
  subject: z.string(),
  /** The beginning of the last message. */
  preview: z.string(),
  last_from: ThreadSide,
  time,
  /** Messages that this side has not read. */
  unread: z.int(),
  order_id: z.uuid().nullable(),
  product_id: z.uuid().nullable(),
})
export const ThreadMessage = z.object({
  id: z.uuid(),
  from: ThreadSide,
  text: z.string(),
  /** `mail` where it came as an answer to an email. */
  via: z.enum(['app', 'mail']),
  at: time,
  files: z.array(z.object({ file_id: z.uuid(), name: z.string(), bytes: z.int(), type: z.string() })),
  /** Files of the email that were not taken: too large, too many, a program, or more than a guest may send. */
  files_left: z.int().optional(),
})
const example = {
  id: '0190a1b2-0000-7000-8000-000000000021',
  from: 'guest@example.com',
  subject: 'Lead qualification',
  preview: 'Does it work with HubSpot?',
  last_from: 'buyer' as const,
  time: '2026-11-24T10:00:00.000Z',
  unread: 1,
  order_id: '0190a1b2-0000-7000-8000-000000000004',
  product_id: '0190a1b2-0000-7000-8000-000000000005',
}
const messageExample = {
  id: '0190a1b2-0000-7000-8000-000000000022',
  from: 'buyer' as const,
  text: 'Does it work with HubSpot?',
  via: 'app' as const,
  at: '2026-11-24T10:00:00.000Z',
  files: [],
}
const list = z.object({ unread: z.boolean().default(false), limit: z.int().min(1).max(100).default(30), cursor: cursor.optional() })
const listed = z.object({
  threads: z.array(Thread),
  cursor: cursor.nullable(),
  /** All unread messages of this side, up to 1,000. */
  unread: z.int(),
})

/** The seller's side. */
export const listThreads = reading('list-threads', {
  summary: 'Lists the conversations with your buyers, newest first',
  description: 'Only those with unread messages where `unread` is true.',
  body: list,
  reply: listed.extend({
    /** How long the first answer took, in minutes: the median of the last 100 conversations that got one. */
    response_minutes: z.int().nullable(),
  }),
  example: { request: {}, reply: { threads: [example], cursor: null, unread: 1, response_minutes: 45 } },
  errors: [],
  action: {
    title: 'List messages of buyers',
    when: 'The person asks what buyers wrote, or for unread messages',
    effect: 'reads',
    evidence: {
      rows: 'threads',
      columns: { from: col.text('From'), subject: col.text('Subject'), unread: col.count('Unread'), time: col.time('When') },
    },
  },
})
/** The buyer's side. */
export const listOwnThreads = reading('my-threads', {
  summary: 'Lists your conversations with sellers, newest first',
  body: list,
  reply: listed,
})
/** Either side's: the answer says which. Reading marks what the other side wrote as read. */
export const showThread = reading('show-thread', {
  demo: 'changes',
  summary: 'A conversation with its newest messages, oldest first',
  description: 'Messages of the other side count as read from then on. `cursor` leads to older messages.',
  body: z.object({ thread_id, cursor: cursor.optional() }),
  reply: z.object({
    thread: Thread.extend({ side: ThreadSide, order_state: z.string().nullable() }),
    messages: z.array(ThreadMessage),
    cursor: cursor.nullable(),
  }),
  errors: ['not_found'],
})
export const answerMessage = changing('answer-message', {
  demo: 'never',
  summary: 'Writes a message in a conversation with a buyer or a seller',
  description: 'The other side gets it in the app and by email.',
  body: z.object({ thread_id, text: messageText, file_ids }),
  reply: z.object({ message: ThreadMessage }),
  example: { request: { thread_id: example.id, text: 'Yes, by its API key.' }, reply: { message: { ...messageExample, from: 'seller' } } },
  errors: ['not_found', ...refusedFiles, 'too_many_messages'],
  action: {
    title: 'Answer a message',
    when: 'The person wants to answer a buyer or a seller who wrote to them',
    effect: 'sends',
    does: ({ text }) => `Sends this answer, in the app and by email: ${text.slice(0, 300)}`,
  },
})
/** From an order, by its link or as its buyer: begins the conversation, or goes on with it. */
export const messageSeller = fn('message-seller', {
  demo: 'never',
  access: 'public',
  rate: 'write',
  summary: 'Writes to the seller of an order',
  description: 'By the token of the order’s link, or as the buyer whose order it is. Files of a guest go with `message-seller-files`.',
  body: z.object({ token: z.string().min(20).max(100).optional(), order_id: id('order').optional(), text: messageText, file_ids }),
  reply: z.object({ message: ThreadMessage }),
  errors: ['not_found', ...refusedFiles, 'too_many_messages'],
  idempotent: true,
})
/** As `message-seller` for a guest: a form with `token` first, then `text` and up to five `files` of 10 MB in all. Nobody but the seller has space to keep them in. */
export const messageSellerFiles = endpoint({
  method: 'POST',
  path: '/functions/v1/message-seller-files',
  demo: 'never',
  access: 'public',
  rate: 'public-send',
  bytes: true,
  raw: true,
  maxBytes: GUEST_BYTES + 64 * 1024,
  summary: 'Writes to the seller of an order, with files of a guest',
  description:
    'The first field of the form is `token`; `text` and `files` follow. Of a form whose token opens no order, no more than the beginning is received.',
  reply: z.object({ message: ThreadMessage }),
  errors: ['not_found', 'attachment_forbidden', 'attachment_too_many', 'attachment_no_room', 'too_many_messages'],
})
/** Before buying: needs an account, so that the seller can answer. */
export const askSeller = changing('ask-seller', {
  demo: 'never',
  summary: 'Asks the seller of a product a question',
  body: z.object({ item_id: id('item'), text: messageText }),
  reply: z.object({ thread_id: z.uuid() }),
  errors: ['not_found', 'too_many_messages', 'too_many_questions', 'anonymous_no_messages'],
})
/** The messages of an order, for whoever may open the order. */
export const orderMessages = fn('order-messages', {
  access: 'public',
  rate: 'read',
  demo: 'changes',
  summary: 'The messages about an order, for its buyer',
  body: z.object({ token: z.string().min(20).max(100).optional(), order_id: id('order').optional() }),
  reply: z.object({ thread_id: z.uuid().nullable(), messages: z.array(ThreadMessage) }),
  errors: ['not_found'],
})
export const threadFile = fn('thread-file', {
  access: 'public',
  rate: 'read',
  summary: 'A link of five minutes to a file in a conversation',
  description: 'As one of its two sides, or by the token of the order’s link.',
  body: z.object({ thread_id: thread_id.optional(), token: z.string().min(20).max(100).optional(), file_id: id('upload') }),
  reply: z.object({ url: z.string() }),
  errors: ['not_found', 'attachment_unchecked'],
})

/** Receives answers to our emails. The provider signs the call; the address that was answered names the conversation and the side. */
export const mailWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/mail/:provider',
  access: 'public',
  rate: 'webhook',
  bytes: true,
  raw: true,
  maxBytes: 26 * 1024 * 1024,
  params: z.object({ provider: z.string().max(40) }),
  summary: 'Takes an answer to an email about a conversation, from the provider of inbound mail',
  reply: z.unknown(),
})

const about = z.object({
  thread_id: z.uuid(),
  message_id: z.uuid(),
  order_id: z.uuid().nullable(),
  from: personal(z.string()),
  subject: personal(z.string()),
  preview: personal(z.string()),
})
/** Told under the seller. The email goes out by itself, with an address to answer to. */
export const buyerWrote = event('marketplace.buyer_wrote', about, {
  activity: ({ subject }) => `A buyer wrote about ${subject}`,
  link: ({ thread_id }) => `/dashboard/marketplace?tab=messages&thread=${thread_id}`,
  trigger: { title: 'A buyer wrote a message', description: 'With the product, the sender and the beginning of the message.' },
  live: 'messages',
  notice: ({ from, subject, preview, thread_id }) => [
    {
      kind: 'message',
      title: `${from} wrote about ${subject}`,
      body: preview,
      link: `/dashboard/marketplace?tab=messages&thread=${thread_id}`,
    },
  ],
})
/** Told under the buyer, where the order belongs to an account. */
export const sellerWrote = event('marketplace.seller_wrote', about, {
  link: ({ order_id }) => (order_id ? `/buyer-dashboard/orders/${order_id}` : '/buyer-dashboard/messages'),
  live: 'messages',
  notice: ({ from, subject, preview, order_id }) => [
    {
      kind: 'message',
      title: `${from} answered about ${subject}`,
      body: preview,
      link: order_id ? `/buyer-dashboard/orders/${order_id}` : '/buyer-dashboard/messages',
    },
  ],
})

/** One email to the side that did not write. */
export const messageLetter = job('marketplace.message_letter', z.object({ message_id: z.uuid() }))
/** Tells the sender of an email that files of it were not taken. */
export const filesLeftLetter = job('marketplace.files_left_letter', z.object({ message_id: z.uuid() }))
