import { type ContentType, requestOf } from '@operon/contracts/ai-gateway/content'
import type { WritingOrder } from '@operon/contracts/ai-gateway/writing'
import type { z } from 'zod'

export type Order = z.output<typeof WritingOrder>

const asks: Record<ContentType, string> = {
  blog: 'Write a blog post of about 1000-1500 words with a title, an introduction, subheadings and a conclusion',
  social: 'Write 5 social media posts, numbered, each with a hook and fitting hashtags',
  email: 'Write an email with a subject line, a short body and one call to action',
  video: 'Write a video script with a hook, scenes, spoken text and a call to action',
  ad: 'Write ad copy with a headline, a primary text and a call to action, in three versions',
  product: 'Write a product description with a headline, the benefits and the specifications',
}

export function promptOf(order: Order): { system: string; said: string } {
  const said = requestOf(order)
  if (order.kind === 'names') return { said, system: NAMES }
  return { said, system: `You write for small businesses. ${asks[order.type]}. Answer with the piece alone.` }
}
const NAMES = 'Suggest 8 business names. Answer with the names only, one a line, nothing before or after.'
