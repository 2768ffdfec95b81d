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

test('the analyst answers a question as one, and says of a deed that it has no tool for what it can do instead', () => {
  const system =
    'You are the business analyst. The person wants something done. Propose it with the tools you have; never say that it has been done.'
  for (const question of [
    'How do I find out which of my customers come back?',
    'Should I open my shop on Sundays and put that in our content?',
    'where do people search for a bakery',
  ]) {
    const text = say(question, { system })
    expect([question, text]).not.toEqual([question, expect.stringContaining('cannot propose')])
    expect(text).toContain('as a question')
    expect(text.length).toBeGreaterThan(80)
  }
  for (const deed of ['Book a table for two on Friday', 'Can you send a parcel to Berlin?'])
    expect([deed, say(deed, { system })]).toEqual([deed, expect.stringContaining('cannot propose')])
})

test('a question opens no page, and ids that nobody said are left out of a call', () => {
  const called = (content: string, name: string, parameters: object) =>
    answer(
      { model: 'gpt-4o-mini', messages: [{ role: 'user', content }], tools: [{ type: 'function', function: { name, parameters } }] },
      'openai',
      'seed',
    ).tools.map((tool) => JSON.parse(tool.function.arguments))
  const page = { type: 'object', properties: { page: { enum: ['ai-lab', 'dashboard'] } }, required: ['page'] }
  expect(called('Should I open my shop on Sundays and put that in our content?', 'navigate', page)).toEqual([])
  expect(called('Please open the AI lab', 'navigate', page)).toHaveLength(1)
  const ids = { type: 'object', properties: { ids: { type: 'array', items: { type: 'string', format: 'uuid' } } } }
  expect(called('Mark all notifications as read', 'notifications-read', ids)).toEqual([{}])
})

test('a question about own figures looks them up, and one about the world does not', () => {
  const tools = ['count-contacts', 'ai-usage', 'list-payments'].map((name) => ({ type: 'function' as const, function: { name } }))
  const called = (content: string) =>
    answer({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }], tools }, 'openai', 'seed').tools.map((tool) => tool.function.name)
  expect(called('How many contacts do I have?')).toEqual(['count-contacts'])
  expect(called('How many AI prompts did I use this month?')).toEqual(['ai-usage'])
  expect(called('Which payments did I get?')).toEqual(['list-payments'])
  expect(called('How many planets are there?')).toEqual([])
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

const instructions = {
  analysis: 'Analyse what is asked: state what you looked at, what follows from it and what you would do next.',
  action: 'The person wants something done. Propose it with the tools you have; never say that it has been done.',
  creation: 'The person wants something made. Make it, or propose making it with a tool when it is long.',
  automation: 'The person wants a step to happen by itself. Describe the trigger, the steps and what could go wrong.',
  general: 'Answer plainly and briefly.',
  voice_command: 'The person is speaking. Answer in one or two short sentences that are easy to listen to.',
}

test('the six kinds of task answer one question in six ways, each as it is told to, and to what was asked', () => {
  for (const asked of ['How can I get more repeat customers for my dental practice?', 'Analyse my prices', 'Follow up on unpaid quotes']) {
    const told = Object.entries(instructions).map(([task, system]) => [task, say(asked, { system })] as const)
    expect(new Set(told.map(([, text]) => text)).size, asked).toBe(6)
    const { analysis, action, automation, creation } = Object.fromEntries(told)
    for (const text of [analysis, action, automation, creation]) expect(text).toContain(asked)
    expect(analysis).toMatch(/What I looked at[\s\S]+What follows[\s\S]+What I would do next/)
    expect(automation).toMatch(/Trigger[\s\S]+Steps[\s\S]+What could go wrong/)
    expect(action).toContain('nothing has been done')
  }
})

test('figures in the question are the ones that are analysed', () => {
  const text = say('Revenue: 1200, Orders: 31', { system: instructions.analysis })
  expect(text).toContain('- Revenue: 1200\n- Orders: 31')
  expect(text).not.toContain('without figures')
})

test('a fact is not made up, nor given sources; who it is is said', () => {
  const capital = say('What is the capital of France?')
  expect(capital).toMatch(/make that up[\s\S]+"What is the capital of France\?"/)
  const searched = answer({ model: 'sonar', messages: [{ role: 'user', content: 'Who won the cup?' }] }, 'perplexity', 'seed')
  expect([searched.citations, searched.text.includes('Perplexity')]).toEqual([[], true])
  expect(say('Are you real?', { provider: 'anthropic' })).toContain('a stand-in for Claude')
})

test('what is said of the answer before is done to it', () => {
  const long = say('How do I win more customers?')
  const asked = (content: string) =>
    answer(
      {
        model: 'gpt-4o-mini',
        messages: [
          { role: 'user', content: 'How do I win more customers?' },
          { role: 'assistant', content: long },
          { role: 'user', content },
        ],
      },
      'openai',
      'seed',
    ).text
  const short = asked('Make it shorter, please')
  expect(short.length).toBeLessThan(long.length / 2)
  expect(long).toContain(short.split('\n')[0])
  expect(asked('Tell me more')).toContain(long)
})

test('a text is summed up in its own sentences', () => {
  const text = say('Sum up this: We opened in 2019 and sell shoes. Four people work here. Rent rises in May.')
  for (const said of ['We opened in 2019 and sell shoes', 'Four people work here', 'Rent rises in May']) expect(text).toContain(`- ${said}`)
})

test('mails say what they are for', () => {
  expect(say('Write an email to my landlord about the broken heater')).toMatch(/^Subject: .*the broken heater[\s\S]+Since when/)
  expect(say('Draft an email about an unpaid invoice')).toContain('due date')
  expect(say('Write a letter to customers: prices rise by 8 % on 1 May because rent went up')).toMatch(/1 May[\s\S]+8 %[\s\S]+rent went up/)
})

test('ad copy is for a reader unless a program asks for it', () => {
  const system =
    'You write for small businesses. Write ad copy with a headline, a primary text and a call to action. Answer with the piece alone.'
  const text = say('Ad copy about: Free first consultation in March', { system })
  expect(text).toMatch(/^\*\*Variation 1/)
  expect(text).not.toMatch(/\bin\b[.,]? *$/m)
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
