import type { Session } from '@supabase/auth-js'
import { expect, test } from 'vitest'
import { recoveryOf } from './session.ts'

const sessionOf = (...amr: [method: string, minutesAgo: number][]) => {
  const claims = { sub: 'ann', amr: amr.map(([method, ago]) => ({ method, timestamp: Math.floor(Date.now() / 1000) - ago * 60 })) }
  return { access_token: `head.${btoa(JSON.stringify(claims))}.mark` } as Session
}

test('a reset link opens the reset page for an hour', () => {
  expect(recoveryOf(sessionOf(['password', 1]))).toBe('none')
  expect(recoveryOf(sessionOf(['recovery', 59]))).toBe('open')
  expect(recoveryOf(sessionOf(['totp', 1], ['recovery', 61]))).toBe('over')
})
