import { z } from 'zod'

const lines = z.array(z.string()).min(1).optional()

/** The preview of a step that a person sees before they approve it, where the action has no preview of its own: in words, from the rows as they are. */
export const Preview = z.object({
  /** The rows that the input names. */
  about: lines,
  changes: lines,
  adds: lines,
  deletes: lines,
  /** Letters to others, with their subjects. */
  emails: lines,
  /** The rest of the plan's allowance: the one line that may change before the approval. */
  left: z.string().optional(),
})
export type Preview = z.output<typeof Preview>
