import type { ActivityKind } from './heat.ts'

// The contacts of a visitor's demo: crm fills its tables with it, and analytics counts the same. Nobody here exists.

type DemoContact = {
  name: string
  email: string
  company: string
  status: string
  source: string
  daysAgo: number
  did: readonly { kind: ActivityKind; text: string }[]
}
export const demoContacts: readonly DemoContact[] = [
  {
    name: 'Ines Ortega',
    email: 'ines@harbour-cafe.example',
    status: 'qualified',
    source: 'website',
    daysAgo: 1,
    company: 'Harbour Café',
    did: [
      { kind: 'reply', text: 'Answered the quote' },
      { kind: 'call', text: 'Asked about delivery' },
      { kind: 'form', text: 'Sent the contact form' },
    ],
  },
  {
    name: 'Jonas Weber',
    email: 'jonas@weber-bikes.example',
    status: 'new',
    source: 'website',
    daysAgo: 1,
    company: 'Weber Bikes',
    did: [{ kind: 'form', text: 'Sent the contact form' }],
  },
  {
    name: 'Priya Nair',
    email: 'priya@nair-studio.example',
    status: 'new',
    source: 'referral',
    daysAgo: 2,
    company: 'Nair Studio',
    did: [{ kind: 'form', text: 'Sent the contact form' }],
  },
  {
    name: 'Tom Hadley',
    email: 'tom@hadley-roofing.example',
    status: 'contacted',
    source: 'ads',
    daysAgo: 4,
    company: 'Hadley Roofing',
    did: [{ kind: 'call', text: 'First call' }],
  },
  {
    name: 'Marta Kowalska',
    email: 'marta@kowalska-yoga.example',
    status: 'qualified',
    source: 'referral',
    daysAgo: 6,
    company: 'Kowalska Yoga',
    did: [
      { kind: 'reply', text: 'Answered the quote' },
      { kind: 'call', text: 'Asked about delivery' },
      { kind: 'form', text: 'Sent the contact form' },
    ],
  },
  {
    name: 'Samuel Osei',
    email: 'samuel@osei-print.example',
    status: 'contacted',
    source: 'website',
    daysAgo: 9,
    company: 'Osei Print',
    did: [{ kind: 'call', text: 'First call' }],
  },
  {
    name: 'Lena Brandt',
    email: 'lena@brandt-garden.example',
    status: 'won',
    source: 'ads',
    daysAgo: 13,
    company: 'Brandt Garden',
    did: [{ kind: 'sale', text: 'Bought Launch checklist' }],
  },
  {
    name: 'Diego Reyes',
    email: 'diego@reyes-bakery.example',
    status: 'won',
    source: 'website',
    daysAgo: 18,
    company: 'Reyes Bakery',
    did: [{ kind: 'sale', text: 'Bought Launch checklist' }],
  },
  { name: 'Hana Sato', email: 'hana@sato-tea.example', status: 'lost', source: 'referral', daysAgo: 24, company: 'Sato Tea', did: [] },
  {
    name: 'Oliver Grant',
    email: 'oliver@grant-fitness.example',
    status: 'won',
    source: 'website',
    daysAgo: 37,
    company: 'Grant Fitness',
    did: [{ kind: 'sale', text: 'Bought Launch checklist' }],
  },
  {
    name: 'Camille Petit',
    email: 'camille@petit-flowers.example',
    status: 'lost',
    source: 'ads',
    daysAgo: 41,
    company: 'Petit Flowers',
    did: [],
  },
  {
    name: 'Yusuf Demir',
    email: 'yusuf@demir-interiors.example',
    status: 'won',
    source: 'referral',
    daysAgo: 52,
    company: 'Demir Interiors',
    did: [{ kind: 'sale', text: 'Bought Launch checklist' }],
  },
]

export const demoAppointments = [
  { title: 'First call with Ines Ortega', inDays: 1, daysAgo: 1 },
  { title: 'Quote review with Marta Kowalska', inDays: 3, daysAgo: 5 },
  { title: 'Workshop for Brandt Garden', inDays: -4, daysAgo: 12 },
  { title: 'Kick-off with Diego Reyes', inDays: -12, daysAgo: 33 },
] as const

export const demoCampaigns = [
  { name: 'Spring offer', sent: 1240, daysAgo: 8 },
  { name: 'Welcome to new contacts', sent: 860, daysAgo: 20 },
  { name: 'Open quotes', sent: 510, daysAgo: 44 },
] as const
