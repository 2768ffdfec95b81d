import type { Activity } from '../ui/Data.tsx'

// Shown while an account has nothing of its own, always with the badge; never sent, counted or exported.

export const sampleStats = [
  { label: 'Total Leads', value: '148', change: 12 },
  { label: 'Appointments', value: '23', change: 4 },
  { label: 'Email Campaigns', value: '6', change: 0 },
  { label: 'Emails Sent', value: '2,610', change: 31 },
]

export const sampleActivity: Activity[] = [
  { id: 's1', text: 'Draft three ad variations for the spring offer', status: 'completed', at: '2 min' },
  { id: 's2', text: 'Compare four models on the pricing page copy', status: 'completed', at: '26 min' },
  { id: 's3', text: 'Write the welcome email for new leads', status: 'completed', at: '1 h' },
  { id: 's4', text: 'Find eight names for the coaching program', status: 'completed', at: '3 h' },
  { id: 's5', text: 'Summarize this week of sales', status: 'pending', at: '5 h' },
]

/** The specified figures of a marketplace that has nothing yet. */
export const sampleMarketplace = {
  sales: 1247,
  revenue: [{ currency: 'usd', amount_cents: 1_568_345 }],
  active_products: 8,
  unread_messages: 12,
}

export const sampleItems = [
  {
    title: 'Lead qualification',
    description: 'Asks the five questions, scores the answers and offers a meeting.',
    category: 'Marketing',
    priceCents: 4900,
  },
  {
    title: 'Invoice reminders that stay polite',
    description: 'Three emails in two weeks, then a list of people to call.',
    category: 'Finance',
    priceCents: 1900,
  },
]
