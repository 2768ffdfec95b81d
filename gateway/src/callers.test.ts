import { expect, test } from 'vitest'
import { Callers } from './callers.ts'
import type { Route } from './routes.ts'
import { token, verifierOfTests } from './testing/start.ts'

const route = { access: 'user', apiKeys: false } as Route

test('a token that was verified is known at once, until its session is taken back', async () => {
  const verifier = verifierOfTests()
  const callers = new Callers(verifier, ['anon'])
  const mine = token()
  const headers = { authorization: `Bearer ${mine.token}` }
  await callers.of(headers, route)
  expect(callers.of(headers, route)).toMatchObject({ kind: 'user', id: mine.userId })
  verifier.revoke(mine.sessionId)
  await expect(callers.of(headers, route)).rejects.toThrow('Not authenticated')
})

test('what was taken back while it was verified is not known', async () => {
  const verifier = verifierOfTests()
  const callers = new Callers(verifier, ['anon'])
  const mine = token()
  const headers = { authorization: `Bearer ${mine.token}` }
  const first = callers.of(headers, route)
  verifier.revoke(mine.sessionId)
  await expect(first).rejects.toThrow('Not authenticated')
  await expect(callers.of(headers, route)).rejects.toThrow('Not authenticated')
})
