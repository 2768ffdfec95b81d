import { expect, test } from 'vitest'
import { inboundOf } from '../threads/relay.ts'
import { messageOf } from './letters.ts'

const vault = { derive: () => Buffer.alloc(32, 7) } as never
const letter = (config: object) => {
  const inbound = inboundOf({ vault, config: config as never })
  const told = { from: 'Ann', subject: 'Guide', text: 'Yes.', link: 'https://shop.example', label: 'Answer in the app' }
  return { domain: inbound?.domain, after: messageOf({ ...told, answerable: inbound !== null }).after }
}

test('a letter says that it can be answered where mail comes in, and only then [spec-100]', () => {
  const byMail = 'Reply to this email, or answer in the app.'
  const smtp = { SMTP_URL: 'smtp://mail.example' }
  expect(letter({ ...smtp, MAIL_INBOUND_DOMAIN: 'reply.shop.example', MAIL_INBOUND_KEY: 'k'.repeat(32) })).toEqual({
    domain: 'reply.shop.example',
    after: byMail,
  })
  expect(letter(smtp)).toEqual({ domain: undefined, after: 'Answer in the app.' })
  expect(letter({})).toEqual({ domain: 'reply.operon.example', after: byMail })
})
