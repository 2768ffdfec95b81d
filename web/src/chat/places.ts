import { answerPage } from '@operon/contracts/ai-gateway/pages'

/** Where the conversations of each assistant are read; all of them are one store and are searched together. */
export const places: Record<string, string> = { chat: 'Chat', assistant: 'Talk to', analyst: 'Analyst', lab: 'Lab', help: 'Help' }
export const assistants = Object.keys(places) as ('chat' | 'assistant' | 'analyst' | 'lab' | 'help')[]

/** The address of a conversation, at one of its messages where one is meant. */
export const addressOf = (feature: string, conversation: string, message?: string | null): string | null =>
  places[feature] ? answerPage(feature, conversation, message) : null
