export const analystWelcome =
  'I am your business analyst. Ask about numbers, plans or what to do next. I can act for you, and I ask before I spend, send or delete anything.'

export const analystCategories = [
  { id: 'analysis', title: 'Analysis', text: 'Find out what the numbers mean and what to do next.' },
  { id: 'creation', title: 'Creation', text: 'Drafts, texts and names.' },
  { id: 'automation', title: 'Automation', text: 'Steps to automate, and their risks.' },
  { id: 'action', title: 'Action', text: 'Done for you, with an undo or your approval.' },
] as const
export type TaskType = (typeof analystCategories)[number]['id'] | 'general'

export const quickPrompts: { title: string; prompt: string; task: TaskType }[] = [
  {
    title: 'Analyse my sales funnel',
    prompt: 'Analyse where a small service business usually loses leads and what I should measure first.',
    task: 'analysis',
  },
  {
    title: 'Find my weakest margin',
    prompt: 'Analyse how I find the product with the weakest margin and what to do about it.',
    task: 'analysis',
  },
  { title: 'Write a blog post for my shop', prompt: 'Write a blog post about choosing a gift from a small local shop.', task: 'creation' },
  { title: 'Names for a new service', prompt: 'Suggest business names for a mobile bike repair service.', task: 'creation' },
  { title: 'Automate my follow-ups', prompt: 'How could following up on unpaid quotes run by itself?', task: 'automation' },
  {
    title: 'Automate booking reminders',
    prompt: 'How could appointment reminders go out by themselves without annoying people?',
    task: 'automation',
  },
  { title: 'Research my competitors', prompt: 'Search the web for how local bakeries price subscription boxes.', task: 'action' },
  { title: 'Take me to the AI Lab', prompt: 'Open the AI lab page.', task: 'action' },
]

/** Tells the kind of request from its first words; plain talk is general. */
export function taskOf(text: string): TaskType {
  const said = text.toLowerCase()
  if (/\b(analy[sz]e|analysis|why|compare|trend|forecast|margin|kpi)\b/.test(said)) return 'analysis'
  if (/\b(automate|automatic|automation|by itself|workflow|every (day|week|month))\b/.test(said)) return 'automation'
  if (/\b(write|create|draft|generate|suggest|names?)\b/.test(said)) return 'creation'
  if (/\b(open|go to|take me|search|find|research|send|book|schedule)\b/.test(said)) return 'action'
  return 'general'
}
