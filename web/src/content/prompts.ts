import type { ContentType } from '@operon/contracts/ai-gateway/content'

/** The first prompts of a library. Text in brackets is for the person to fill in. */
export const readyPrompts = [
  {
    title: 'Answer a complaint',
    body: 'Write a calm reply to this complaint. Say sorry once, name what I will do and by when, and offer two choices. The complaint: [paste it here]',
  },
  {
    title: 'Follow up on a quote',
    body: 'Write a short follow-up for a quote I sent [5] days ago to [name] for [what it was about]. One question at the end that can be answered with yes or no.',
  },
  {
    title: 'Explain a price rise',
    body: 'Write a letter to regular customers: prices rise by [10] % on [date] because [reason]. Warm, honest, under 120 words, no apology.',
  },
  {
    title: 'Plan my week',
    body: 'Make a week plan as a table. Fixed appointments: [list]. What must be done: [list]. Keep one afternoon free, and no working day over [8] hours.',
  },
  {
    title: 'Sum up a long text',
    body: 'Sum up the text below in five points that a busy owner can act on, then name the one decision it asks for. The text: [paste it here]',
  },
  {
    title: 'A job advert',
    body: 'Write a job advert for a [role] at my [kind of business] in [town]: [hours] a week, [pay]. Plain words, what a normal day looks like, how to apply in one minute.',
  },
] as const

/** Topics to begin with, for each type of the Content Creator. */
export const contentTemplates: Record<ContentType, readonly string[]> = {
  blog: ['How to choose an accountant for a small shop', 'Five signs your website loses you customers'],
  social: ['Opening of our second location', 'Behind the scenes of our workshop'],
  email: ['Win back customers who have not ordered for 90 days', 'Welcome a new client'],
  video: ['A 60-second tour of our studio', 'How our service works, in three steps'],
  ad: ['Free first consultation in March', 'Same-day repair in the city'],
  product: ['Handmade oak cutting board', 'Online course: bookkeeping in a weekend'],
}

/** Figures of nobody in particular, with their badge, until an account has pieces of its own. */
export const contentSamples = [
  { label: 'Pieces written', value: '47' },
  { label: 'Words written', value: '152k' },
  { label: 'Completed', value: '89%' },
  { label: 'This month', value: '18' },
]

export const namingTips = [
  ['Say it on the phone', 'If you must spell it twice, people will not find it.'],
  ['Two or three syllables', 'Short names survive as a domain, a handle and a sign.'],
  ['Leave room to grow', 'A town or one product in the name is hard to leave behind.'],
  ['Look before you love it', 'Check the domain here, then the trade mark register of your country.'],
  ['Read it without spaces', 'Domains have none. Watch for awkward letter pairs when words join.'],
] as const
