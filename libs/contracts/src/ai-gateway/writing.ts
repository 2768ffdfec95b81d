import { z } from 'zod'
import { col, fn, text } from '../contract.ts'
import { EmailDocument } from '../crm/email/document.ts'
import type { ContentType } from './content.ts'
import { contentTypes } from './content.ts'

// Texts that the platform writes. The prompts are the server's, so every caller gets the same text.

export const ContentTypeName = z.enum(Object.keys(contentTypes) as [ContentType, ...ContentType[]])
const Content = z.object({ type: ContentTypeName, topic: text(500).trim().min(1), requirements: text(5000).optional() })
const Names = z.object({ description: text(5000).trim().min(1) })

/** Texts that `ai-chat` writes by a prompt of the server's own, streamed into a conversation. */
export const WritingOrder = z.discriminatedUnion('kind', [
  Content.extend({ kind: z.literal('content') }),
  Names.extend({ kind: z.literal('names') }),
])

const answered = { answered_by: z.string(), sandbox: z.boolean() }
const sample = { answered_by: 'gpt-4o-mini', sandbox: false }
const model = text(200).optional()
const COST = 'Uses 1 prompt, or 2 if the first answer cannot be used.'

export const writeContent = fn('write-content', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Writes a blog post, social posts, an email, a video script, ad copy or a product description',
  description: 'A blog post has about 1000-1500 words; social posts come five at a time. Nothing is published.',
  body: Content.extend({ model }),
  reply: z.object({ title: z.string(), content: z.string(), words: z.int(), ...answered }),
  example: {
    request: { type: 'social', topic: 'Opening of our second location' },
    reply: { title: 'Social posts about: Opening of our second location', content: '1. We are open…', words: 120, ...sample },
  },
  errors: ['limit_prompts', 'limit_budget', 'answer_cut', 'model_unavailable'],
  action: {
    title: 'Write content',
    when: 'The person wants a blog post, social posts, a video script, ad copy, a product description or a longer text written',
    effect: 'spends',
    unit: 'prompts',
    does: ({ type, topic }) => `Writes a draft (${contentTypes[type as ContentType].toLowerCase()}) about “${topic}”. ${COST}`,
  },
})

export const suggestNames = fn('suggest-names', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Suggests up to eight business names',
  description: 'When no usable answer comes, `fallback` is true, `problem` says why, and eight general names stand in.',
  body: Names.extend({
    model,
    most_prompts: z.int().min(1).max(2).default(2).describe('1: an answer that holds no names is not asked for again'),
  }),
  reply: z.object({
    names: z.array(z.string()).min(1).max(8),
    fallback: z.boolean(),
    problem: z.string().nullable(),
    answered_by: z.string().nullable(),
    sandbox: z.boolean(),
  }),
  example: {
    request: { description: 'A mobile bike repair service for commuters' },
    reply: { names: ['Spokeside', 'Rideready'], fallback: false, problem: null, ...sample },
  },
  errors: ['limit_prompts', 'limit_budget'],
  action: {
    title: 'Suggest names',
    when: 'The person wants names for a business, brand or product',
    effect: 'spends',
    unit: 'prompts',
    does: ({ description, most_prompts }) =>
      `Suggests up to eight names for “${clip(description)}”. ${most_prompts === 1 ? 'Uses 1 prompt.' : COST}`,
    evidence: { columns: { names: col.text('Names') } },
    typed: {
      as: 'names',
      // Typed words are their own approval, up to one unit.
      input: (said) => ({ description: said, most_prompts: 1 }),
      says: ({ names, problem }) =>
        [
          problem,
          names
            .slice(0, 5)
            .map((name, at) => `${at + 1}. ${name}`)
            .join('\n'),
        ]
          .filter(Boolean)
          .join('\n\n'),
    },
  },
})

export const searchWeb = fn('search-web', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Searches the web and answers with sources',
  description: 'The model that searches answers. When it cannot, another one does, without sources.',
  body: z.object({ query: text(2000).trim().min(1) }),
  reply: z.object({ answer: z.string(), sources: z.array(z.string()), ...answered }),
  example: {
    request: { query: 'How local bakeries price subscription boxes' },
    reply: { answer: 'Most charge by the month…', sources: ['https://www.example.com/bakeries'], ...sample },
  },
  errors: ['limit_prompts', 'limit_budget', 'answer_cut', 'model_unavailable'],
  action: {
    title: 'Search the web',
    when: 'The person asks to research or to find something on the web',
    effect: 'spends',
    unit: 'prompts',
    does: ({ query }) => `Searches the web for “${clip(query)}” and names its sources. Uses 1 prompt.`,
  },
})

export const writeEmail = fn('write-email', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Drafts one email with a subject and a body',
  description: 'The draft is only written. Nothing is sent.',
  body: z.object({
    about: text(2000).trim().min(1).describe('What the email is about and what it should achieve'),
    to: text(200).optional().describe('Who receives it, as a name or a role'),
    tone: text(100).optional(),
    model,
  }),
  reply: z.object({ subject: z.string(), body: z.string(), ...answered }),
  example: {
    request: { about: 'Thank a customer for a payment of $99.00', tone: 'warm' },
    reply: { subject: 'Thank you', body: 'Hi Ada, thank you for your payment…', ...sample },
  },
  errors: ['limit_prompts', 'limit_budget', 'answer_cut', 'model_unavailable', 'upstream_failed'],
  action: {
    title: 'Draft an email',
    when: 'The person wants an email, a letter, a reply or a thank-you written. It writes a draft and sends nothing',
    effect: 'spends',
    unit: 'prompts',
    does: ({ about, to }) => `Drafts an email${to ? ` to ${to}` : ''} about “${clip(about)}”. Nothing is sent. ${COST}`,
  },
})

export const emailTones = ['friendly', 'professional', 'playful', 'urgent', 'plain'] as const
export const generateEmail = fn('generate-email', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Designs an email from a request: blocks, a preview line and three subjects',
  description: 'The design is only written. `create-campaign` takes its document; nothing is sent or kept here.',
  body: z.object({
    request: text(2000).trim().min(1).describe('What the email is about, for whom, and what it should achieve'),
    tone: z.enum(emailTones).optional(),
    /** For the footer. */
    sender: z.object({ name: text(120).default(''), address: text(300).default('') }).optional(),
    accent: EmailDocument.shape.theme.unwrap().shape.accent.optional(),
    model,
  }),
  reply: z.object({ name: z.string(), subjects: z.array(z.string()).min(1).max(3), document: EmailDocument, ...answered }),
  example: {
    request: { request: 'Announce our spring sale: 20 % off until Sunday', tone: 'friendly' },
    reply: {
      name: 'Spring sale',
      subjects: ['20 % off until Sunday'],
      document: {
        preview: 'A small thank you for spring',
        blocks: [
          { kind: 'heading', id: 'b1', text: 'Spring is here' },
          { kind: 'button', id: 'b2', label: 'See the offers', url: 'https://example.com/spring' },
        ],
      },
      ...sample,
    },
  },
  errors: ['limit_prompts', 'limit_budget', 'answer_cut', 'model_unavailable', 'upstream_failed'],
  action: {
    title: 'Design an email campaign',
    when: 'The person wants a newsletter, a campaign or a marketing email designed. It writes a draft and sends nothing',
    effect: 'spends',
    unit: 'prompts',
    does: ({ request }) => `Designs an email about “${clip(request)}”. Nothing is sent. ${COST}`,
  },
})

export const suggestSubjects = fn('suggest-subjects', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Suggests five subjects for an email',
  description: 'From what the email says, and the subject it has, if any.',
  body: z.object({ text: text(6000).trim().min(1), subject: text(300).optional(), model }),
  reply: z.object({ subjects: z.array(z.string()).min(1).max(5), ...answered }),
  example: {
    request: { text: 'Spring is here. 20 % off until Sunday.' },
    reply: { subjects: ['20 % off until Sunday', 'Spring starts with a saving'], ...sample },
  },
  errors: ['limit_prompts', 'limit_budget', 'answer_cut', 'model_unavailable', 'upstream_failed'],
  action: {
    title: 'Suggest subjects',
    when: 'The person wants ideas for the subject of an email',
    effect: 'spends',
    unit: 'prompts',
    does: () => `Suggests five subjects for the email. ${COST}`,
    evidence: { columns: { subjects: col.text('Subjects') } },
  },
})

export const writeProductText = fn('write-product-text', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Writes the text of a product page: headline, description, benefits and specifications',
  description: 'Only what `details` say is stated as a fact. Nothing is published.',
  body: z.object({ product: text(300).trim().min(1), details: text(5000).optional(), model }),
  reply: z.object({
    headline: z.string(),
    description: z.string(),
    benefits: z.array(z.string()),
    specifications: z.array(z.string()),
    ...answered,
  }),
  example: {
    request: { product: 'Handmade oak cutting board', details: '40 x 25 cm, oiled' },
    reply: {
      headline: 'A board for every day',
      description: 'Solid oak, oiled by hand.',
      benefits: ['Kind to knives'],
      specifications: ['40 x 25 cm'],
      ...sample,
    },
  },
  errors: ['limit_prompts', 'limit_budget', 'answer_cut', 'model_unavailable', 'upstream_failed'],
  action: {
    title: 'Write a product text',
    when: 'The person wants the text of a product page with headline, benefits and specifications',
    effect: 'spends',
    unit: 'prompts',
    does: ({ product }) => `Writes the page text of “${clip(product)}”. Nothing is published. ${COST}`,
  },
})

const clip = (said: string) => (said.length <= 160 ? said : `${said.slice(0, 159)}…`)
