import { z } from 'zod'
import { time } from '../contract.ts'

// A mention in a note: of another contact, a company or a deal.

export const mentionKinds = ['contact', 'company', 'deal'] as const
export type MentionKind = (typeof mentionKinds)[number]

export const Mentioned = z.object({ kind: z.enum(mentionKinds), id: z.uuid() })
/** Where in the text its name stands, in UTF-16 units, and its name now. What was deleted since is left out. */
export const Mention = Mentioned.extend({ starts: z.int(), length: z.int(), name: z.string() })

/** A note that mentions something, as that shows it: the latest 20, newest first. */
export const MentioningNote = z.object({
  activity_id: z.uuid(),
  contact_id: z.uuid(),
  contact_name: z.string(),
  text: z.string(),
  at: time,
})
