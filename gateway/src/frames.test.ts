import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asset } from './assets.ts'
import { serverPages } from './frames.ts'

const made = (text: string) => asset(Buffer.from(text), 'text/html', 'no-cache', {})
const drawing = (body: (address: string) => string) => ({
  frame: '<!--app--></body>',
  draw: async (address: string) => ({ status: 200, head: '', body: body(address), after: '' }),
})
const away = made('away')
const never = (error: unknown) => expect.unreachable(String(error))

test('kept pages take up at most so many bytes: the oldest go first', async () => {
  const asked: string[] = []
  const page = serverPages(
    drawing(() => 'x'.repeat(9_000_000)),
    { pageAt: async (path) => void asked.push(path), filled: made, failed: never },
  )
  for (const path of ['/1', '/2', '/3', '/4', '/4', '/2', '/1']) await page(path, '', away)
  expect(asked).toEqual(['/1', '/2', '/3', '/4', '/1'])
})

test('beyond so many questions at a time the app is sent, and an answer makes room', async () => {
  const waiting: (() => void)[] = []
  const page = serverPages(
    drawing((address) => address),
    { pageAt: () => new Promise<void>((done) => void waiting.push(done)), filled: made, failed: never },
  )
  const first = Array.from({ length: 32 }, (_, at) => page(`/${at}`, '', away))
  await setImmediate()
  expect(page('/one-more', '', away)).toBeNull()
  // A second request for a page that is being fetched waits for the same answer.
  expect(page('/0', '', away)).not.toBeNull()
  for (const done of waiting) done()
  await Promise.all(first)
  expect(page('/one-more', '', away)).not.toBeNull()
})
