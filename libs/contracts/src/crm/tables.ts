import { z } from 'zod'
import { id, table, time } from '../contract.ts'

export const leads = table('leads', {
  access: 'user',
  summary: 'People who may become customers',
  columns: z.object({
    id: id('lead'),
    user_id: z.uuid(),
    name: z.string(),
    email: z.string().nullable(),
    status: z.string(),
    source: z.string(),
    created_at: time,
  }),
})
export const appointments = table('appointments', {
  access: 'user',
  summary: 'Booked appointments',
  columns: z.object({ id: id('appointment'), user_id: z.uuid(), title: z.string(), status: z.string(), starts_at: time, created_at: time }),
})
export const emailCampaigns = table('email_campaigns', {
  access: 'user',
  summary: 'Campaigns and how many emails each has sent',
  columns: z.object({ id: id('campaign'), user_id: z.uuid(), name: z.string(), status: z.string(), sent_count: z.int(), created_at: time }),
})
