import { expect, test } from 'vitest'
import { Callers } from './callers.ts'
import type { Route } from './routes.ts'
import { token, verifierOfTests } from './testing/start.ts'

const route = { access: 'user', apiKeys: false } as Route

test('what was verified while something was taken back is not remembered', async () => {
  const verifier = verifierOfTests()
  const callers = new Callers(verifier, ['anon'])
  const mine = token()
  const headers = { authorization: `Bearer ${mine.token}` }
  // The last step of a verification that is under way: it has looked at what is revoked, and has not been heard yet.
  const actorOf = verifier.actorOf.bind(verifier)
  verifier.actorOf = async (given) => {
    const actor = await actorOf(given)
    verifier.revoke(mine.sessionId)
    callers.forget()
    return actor
  }
  expect(await callers.of(headers, route)).toMatchObject({ kind: 'user' })
  verifier.actorOf = actorOf
  await expect(async () => callers.of(headers, route)).rejects.toThrow('Not authenticated')
})

test('a socket is not opened with a session that was taken back while it was verified', async () => {
  const verifier = verifierOfTests()
  const callers = new Callers(verifier, ['anon'])
  const mine = token()
  const verify = verifier.verify.bind(verifier)
  verifier.verify = async (text) => {
    const actor = await verify(text)
    verifier.revoke(mine.sessionId)
    callers.forget()
    return actor
  }
  await expect(callers.ofToken(mine.token)).rejects.toThrow('Not authenticated')
})

test('a token that was just verified is known without asking again, until something is taken back', async () => {
  const verifier = verifierOfTests()
  const callers = new Callers(verifier, ['anon'])
  const mine = token()
  const headers = { authorization: `Bearer ${mine.token}` }
  await callers.of(headers, route)
  expect(callers.of(headers, route)).toMatchObject({ kind: 'user', id: mine.userId })
  verifier.revoke(mine.sessionId)
  callers.forget()
  await expect(callers.of(headers, route)).rejects.toThrow('Not authenticated')
})
