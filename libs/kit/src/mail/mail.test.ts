import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { describe, expect, test } from 'vitest'
import { renderLetter } from './frame.ts'
import { createSmtpTransport, mailSettings } from './mailer.ts'

describe('SMTP_URL is read by the rules of nodemailer', () => {
  test.each([
    ['smtps://mail.example', { port: 465, secure: true }],
    ['smtp://mail.example', { port: 587, secure: false }],
    ['smtps://mail.example:2465', { port: 2465, secure: true }],
    ['smtp://mail.example:25?requireTLS=true', { port: 25, secure: false, requireTls: true }],
  ])('%s', async (url, expected) => {
    const { options } = await transportOf(url)
    const connection = new SMTPConnection(options)
    expect({ port: connection.port, secure: connection.secureConnection, ...(options.requireTLS && { requireTls: true }) }).toEqual(
      expected,
    )
  })

  test('a password with signs of its own arrives as it is', async () => {
    expect((await createSmtpTransport('smtp://apikey:p%40ss%2Fword@mail.example')).options).toMatchObject({
      auth: { user: 'apikey', pass: 'p@ss/word' },
    })
  })

  test.each(['mail.example', 'https://mail.example', 'smtp://', 'smtps:mail.example'])('%s is refused at the start', (url) => {
    expect(mailSettings.SMTP_URL.safeParse(url).success).toBe(false)
  })
})

const sender = { product: 'Operon & Sons', home: 'https://operon.example' }

test('both parts of an email say the same, and nothing a person chose becomes markup', () => {
  const { html, text, subject } = renderLetter(
    {
      subject: 'New sign-in\r\nBcc: everyone@example.com',
      title: 'New sign-in',
      text: 'Someone signed in.',
      facts: [['Device', `<a href="https://evil.example">Click</a>\n\u202Egnp.exe${'x'.repeat(500)}`]],
      action: { label: 'Review', url: 'https://operon.example/dashboard?a=1&b="2"' },
      code: '123456',
      after: 'Ignore it if it was you.',
      stop: 'https://operon.example/stop',
    },
    sender,
  )
  expect(subject).toBe('New sign-in Bcc: everyone@example.com')
  expect(html).not.toContain('<a href="https://evil.example">')
  expect(html).toContain('&lt;a href=&quot;https://evil.example&quot;&gt;')
  expect(html).toContain('Operon &amp; Sons')
  expect(html).toContain('b=&quot;2&quot;')
  for (const part of [html, text]) expect(part).not.toMatch(/\u202E|x{200}/)
  for (const words of ['New sign-in', 'Someone signed in.', 'Device', 'Review', '123456', 'Ignore it if it was you.', 'Unsubscribe']) {
    expect(html).toContain(words)
    expect(text).toContain(words)
  }
})

test('an email has colors for light and for dark, and every color of the dark theme has its place in the markup', () => {
  const { html } = renderLetter({ subject: 'S', title: 'T', text: 'x', code: '1', facts: [['a', 'b']] }, sender)
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  const dark = /@media\(prefers-color-scheme:dark\)\{(.*?\})\}/.exec(html)![1]!
  const classes = [...dark.matchAll(/\.([a-z]+)\{/g)].map(([, name]) => name!)
  expect(classes).toEqual(['page', 'panel', 'line', 'ink', 'muted', 'arrow', 'bar'])
  for (const name of classes) expect(html).toMatch(new RegExp(`class="[^"]*\\b${name}\\b`))
  expect(html).not.toMatch(/<img|<script|<svg/)
})

async function transportOf(url: string) {
  const { transporter } = (await createSmtpTransport(url)) as unknown as { transporter: { options: SMTPConnection.Options } }
  return transporter
}
