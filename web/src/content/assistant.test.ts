import { describe, expect, test } from 'vitest'
import { destinationOf, greetingFor, triggerOf } from './assistant.ts'
import { articlesFor, quickQuestions } from './help.ts'
import { namesIn } from './prompts.ts'

describe('where a message leads', () => {
  test('needs one of the three phrases; the first keyword of the list decides [spec-64]', () => {
    expect(destinationOf('what is my dashboard?')).toBeNull()
    expect(destinationOf('Go to analytics on the dashboard')?.path).toBe('/dashboard')
    expect(destinationOf('please OPEN the reports')?.path).toBe('/dashboard/analytics')
    expect(destinationOf('navigate to contacts')?.path).toBe('/dashboard/crm')
    expect(destinationOf('open the ai lab')?.path).toBe('/dashboard/ai-lab')
    expect(destinationOf('openly said, brand matters')).toBeNull()
  })
  test('fourteen pages have a greeting of their own, others the general one [spec-62]', () => {
    const general = greetingFor('/dashboard/settings', 'Operon')
    expect(general).toContain('Operon')
    expect(greetingFor('/dashboard/crm', 'Operon')).not.toBe(general)
    expect(greetingFor('/dashboard/seller', 'Operon')).toBe(greetingFor('/dashboard', 'Operon'))
  })
})

test('keywords set off what they name [spec-65] [spec-66] [spec-67] [spec-68] [spec-69]', () => {
  expect(triggerOf('I need a business name')).toEqual({ kind: 'names' })
  expect(triggerOf('analyze meta ads')).toEqual({ kind: 'absent', says: 'meta' })
  expect(triggerOf('create voice agent for sales')).toEqual({ kind: 'absent', says: 'voice' })
  expect(triggerOf('start an email campaign')).toEqual({ kind: 'absent', says: 'email' })
  expect(triggerOf('generate an image of a cat')).toEqual({ kind: 'absent', says: 'image' })
  expect(triggerOf('find information about RDAP')).toEqual({ kind: 'research' })
  expect(triggerOf('hello')).toBeNull()
})

test('at most eight names, without list numbers [spec-95]', () => {
  const answer = ['Here are some names:', ...Array.from({ length: 10 }, (_, i) => `${i + 1}. **Name ${'ABCDEFGHIJ'[i]}** - because`)].join(
    '\n',
  )
  expect(namesIn(answer)).toEqual(['Name A', 'Name B', 'Name C', 'Name D', 'Name E', 'Name F', 'Name G', 'Name H'])
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
