import { contentTypes } from '@operon/contracts/ai-gateway/content'
import { expect, test } from 'vitest'
import { contentTemplates } from './prompts.ts'

test('six types of content, each with templates [spec-86]', () => {
  expect(Object.keys(contentTypes)).toEqual(['blog', 'social', 'email', 'video', 'ad', 'product'])
  for (const templates of Object.values(contentTemplates)) expect(templates.length).toBeGreaterThan(0)
})
