export const featureGroups = {
  reach: 'Be found and answer',
  make: 'Make the work',
  run: 'Run the day',
  decide: 'Decide',
} as const

/** `coming` is said on the page: a tool that is not in this version is not sold as if it were. `icon`: its place in features.svg. */
export type Feature = { group: keyof typeof featureGroups; title: string; text: string; icon: number; coming?: true }

export const features: Feature[] = [
  {
    group: 'run',
    title: 'White-labeled workflow builder',
    text: 'Draw each step, under your own brand.',
    icon: 0,
    coming: true,
  },
  {
    group: 'reach',
    title: 'Voice and chat agents',
    text: 'Agents that answer, qualify and book while you work.',
    icon: 1,
    coming: true,
  },
  {
    group: 'run',
    title: 'Thousands of templates',
    text: 'A library to start from, growing with every seller.',
    icon: 2,
    coming: true,
  },
  { group: 'decide', title: 'Private community', text: 'Ask people who run a business like yours.', icon: 3, coming: true },
  { group: 'reach', title: 'CRM integrations', text: 'Every lead, its history and the next step.', icon: 4 },
  { group: 'reach', title: 'Calendar integrations', text: 'Meetings booked without the back-and-forth.', icon: 5 },
  { group: 'run', title: 'Payments', text: 'Sales, payouts and invoices, to the cent.', icon: 6 },
  { group: 'make', title: 'Business and domain finder', text: 'A name that fits, and the address that goes with it.', icon: 7 },
  { group: 'make', title: 'AI image generation', text: 'Headshots, logos and product shots from a sentence.', icon: 8 },
  { group: 'decide', title: 'AI assistant comparison', text: 'Four models answer side by side; you keep the best.', icon: 9 },
  { group: 'make', title: 'Content creator', text: 'Articles, posts, scripts and emails in your voice.', icon: 10 },
  { group: 'reach', title: 'Social ads manager', text: 'Ad variations that fit every character limit.', icon: 11 },
  { group: 'run', title: 'Notes workspace', text: 'Your Notion pages where the work is.', icon: 12 },
  { group: 'make', title: 'Email studio', text: 'Write, send and see the results.', icon: 13 },
  { group: 'decide', title: 'Analytics dashboard', text: 'See what changed since the period before.', icon: 14 },
  { group: 'decide', title: 'Personal AI assistant', text: 'Ask in plain words. It asks before it spends or sends.', icon: 15 },
]
