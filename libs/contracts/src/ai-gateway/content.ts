// The Content Creator's types and what they are called. No zod here: the screen shows them.

export const contentTypes = {
  blog: 'Blog post',
  social: 'Social posts',
  email: 'Email',
  video: 'Video script',
  ad: 'Ad copy',
  product: 'Product description',
} as const
export type ContentType = keyof typeof contentTypes

/** What begins the request for names; the rest is the description. */
export const NAMES_FOR = 'Business names for: '

type Order =
  | { kind: 'names'; description: string }
  | { kind: 'content'; type: ContentType; topic: string; requirements?: string | undefined }
/** What stands in the conversation as the person's request; its first line names the conversation. */
export const requestOf = (order: Order): string =>
  order.kind === 'names'
    ? NAMES_FOR + order.description
    : [`${contentTypes[order.type]} about: ${order.topic}`, order.requirements && `Additional requirements: ${order.requirements}`]
        .filter(Boolean)
        .join('\n')
