import { z } from 'zod'
import { id } from '../../contract.ts'

// Shapes that the contracts of the email studio share.

export const exampleId = '01931a5c-7d4b-7c3e-9a41-0f6f2f9f4b51'
export const campaign_id = id('campaign')
export const segment_id = id('segment')
export const topic_id = id('email_topic')
export const sender_id = id('sender')
/** One of ours has a name, one of your own an id. */
export const template_id = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .meta({ examples: ['newsletter'] })

export const address = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .meta({ examples: ['news@harbour-cafe.example'] })
