// Where the answers of each feature are read. No zod here: the web app opens them.

const pages: Record<string, `/${string}`> = {
  chat: '/dashboard/operon-ai',
  assistant: '/dashboard/operon-ai',
  analyst: '/dashboard/ai-assistant',
  lab: '/dashboard/ai-lab?tab=chat',
  help: '/dashboard/operon-ai-help',
  content: '/dashboard/content-creator',
  brand: '/dashboard/brand-builder',
  ads: '/dashboard/meta-ads',
  api: '/dashboard/settings?section=usage',
}
const conversing: readonly string[] = ['chat', 'assistant', 'analyst', 'lab', 'help']

/** The page of a feature, at one of its conversations and there at one message where these are meant. */
export function answerPage(feature: string, conversation?: string | null, message?: string | null): `/${string}` | null {
  const page = pages[feature]
  if (!page || !conversation || !conversing.includes(feature)) return page ?? null
  const search = new URLSearchParams({ c: conversation, ...(message && { m: message }) })
  return `${page}${page.includes('?') ? '&' : '?'}${search}`
}
