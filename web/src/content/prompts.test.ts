import { expect, test } from 'vitest'
import { contentOrder, contentTypes, fallbackNames, namesIn } from './prompts.ts'

test('at most eight names, without list numbers, bullets, quotes and remarks [spec-95]', () => {
  const answer = [
    '1. Crumb & Crust',
    '2) "Risewell"',
    '- Flour Street – warm',
    '**The Warm Loaf**: local',
    'Here are some more:',
    '5: Oatcake',
  ]
  expect(namesIn(answer.join('\n'))).toEqual(['Crumb & Crust', 'Risewell', 'Flour Street', 'The Warm Loaf', 'Oatcake'])
  expect(namesIn(Array.from({ length: 12 }, (_, index) => `${index + 1}. Name${index}`).join('\n'))).toHaveLength(8)
  expect(namesIn('I cannot help with that.')).toEqual([])
})

test('eight names stand in when none came [spec-96]', () => {
  expect(new Set(fallbackNames).size).toBe(8)
})

test('six types of content, each with templates; a blog asks for 1000-1500 words, social for 5 posts [spec-86]', () => {
  expect(contentTypes.map(({ id }) => id)).toEqual(['blog', 'social', 'email', 'video', 'ad', 'product'])
  for (const { templates } of contentTypes) expect(templates.length).toBeGreaterThan(0)
  expect(contentOrder('blog')).toContain('about 1000-1500 words')
  expect(contentOrder('social')).toContain('5 social media posts')
})
