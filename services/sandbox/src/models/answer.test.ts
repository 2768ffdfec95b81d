import { expect, test } from 'vitest'
import { answer } from './answer.ts'

const say = (text: string, { provider = 'openai', system = '' } = {}) =>
  answer(
    {
      model: 'gpt-4o-mini',
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: text },
      ],
    },
    provider,
    'seed',
  ).text

test('four models give four answers, so that there is something to compare', () => {
  for (const prompt of [
    'Write a two-sentence pitch for a bookkeeping service for freelancers',
    'List three risks of raising prices by 10 % in a salon',
    'Answer this review kindly: “Great food, but we waited 50 minutes.”',
    'Compare paper invoices versus software for a workshop',
  ]) {
    const answers = ['openai', 'anthropic', 'google', 'perplexity'].map((provider) => say(prompt, { provider }))
    expect(new Set(answers).size, prompt).toBe(4)
    expect(say(prompt)).toBe(answers[0])
  }
})

test('a comparison names what is compared', () => {
  expect(say('Compare paper invoices versus software for a workshop')).toContain('| | Paper invoices | Software |')
})

test('help answers with the whole article that fits, not with scraps of several', () => {
  const system = `Answer from the help text below only. ${'It is the documentation of a platform. '.repeat(12)}\n\n## Voice agents\nThey are **not available yet**.\n\n- One\n- Two\n\n## Models\nChatGPT is quick.`
  const text = say('How do I set up voice agents?', { system })
  expect(text).toContain('They are **not available yet**.\n\n- One\n- Two')
  expect(text).not.toContain('ChatGPT')
  expect(say('Where is the moon?', { system })).toContain('could not find that in the help text')
})

test('whoever listens hears one or two sentences, and no table', () => {
  const system = 'The person is speaking. Answer in one or two short sentences that are easy to listen to.'
  for (const asked of ['How do I win back quiet customers?', 'Explain cash flow', 'What should I do next week? Make a plan']) {
    const text = say(asked, { system })
    expect(text).toMatch(/^[^|*#\n]+[.!?]$/)
    expect(say(asked)).not.toBe(text)
  }
})

test('names fit the trade, are as many as asked for, and give reasons when told to', () => {
  const system = 'Suggest exactly five business names, numbered, each with a reason of a few words.'
  const lines = say('Suggest a business name for my flower shop', { system }).split('\n')
  expect(lines).toHaveLength(5)
  for (const line of lines) expect(line).toMatch(/^\d\. \*\*.+\*\*: .+/)
  expect(say('Suggest 12 business names for a bike repair').split('\n')).toHaveLength(12)
})

test('ads carry the product and its offer within the limits', () => {
  const ads = JSON.parse(say('Create three ad variations for: Mobile bike repair, 20% off in March', { system: 'JSON with primary_text' }))
  expect(ads.map(({ description, headline }: Record<string, string>) => `${headline} ${description}`).join()).toContain('20% off in March')
  for (const ad of ads) {
    expect(ad.primary_text).toContain('Mobile bike repair')
    expect(ad.primary_text.length).toBeLessThanOrEqual(125)
  }
})

test('research names its subject without the words that asked for it', () => {
  expect(say('research how bakeries price subscription boxes', { provider: 'perplexity' })).toContain(
    'guidance on how bakeries price subscription boxes agrees',
  )
})
