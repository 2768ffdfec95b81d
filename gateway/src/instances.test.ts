import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Instance, TICK_MS } from './instance.ts'
import { Instances } from './instances.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const limits = { connections: 10, timeoutMs: 1_000 }
function two() {
  const instances = new Instances(['http://127.0.0.1:1', 'http://127.0.0.1:2'], limits)
  instances.close()
  const [one, other] = instances.all
  const chosen = (times: number) => new Set(Array.from({ length: times }, () => instances.choose(null)))
  return { instances, one: one!, other: other!, chosen }
}

test('the least busy instance is chosen, and equals take turns', () => {
  const { one, other, chosen } = two()
  expect(chosen(4)).toEqual(new Set([one, other]))
  one.active = 3
  expect(chosen(4)).toEqual(new Set([other]))
})

test('one that failed is left out, then tried by one request alone, and back when that has succeeded', () => {
  const { one, other, chosen } = two()
  one.failed()
  expect(chosen(10)).toEqual(new Set([other]))
  vi.setSystemTime(Date.now() + 200)
  const tries = Array.from({ length: 10 }, () => chosen(1).values().next().value)
  expect(tries.filter((instance) => instance === one)).toHaveLength(1)
  // A call that began before it failed ends: that is not the answer to the one that tries.
  one.active = 1
  one.done(false)
  expect(chosen(10)).toEqual(new Set([other]))
  one.succeeded()
  one.done(true)
  one.active = 0
  expect(chosen(10)).toEqual(new Set([one, other]))
})

test('each failed try doubles the time until the next, up to eight seconds; failures at once count as one', () => {
  const { one, other, chosen } = two()
  const waits = [200, 400, 800, 1_600, 3_200, 6_400, 8_000, 8_000]
  for (const wait of waits) {
    for (let i = 0; i < 20; i++) one.failed()
    one.done(true)
    one.active = 0
    vi.setSystemTime(Date.now() + wait - 1)
    expect(chosen(5)).toEqual(new Set([other]))
    vi.setSystemTime(Date.now() + 1)
    expect(chosen(5)).toEqual(new Set([one, other]))
  }
})

test('with none left the one that is due first is tried by one request, and by no second one meanwhile', () => {
  const { instances, one, other } = two()
  one.failed()
  vi.setSystemTime(Date.now() + 50)
  other.failed()
  expect(instances.choose(null)).toBe(one)
  expect(instances.choose(null)).toBe(other)
  expect(instances.choose(null)).toBeNull()
  one.done(true)
  expect(instances.choose(new Set([other]))).toBe(one)
})

test('one that takes connections and answers nothing is hung within five seconds, counted by a clock that stops with us', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const instance = new Instance(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, limits)
  instance.active = 1
  // However long this process itself stood still: only ticks count.
  vi.setSystemTime(Date.now() + 3_600_000)
  let ticks = 0
  for (let became = instance.tick(); became !== 'hung' && ticks < 100; became = instance.tick()) ticks += 1
  expect(ticks * TICK_MS).toBeLessThan(5_000)
  expect(ticks * TICK_MS).toBeGreaterThan(1_500)
  instance.heard = true
  expect([instance.tick(), instance.hung]).toEqual(['back', false])
  instance.close()
  server.close()
})

test('one with nothing in hand is asked now and then, and has its time to answer once a call comes', async () => {
  let answers = true
  let asked = 0
  const server = createWebServer((_request, response) => {
    asked += 1
    if (answers) response.end('{"ok":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const instance = new Instance(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, limits)
  const ticks = async (count: number) => {
    const became: unknown[] = []
    for (let n = 0; n < count; n++) {
      became.push(instance.tick())
      await new Promise((done) => setTimeout(done, 20))
    }
    return became
  }
  expect(await ticks(20)).toEqual(Array(20).fill(null))
  expect(asked).toBeLessThanOrEqual(3)
  // Silent for four seconds already, and nobody had asked.
  instance.heard = true
  await ticks(8)
  answers = false
  const before = asked
  instance.active = 1
  const became = await ticks(10)
  expect(asked).toBe(before + 1)
  expect(became.indexOf('hung') * TICK_MS).toBeGreaterThanOrEqual(2_000)
  expect(became.indexOf('hung') * TICK_MS).toBeLessThanOrEqual(3_000)
  instance.close()
  server.closeAllConnections()
  server.close()
})

test('a silent one gets nothing while another is there, and everything when nobody else is', () => {
  const { one, other, chosen } = two()
  one.hung = true
  other.active = 50
  expect(chosen(10)).toEqual(new Set([other]))
  other.hung = true
  expect(chosen(10)).toEqual(new Set([one]))
})

test('a call that found the other one restarting waits for it, and is not given to a silent one', () => {
  const { instances, one, other } = two()
  one.hung = true
  other.failed()
  expect(instances.choose(new Set([other]))).toBeNull()
})
