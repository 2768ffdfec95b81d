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

/** The first words of a request for names; the description follows. */
export const NAMES_FOR = 'Business names for: '

type Order =
  | { kind: 'names'; description: string }
  | { kind: 'content'; type: ContentType; topic: string; requirements?: string | undefined }
/** The request as the conversation shows it; its first line becomes the conversation's title. */
export const requestOf = (order: Order): string =>
  order.kind === 'names'
    ? NAMES_FOR + order.description
    : [`${contentTypes[order.type]} about: ${order.topic}`, order.requirements && `Additional requirements: ${order.requirements}`]
        .filter(Boolean)
        .join('\n')
