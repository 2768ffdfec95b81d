import { expect, test } from 'vitest'
import { destinationOf, greetingFor, triggerOf } from './assistant.ts'
import { articlesFor, quickQuestions } from './help.ts'

const greeted = [
  'ai-lab',
  'image-studio',
  'content-creator',
  'meta-ads',
  'brand-builder',
  'voice-agents',
  'workflows',
  'calendar',
  'email-studio',
  'crm',
  'payments',
  'analytics',
  'notion',
].map((page) => `/dashboard/${page}`)

test('fourteen pages have a greeting of their own, every other page the general one [spec-62]', () => {
  const own = ['/dashboard', ...greeted].map((path) => greetingFor(path, 'Operon'))
  expect(new Set(own).size).toBe(14)
  const general = greetingFor('/dashboard/how-it-works', 'Operon')
  expect(own).not.toContain(general)
  expect(general).toContain('I am Operon')
  for (const path of ['/dashboard/ai-assistant', '/dashboard/operon-ai', '/pricing']) expect(greetingFor(path, 'Operon')).toBe(general)
  expect(greetingFor('/dashboard/seller', 'Operon')).toBe(own[0])
})

test('go to, navigate to or open with one of seventeen keywords leads to its page; the first in the list decides [spec-64]', () => {
  const leads = {
    dashboard: '/dashboard',
    'ai lab': '/dashboard/ai-lab',
    'image studio': '/dashboard/image-studio',
    content: '/dashboard/content-creator',
    'meta ads': '/dashboard/meta-ads',
    brand: '/dashboard/brand-builder',
    voice: '/dashboard/voice-agents',
    workflows: '/dashboard/workflows',
    automation: '/dashboard/workflows',
    calendar: '/dashboard/calendar',
    email: '/dashboard/email-studio',
    crm: '/dashboard/crm',
    contacts: '/dashboard/crm',
    payments: '/dashboard/payments',
    analytics: '/dashboard/analytics',
    reports: '/dashboard/analytics',
    notion: '/dashboard/notion',
  }
  expect(Object.keys(leads)).toHaveLength(17)
  for (const [keyword, path] of Object.entries(leads))
    for (const verb of ['go to', 'navigate to', 'Open']) expect(destinationOf(`Please ${verb} my ${keyword}`)?.path).toBe(path)
  expect(destinationOf('open the analytics of my content')?.path).toBe('/dashboard/content-creator')
  expect(destinationOf('what is in my calendar?')).toBeNull()
  expect(destinationOf('Go to analytics on the dashboard')?.path).toBe('/dashboard')
  expect(destinationOf('I opened the calendar')).toBeNull()
  expect(destinationOf('openly said, brand matters')).toBeNull()
})

test('the words that set something off, and what [spec-65] [spec-66] [spec-67] [spec-68] [spec-69]', () => {
  expect(triggerOf('A company name for a bakery')).toEqual({ kind: 'names' })
  expect(triggerOf('suggest a business name')).toEqual({ kind: 'names' })
  expect(triggerOf('analyze meta ads for March')).toMatchObject({ says: 'meta' })
  expect(triggerOf('show my meta analytics')).toMatchObject({ says: 'meta' })
  expect(triggerOf('create voice agent')).toMatchObject({ says: 'voice' })
  expect(triggerOf('setup voice agent for my shop')).toMatchObject({ says: 'voice' })
  expect(triggerOf('send email to Anna')).toMatchObject({ says: 'email' })
  expect(triggerOf('start an email campaign')).toMatchObject({ says: 'email' })
  expect(triggerOf('put this into Notion')).toMatchObject({ says: 'notion' })
  expect(triggerOf('generate an image')).toMatchObject({ says: 'image' })
  expect(triggerOf('create a small image of a cat')).toMatchObject({ says: 'image' })
  for (const words of ['search for suppliers', 'research prices', 'find information on VAT'])
    expect(triggerOf(words)).toEqual({ kind: 'research' })
  expect(triggerOf('good morning')).toBeNull()
})

test('every quick question has an article of its own first [spec-75]', () => {
  expect(quickQuestions.map((question) => articlesFor(question)[0]?.id)).toEqual([
    'workflows',
    'models',
    'meta-ads',
    'voice-agents',
    'integrations',
  ])
})
