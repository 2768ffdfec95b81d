import { z } from 'zod'
import { table } from '../contract.ts'

export const subscribers = table('subscribers', {
  access: 'user',
  summary: 'Whether the account may use the seller tools',
  columns: z.object({
    user_id: z.uuid(),
    subscribed: z.boolean(),
    subscription_tier: z.string().nullable(),
    subscription_end: z.iso.datetime({ offset: true }).nullable(),
    status: z.string(),
    updated_at: z.iso.datetime({ offset: true }),
  }),
})
