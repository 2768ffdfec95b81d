import { expect, test, vi } from 'vitest'
import { Revoked } from './revoked.ts'

test('what was taken back is forgotten once no token can live any more, and never more than a bounded number is kept', () => {
  const revoked = new Revoked(60_000)
  // A spy would keep each of a million looks at the clock.
  let clock = 1_000
  vi.stubGlobal('performance', { now: () => clock })
  try {
    for (let n = 0; n < 500; n++) revoked.add(`first-${n}`)
    revoked.addSessions({ user_id: 'ann', up_to: 'b', kept: null })
    expect(revoked.size).toBe(501)
    clock = 31_000
    // Heard again: remembered from the first time on, unless it is taken back anew.
    revoked.addUnlessKnown('first-0')
    revoked.add('first-1')
    clock = 61_000
    expect([revoked.has('first-0'), revoked.has('first-1'), revoked.hasSession('ann', 'a')]).toEqual([false, true, false])
    revoked.add('second')
    revoked.addSessions({ user_id: 'bob', up_to: 'b', kept: null })
    expect(revoked.size).toBe(3)
    // Far beyond what is kept, each costs as much as the first: otherwise this takes minutes.
    for (let n = 0; n < 500_000; n++) revoked.add(`third-${n}`)
    // One account again and again is one.
    for (let n = 0; n < 100_000; n++) revoked.addSessions({ user_id: 'bob', up_to: `c-${n}`, kept: null })
    expect(revoked.size).toBeLessThanOrEqual(100_001)
    expect([revoked.has('third-499999'), revoked.has('third-400000'), revoked.has('third-399999')]).toEqual([true, true, false])
    expect(revoked.mustRenew(Math.floor(Date.now() / 1000))).toBe(true)
  } finally {
    vi.unstubAllGlobals()
  }
})
