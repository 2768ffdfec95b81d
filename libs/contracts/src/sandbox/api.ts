import { z } from 'zod'
import { endpoint } from '../contract.ts'

// Pages and controls of the stand-ins. They are made by the sandbox itself, which runs without the kit as well; here is only where they are.
const anything = { access: 'public', reply: z.unknown(), raw: true, contentType: 'text/html' } as const

export const sandboxHome = endpoint({ ...anything, method: 'GET', path: '/sandbox', rate: 'read', summary: 'What is sandboxed' })
export const sandboxPages = endpoint({
  ...anything,
  method: 'GET',
  path: '/sandbox/*',
  rate: 'read',
  summary: 'Inbox, checkout, portal, consent',
})
export const sandboxForms = endpoint({
  ...anything,
  method: 'POST',
  path: '/sandbox/*',
  rate: 'write',
  bytes: true,
  summary: 'The forms and controls of the sandbox',
})
export const sandboxDeletes = endpoint({
  ...anything,
  method: 'DELETE',
  path: '/sandbox/*',
  rate: 'write',
  bytes: true,
  summary: 'Clears faults and messages',
})

export const sandboxProviders = ['stripe', 'openai', 'smtp', 'sms', 'oauth', 'rdap', 'apps'] as const
