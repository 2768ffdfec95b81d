import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import type { Cache } from './cache.ts'

/** The promises of every cache. `open` gives another instance on the same store, where there is one. */
export function cacheSuite(title: string, openHarness: () => Promise<{ open(): Promise<Cache>; close(): Promise<void> }>) {
  describe(title, () => {
    let harness: { open(): Promise<Cache>; close(): Promise<void> }
    let one: Cache
    let two: Cache

    beforeAll(async () => {
      harness = await openHarness()
      one = await harness.open()
      two = await harness.open()
    })
    afterAll(async () => {
      await one.close()
      await two.close()
      await harness.close()
    })

    test('a value is there until it expires or is deleted', async () => {
      await one.set('a', 'x', 60_000)
      expect(await two.get('a')).toBe('x')
      await two.delete('a')
      expect(await one.get('a')).toBeNull()
      await one.set('b', 'y', 40)
      await expect.poll(() => one.get('b')).toBeNull()
    })

    test('only the first of many adds', async () => {
      const lock = newId()
      const added = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? one : two).add(lock, String(i), 60_000)))
      expect(added.filter(Boolean).length).toBe(1)
      await one.set(lock, 'gone', 1)
      await expect.poll(() => two.add(lock, 'again', 60_000)).toBe(true)
    })

    test('200 takes at once from a bucket of 50 are granted 50 times [R21]', async () => {
      const rush = newId()
      const takes = await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).take(rush, 50, 3_600_000)))
      expect(takes.filter(({ ok }) => ok).length).toBe(50)
      expect(Math.min(...takes.map(({ remaining }) => remaining))).toBe(0)
      const refused = takes.find(({ ok }) => !ok)!
      expect(refused.retryAfterMs).toBeGreaterThan(60_000)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(72_000)
    })

    test('a bucket refills evenly, and a dear call costs more', async () => {
      const [dear, quick] = [newId(), newId()]
      expect(await one.take(dear, 10, 100_000, 8)).toMatchObject({ ok: true, remaining: 2 })
      const refused = await one.take(dear, 10, 100_000, 8)
      expect(refused.ok).toBe(false)
      expect(refused.retryAfterMs).toBeGreaterThan(40_000)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000)
      expect((await one.take(quick, 10, 1_000, 8)).ok).toBe(true)
      await expect.poll(async () => (await one.take(quick, 10, 1_000, 8)).ok, { interval: 50 }).toBe(true)
    })
  })
}
