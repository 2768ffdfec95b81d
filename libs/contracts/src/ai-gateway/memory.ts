import { z } from 'zod'
import { fn, id, reading, text, time } from '../contract.ts'

// The assistants' memory of a person: their own words, and nothing that was looked up or written by anybody else.

export const MOST_MEMORIES = 50
export const LONGEST_MEMORY = 300

export const Memory = z.object({ id: id('memory'), content: z.string(), created_at: time })

export const aiMemory = reading('ai-memory', {
  summary: 'Lists the assistants’ memories of the person, newest first',
  body: z.object({}).prefault({}),
  reply: z.object({ on: z.boolean(), memories: z.array(Memory).max(MOST_MEMORIES) }),
})
/** Off, nothing is kept in mind and nothing of what was kept is told to a model. */
export const aiMemorySwitch = fn('ai-memory-switch', {
  access: 'user',
  summary: 'Turns the memory of the assistants on or off. Saved memories stay until they are deleted',
  body: z.object({ on: z.boolean() }),
  reply: z.object({ on: z.boolean() }),
})
export const aiMemoryEdit = fn('ai-memory-edit', {
  access: 'user',
  summary: 'Changes the words of one memory',
  body: z.object({ memory_id: id('memory'), content: text(LONGEST_MEMORY).trim().min(1) }),
  reply: z.object({ memory: Memory }),
})
export const aiMemoryDelete = fn('ai-memory-delete', {
  access: 'user',
  summary: 'Deletes one memory, or all of them',
  body: z.object({ memory_id: id('memory').optional() }),
  reply: z.object({ deleted: z.int() }),
})
