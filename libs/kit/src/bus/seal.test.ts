import { randomBytes } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createLogger } from '../telemetry.ts'
import { createSeal } from './seal.ts'

const log = createLogger('silent')
const text = new TextEncoder()

test('a message that was kept for longer than clocks may differ, or that came before, counts no more where it must be new', () => {
  const seal = createSeal({ key: randomBytes(32), log })
  const sentAt = (agoMs: number) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - agoMs)
    const headers = seal.sign('cast.shop.closed', 'body')
    clock.mockRestore()
    return { subject: 'cast.shop.closed', data: text.encode('body'), headers }
  }
  for (const hours of [1, -1]) {
    const kept = sentAt(hours * 3_600_000)
    expect(seal.accepts(kept, { once: true })).toBe(false)
    // An event may wait for its consumer as long as it must; the inbox knows it by its id.
    expect(seal.accepts(kept)).toBe(true)
  }
  const fresh = sentAt(1000)
  expect([seal.accepts(fresh, { once: true }), seal.accepts(fresh, { once: true })]).toEqual([true, false])
})

test('another fleet, another subject and another body are told from ours', () => {
  const seal = createSeal({ key: randomBytes(32), log })
  const message = { subject: 'evt.a', data: text.encode('body'), headers: seal.sign('evt.a', 'body') }
  expect(seal.accepts(message)).toBe(true)
  expect(seal.accepts({ ...message, subject: 'evt.b' })).toBe(false)
  expect(seal.accepts({ ...message, data: text.encode('other') })).toBe(false)
  expect(seal.accepts({ ...message, headers: undefined })).toBe(false)
  expect(createSeal({ key: randomBytes(32), log }).accepts(message)).toBe(false)
})
