import { EmailDocument } from '@operon/contracts/crm/email/document'
import { expect, test } from 'vitest'
import { renderEmail, renderSubject } from './render.ts'

const links = {
  unsubscribe: 'https://operon.example/u/1',
  preferences: 'https://operon.example/p/1',
  track: (url: string) => `https://operon.example/c/${encodeURIComponent(url)}`,
  pixel: 'https://operon.example/o/1',
}
const ines = { name: 'Ines Ortega', email: 'ines@harbour.example', fields: {} }
const documentWith = (...blocks: object[]) => EmailDocument.parse({ blocks: blocks.map((block, at) => ({ id: `b${at}`, ...block })) })

test('merge fields are filled for each person, with their fallbacks, and escaped where they stand', () => {
  const document = documentWith(
    { kind: 'heading', text: 'For {{ first_name }}' },
    { kind: 'text', text: 'Hi {{ first_name | default: "there" }}, [your page](https://shop.example/?for={{ email }}) at {{company}}' },
  )
  const one = renderEmail(document, { ...ines, fields: { company: '<b>Harbour</b> & Co' } }, { ...links, track: (url) => url })
  expect(one.html).toContain('Hi Ines,')
  expect(one.html).toContain('https://shop.example/?for=ines%40harbour.example')
  expect(one.html).toContain('&lt;b&gt;Harbour&lt;/b&gt; &amp; Co')
  expect(one.text).toContain('Hi Ines, your page (https://shop.example/?for=ines%40harbour.example) at <b>Harbour</b> & Co')
  const other = renderEmail(document, { name: ' ', email: 'x@example.com', fields: {} }, links)
  expect(other.html).toContain('Hi there,')
  expect(other.html).not.toContain('Ines')
  expect(renderSubject('{{ first_name | default: "You" }}:\r\nBcc: all', { ...ines, name: '' })).toBe('You: Bcc: all')
})

test('nothing that a person typed becomes markup, and links lead to https or mailto alone', () => {
  const { html } = renderEmail(
    documentWith(
      { kind: 'heading', text: '<script>alert(1)</script>' },
      { kind: 'text', text: '[go](javascript:alert) [plain](http://shop.example) **<img src=x onerror=1>** \uE000L0\uE001' },
      { kind: 'button', label: '"><b>', url: 'data:text/html,1' },
      { kind: 'image', url: 'https://shop.example/a.png" onload="x', alt: '" onerror="x' },
      { kind: 'product', title: '<i>Mug</i>', url: 'https://{{ company }}/x' },
      { kind: 'social', links: [{ network: 'x', url: 'vbscript:1' }] },
      { kind: 'footer', name: '<u>', address: "'" },
    ),
    { ...ines, fields: { company: 'evil.example' } },
    links,
  )
  expect(html).not.toMatch(/<script|<img src=x|<i>Mug|<u>|javascript:|data:|vbscript:|http:\/\/|evil\.example|onload="|\uE000/)
  expect(html.match(/<a /g)).toHaveLength(2)
})

test('links are counted by address, the pixel is there where opens are, and everybody can leave', () => {
  const document = documentWith(
    { kind: 'button', label: 'Shop', url: 'https://shop.example/a?b=1&c=2' },
    { kind: 'columns', columns: [[{ kind: 'image', id: 'i', url: 'https://shop.example/p.png', alt: 'A mug' }], []] },
    { kind: 'text', text: '- one\n- two\n\n[Write](mailto:me@shop.example)' },
  )
  const { html, text } = renderEmail(document, ines, links)
  expect(html).toContain('href="https://operon.example/c/https%3A%2F%2Fshop.example%2Fa%3Fb%3D1%26c%3D2"')
  expect(html).toContain('href="mailto:me@shop.example"')
  expect(html).toContain('<img src="https://operon.example/o/1"')
  for (const part of [html, text]) expect(part).toMatch(/Unsubscribe[\s\S]*Email preferences/)
  expect(html).toContain('href="https://operon.example/u/1"')
  expect(text).toContain('- one\n- two')
  const quiet = renderEmail(document, ines, { unsubscribe: links.unsubscribe, preferences: links.preferences })
  expect(quiet.html).not.toContain('width="1"')
  expect(quiet.html).toContain('href="https://shop.example/a?b=1&amp;c=2"')
})

test('one layout serves many people', () => {
  const document = documentWith(
    ...Array.from({ length: 40 }, () => ({ kind: 'text', text: 'Hi {{ name }}, **words** and more. '.repeat(8) })),
  )
  const from = performance.now()
  for (let n = 0; n < 500; n++) renderEmail(document, { name: `P ${n}`, email: 'p@example.com', fields: {} }, links)
  expect((performance.now() - from) / 500).toBeLessThan(5)
})

test('merge fields are bounded, since each is filled for each person', () => {
  const fields = (count: number) =>
    EmailDocument.safeParse({ blocks: [{ kind: 'text', id: 'b1', text: '{{name}}'.repeat(count) }] }).success
  expect([fields(400), fields(401)]).toEqual([true, false])
})
