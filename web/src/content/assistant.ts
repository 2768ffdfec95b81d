/** What the assistant says first, by where the person is. */
const greetings: Record<string, string> = {
  '/dashboard': 'You are on your dashboard. Ask what the figures mean, or tell me where to take you.',
  '/dashboard/ai-lab': 'You are in the AI Lab. I can help you choose a model, or sharpen a prompt before you compare.',
  '/dashboard/image-studio': 'You are in the Image Studio. Describe a picture and I help you put it into a prompt.',
  '/dashboard/content-creator': 'You are in the Content Creator. Tell me what the piece is for and I suggest a topic and an angle.',
  '/dashboard/meta-ads': 'You are in the Meta Ads Manager. Ask me about ad copy, audiences or a test plan.',
  '/dashboard/brand-builder': 'You are in the Brand Builder. Say “business name” and what you do, and I suggest five.',
  '/dashboard/voice-agents': 'You are at the voice agents. Ask me what an agent should say and when it should hand over.',
  '/dashboard/workflows': 'You are at the workflows. Tell me what should happen by itself and I lay out the steps.',
  '/dashboard/calendar': 'You are in the calendar. Ask me how to plan your week or word an invitation.',
  '/dashboard/email-studio': 'You are in the Email Studio. Tell me whom you write to and why, and I draft the text.',
  '/dashboard/crm': 'You are in the CRM. Ask me how to follow up with a lead, or what to ask in a first call.',
  '/dashboard/payments': 'You are at the payments. Ask me what a fee, a payout or a dispute means.',
  '/dashboard/analytics': 'You are in the analytics. Ask me which number to look at first, and why.',
  '/dashboard/notion': 'You are at your notes workspace. Ask me how to structure a page or a database.',
}

export function greetingFor(pathname: string, product: string) {
  return (
    greetings[pathname.replace(/^\/dashboard\/seller$/, '/dashboard')] ??
    `I am ${product}. Ask me anything, or say “go to” and a page to be taken there.`
  )
}

/** Beginnings of what it does beside answering; the person finishes the sentence. */
export const assistantStarters = ['Go to the ', 'Suggest a business name for ', 'Research ']

/** In this order: the first keyword that the message contains decides. */
const destinations: [keyword: string, path: string, name: string][] = [
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

/** Where a message asks to be taken. */
export function destinationOf(message: string): Destination | null {
  const said = message.toLowerCase()
  if (!/\b(go to|navigate to|open)\b/.test(said)) return null
  const found = destinations.find(([keyword]) => said.includes(keyword))
  return found ? { path: found[1], name: found[2] } : null
}

/** What a message sets off, besides being answered. */
export type Trigger =
  | { kind: 'names' }
  | { kind: 'research' }
  | { kind: 'absent'; says: 'meta' | 'voice' | 'image' | 'email' | 'notion' }
  | null

export function triggerOf(message: string): Trigger {
  const said = message.toLowerCase()
  const has = (...words: string[]) => words.some((word) => said.includes(word))
  if (has('business name', 'company name')) return { kind: 'names' }
  if (has('analyze meta ads', 'meta analytics')) return { kind: 'absent', says: 'meta' }
  if (has('create voice agent', 'setup voice agent', 'create a voice agent', 'set up a voice agent'))
    return { kind: 'absent', says: 'voice' }
  if (has('send email', 'email campaign', 'send an email')) return { kind: 'absent', says: 'email' }
  if (/\b(generate|create)\b.*\bimage\b/.test(said)) return { kind: 'absent', says: 'image' }
  if (has('notion')) return { kind: 'absent', says: 'notion' }
  if (has('search', 'research', 'find information')) return { kind: 'research' }
  return null
}

export const emailAbsent =
  'I cannot send e-mail yet: Email Studio is not available, so nothing was drafted or sent. Ask me to write the text and I do it here.'
export const notionAbsent = 'I cannot reach Notion yet: the Notion integration is not available, so nothing was read or changed there.'
export const notAvailable = (name: string) => `${name} is not available yet, so I stay on this page.`
export const onTheWay = (name: string) => `Taking you to ${name}.`
