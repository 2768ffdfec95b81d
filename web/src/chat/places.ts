import { paths } from '../paths.ts'

/** Where the conversations of each assistant are read; all of them are one store and are searched together. */
export const places: Record<string, { name: string; path: string }> = {
  chat: { name: 'Chat', path: paths.assistant },
  assistant: { name: 'Talk to', path: paths.assistant },
  analyst: { name: 'Analyst', path: paths.analyst },
  lab: { name: 'Lab', path: `${paths.lab}?tab=chat` },
  help: { name: 'Help', path: paths.help },
}
export const assistants = Object.keys(places) as ('chat' | 'assistant' | 'analyst' | 'lab' | 'help')[]

/** The address of a conversation, at one of its messages where one is meant. */
export function addressOf(feature: string, conversation: string, message?: string | null): string | null {
  const place = places[feature]
  if (!place) return null
  const search = new URLSearchParams({ c: conversation, ...(message && { m: message }) })
  return `${place.path}${place.path.includes('?') ? '&' : '?'}${search}`
}
