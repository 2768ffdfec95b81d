import type { Listed } from './queries.ts'

const day = 86_400_000
const now = Date.now()
const campaign = (
  id: string,
  name: string,
  subject: string,
  status: Listed['status'],
  daysAgo: number,
  sent: number,
  opened: number,
  clicked: number,
): Listed => ({
  ...{ campaign_id: id, name, subject, status, reason: null, sent_count: sent, recipients: sent, opened, clicked, scheduled_at: null },
  created_at: new Date(now - daysAgo * day).toISOString(),
})

/** Campaigns that the studio shows before the first one, always with the badge; never sent, counted or exported. */
export const sampleCampaigns: Listed[] = [
  campaign('s1', 'Spring menu', 'New on the menu: three spring dishes', 'sent', 2, 1240, 521, 143),
  campaign('s2', 'Welcome series, part 1', 'Good to have you here', 'sent', 9, 860, 498, 201),
  campaign('s3', 'Summer opening hours', 'We open earlier from June', 'draft', 1, 0, 0, 0),
]
