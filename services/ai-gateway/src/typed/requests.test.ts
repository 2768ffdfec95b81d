import { expect, test } from 'vitest'
import { clausesTold, requestsIn } from './requests.ts'

const where = (message: string) => requestsIn(message).destination?.path.replace('/dashboard/', '') ?? null

test('go to, navigate to or open with one of seventeen keywords leads to its page; the first in the list decides [spec-64]', () => {
  const leads = {
    dashboard: '/dashboard',
    'ai lab': 'ai-lab',
    'image studio': 'image-studio',
    content: 'content-creator',
    'meta ads': 'meta-ads',
    brand: 'brand-builder',
    voice: 'voice-agents',
    workflows: 'workflows',
    automation: 'workflows',
    calendar: 'calendar',
    email: 'email-studio',
    crm: 'crm',
    contacts: 'crm',
    payments: 'payments',
    analytics: 'analytics',
    reports: 'analytics',
    notion: 'notion',
  }
  expect(Object.keys(leads)).toHaveLength(17)
  for (const [keyword, path] of Object.entries(leads))
    for (const verb of ['go to', 'navigate to', 'Open']) expect(where(`Please ${verb} my ${keyword}`)).toBe(path)
  expect(where('open the analytics of my content')).toBe('content-creator')
  expect(where('Go to analytics on the dashboard')).toBe('/dashboard')
})

// A page, a tool, or null for what is answered as a question; `+` where it is answered as well.
test.each([
  ['please open CRM', 'crm'],
  ['Could you open the image studio?', 'image-studio'],
  ["I'd like to go to analytics", 'analytics'],
  ['Hey, can you take me to the calendar please?', 'calendar'],
  ["Let's go to the dashboard", '/dashboard'],
  ['Thanks! Now open the voice agents page', 'voice-agents'],
  ['open the leads in the CRM', 'crm'],
  ['Open my calendar for Monday', 'calendar'],
  ['Open the email studio, please', 'email-studio'],
  ['navigate to payments.', 'payments'],
  ['I want to open the brand builder', 'brand-builder'],
  ['Open the CRM and tell me how I add a contact', 'crm +'],
  ['Go to the calendar. What should I plan first?', 'calendar +'],
  ['After that, go to reports', 'analytics'],
  ['open notion', 'notion'],
  ['I need a business name', 'names'],
  ['Suggest a business name for my flower shop', 'names'],
  ['A company name for a bakery', 'names'],
  ['Can you think of a catchy company name?', 'names'],
  ['What would be a good business name for a bike repair shop?', 'names'],
  ["I'm looking for a new company name", 'names'],
  ['generate an image', 'image'],
  ['Please create a small image of a cat', 'image'],
  ['I need you to create an image for my menu', 'image'],
  ['create voice agent', 'voice'],
  ['setup voice agent for my shop', 'voice'],
  ['Could you set up a voice agent for bookings?', 'voice'],
  ['send email to Anna', 'email'],
  ['Please send an email to my list', 'email'],
  ['start an email campaign', 'email'],
  ['I want an email campaign for spring', 'email'],
  ['put this into Notion', 'notion'],
  ['Save the plan in Notion, please', 'notion'],
  ['analyze meta ads for March', 'meta'],
  ['show my meta analytics', 'meta'],
  ['How are my meta analytics this week?', 'meta'],
  ['search for suppliers', 'research'],
  ['Please research how bakeries price subscription boxes', 'research'],
  ['Can you find information on VAT?', 'research'],
  ['do some research on packaging', 'research'],
  ['Generate an image of a loaf. What should the caption say?', 'image +'],
  ['Put this into Notion and tell me what is missing', 'notion +'],
])('“%s” is a request: %s [spec-64] [spec-65] [spec-66] [spec-67] [spec-68] [spec-69]', (message, expected) => {
  const { tool, asks } = requestsIn(message)
  expect([where(message) ?? tool, asks ? '+' : ''].join(' ').trim()).toBe(expected)
})

test.each([
  'should I open my shop on Sundays and put that in our content?',
  'a notion to sell bread',
  'How do I import a list and then open the CRM?',
  "You don't need to search the web and open the CRM",
  'How do I open the calendar on my phone?',
  'I opened the calendar yesterday',
  'openly said, brand matters',
  'what is in my calendar?',
  "Don't open the CRM yet",
  'I cannot open the calendar',
  'I want to open a bakery with a strong brand',
  'Which open source analytics tools are there?',
  'open source analytics tools',
  'Improve the open rate of my email',
  'Is Sunny Bakes a good business name?',
  'Put my business name on the invoice',
  'My company name is Brot & Co',
  'How do I create an image that sells?',
  'create a better image for my brand',
  'How often should I send email to customers?',
  'My last email campaign flopped',
  'What does it cost to set up a voice agent?',
  'The notion of profit is simple',
  'What is Notion?',
  'My research shows that prices rise',
  'Is search traffic down in summer?',
  'What are meta analytics?',
])('“%s” only looks like one, and is answered [spec-64] [spec-65]', (message) => {
  expect(requestsIn(message)).toEqual({ destination: null, tool: null, asks: true })
})

test('a text as long as a message may be is no order, and costs no more time than it is worth', () => {
  const before = performance.now()
  const long = `open the crm${' '.repeat(60_000)}now`
  expect(requestsIn(long)).toEqual({ destination: null, tool: null, asks: true })
  expect(clausesTold(long)).toBeNull()
  expect(performance.now() - before).toBeLessThan(3_000)
})
