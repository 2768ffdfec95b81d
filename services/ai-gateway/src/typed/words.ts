/** In this order: the first keyword that the message contains decides. */
export const destinations: [keyword: string, path: string, name: string][] = [
  ['dashboard', '/dashboard', 'Dashboard'],
  ['ai lab', '/dashboard/ai-lab', 'AI Assistant Lab'],
  ['image studio', '/dashboard/image-studio', 'Image Studio'],
  ['content', '/dashboard/content-creator', 'Content Creator'],
  ['meta ads', '/dashboard/meta-ads', 'Meta Ads Manager'],
  ['brand', '/dashboard/brand-builder', 'Brand Builder'],
  ['voice', '/dashboard/voice-agents', 'Voice Agents'],
  ['workflows', '/dashboard/workflows', 'AI Workflows'],
  ['automation', '/dashboard/workflows', 'AI Workflows'],
  ['calendar', '/dashboard/calendar', 'Calendar'],
  ['email', '/dashboard/email-studio', 'Email Studio'],
  ['crm', '/dashboard/crm', 'CRM'],
  ['contacts', '/dashboard/crm', 'CRM'],
  ['payments', '/dashboard/payments', 'Payments'],
  ['analytics', '/dashboard/analytics', 'Analytics'],
  ['reports', '/dashboard/analytics', 'Analytics'],
  ['notion', '/dashboard/notion', 'Notion Integration'],
]

export type Destination = { path: string; name: string }

export const onTheWay = (name: string) => `Taking you to ${name}.`
export const notAvailable = (name: string) => `${name} is not available yet, so you stay on this page.`

/** For a request whose action nobody offers yet: nothing was tried. */
export const absent = {
  voice: 'I cannot create voice agents yet, so none was created. I can write what it should say.',
  email: 'I cannot send email yet, so nothing was drafted or sent. Ask me for the text and I write it here.',
} as const
export const isAbsent = (tool: string): tool is keyof typeof absent => tool in absent
