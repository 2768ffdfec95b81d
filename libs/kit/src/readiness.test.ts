import { expect, test, vi } from 'vitest'
import { watched } from './readiness.ts'

test('a part that hangs holds no probe up: what it said last stands for two seconds, then it is away', async () => {
  vi.useFakeTimers()
  try {
    let answer: () => Promise<boolean> = async () => true
    let asked = 0
    const isThere = watched(() => {
      asked += 1
      return answer()
    })
    expect(await isThere()).toBe(true)
    answer = () => new Promise(() => {})
    const probe = async () => {
      const answered = isThere()
      await vi.advanceTimersByTimeAsync(160)
      return answered
    }
    expect(await probe()).toBe(true)
    expect(await probe()).toBe(true)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await probe()).toBe(false)
    // One question is open, however many asked.
    expect(asked).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

test('a part that fails is away at once, and one that has never answered is not believed', async () => {
  expect(await watched(() => Promise.reject(new Error('gone')))()).toBe(false)
  expect(await watched(() => new Promise(() => {}))()).toBe(false)
})
