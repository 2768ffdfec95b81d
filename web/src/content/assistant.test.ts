import { expect, test } from 'vitest'
import { greetingFor } from './assistant.ts'
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

test('every quick question has an article of its own first [spec-75]', () => {
  expect(quickQuestions.map((question) => articlesFor(question)[0]?.id)).toEqual([
    'workflows',
    'models',
    'meta-ads',
    'voice-agents',
    'integrations',
  ])
})
