import { generateKeyPairSync } from 'node:crypto'
import { createSigner } from 'fast-jwt'
import { expect, test, vi } from 'vitest'
import { checkAccess } from './access.ts'
import { TokenVerifier } from './auth.ts'
import type { UserActor } from './context.ts'
import { DomainError } from './errors.ts'
import { newId } from './ids.ts'
import { KeyRing } from './keys.ts'

const issuer = 'http://localhost/auth/v1'

function signing(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' as const }
  const sign = createSigner({ key, algorithm: 'ES256', kid })
  const token = (claims: object = {}) => {
    const now = Math.floor(Date.now() / 1000)
    return sign({ iss: issuer, aud: 'authenticated', sub: 'ann', session_id: 'one', exp: now + 3600, ...claims })
  }
  return { jwk, token }
}

test('a token that is known is still refused once its session, its user or its key was taken back', async () => {
  const { jwk, token } = signing('first')
  let keys = [jwk]
  const load = async () => ({ keys, issuer, revoked_sessions: [], suspended_users: [] })
  const verifier = new TokenVerifier({ load, publishableKeys: ['anon'] })
  const known = token()
  for (let n = 0; n < 2; n++) expect(await verifier.verify(known)).toMatchObject({ kind: 'user', id: 'ann', sessionId: 'one' })

  verifier.revoke('one')
  await expect(verifier.verify(known)).rejects.toMatchObject({ code: 'not_authenticated' })
  const other = token({ session_id: 'two' })
  expect(await verifier.verify(other)).toMatchObject({ sessionId: 'two' })
  verifier.revoke('ann')
  await expect(verifier.verify(other)).rejects.toMatchObject({ code: 'not_authenticated' })
  verifier.restore('ann')
  expect(await verifier.verify(other)).toMatchObject({ sessionId: 'two' })

  keys = [signing('second').jwk]
  verifier.askForKeys()
  await expect(verifier.verify(other)).rejects.toMatchObject({ code: 'not_authenticated' })
})

test('a token for a resource says whose it is, of which grant and app, and for what: without one of them it is none', async () => {
  const { jwk, token } = signing('only')
  const verifier = new TokenVerifier({
    load: async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] }),
    publishableKeys: [],
  })
  const home = 'http://localhost'
  const made = { iss: home, aud: `${home}/mcp`, iat: Math.floor(Date.now() / 1000), client_id: 'app', scope: 'reads' }
  const actor = (claims: object) =>
    verifier.actorOf({ authorization: `Bearer ${token({ ...made, ...claims })}` }, { resource: true, path: '/mcp' })
  expect(await actor({})).toMatchObject({ kind: 'user', id: 'ann', key: { id: 'one', scopes: ['reads'], app: 'app' } })
  for (const claim of ['sub', 'session_id', 'client_id', 'scope'])
    await expect(actor({ [claim]: undefined }), claim).rejects.toMatchObject({ code: 'not_authenticated' })
})

test('word of other keys from an identity that has gone again changes nothing', async () => {
  const { jwk, token } = signing('only')
  let isAway = false
  const load = async () => {
    if (isAway) throw new Error('nobody answers')
    return { keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] }
  }
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const known = token()
  await verifier.verify(known)
  isAway = true
  verifier.askForKeys()
  expect(verifier.known(known)).toBe(null)
  expect(await verifier.verify(known)).toMatchObject({ id: 'ann' })
  expect(verifier.known(known)).toMatchObject({ id: 'ann' })
})

test('a service that nobody has asked yet knows the keys before identity goes', async () => {
  const { jwk, token } = signing('only')
  let asked = 0
  const load = async () => {
    asked += 1
    // It is not there yet, then there once, then away.
    if (asked !== 2) throw new Error('nobody answers')
    return { keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] }
  }
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const stop = verifier.askUntilTold()
  try {
    await expect.poll(() => asked, { timeout: 10_000 }).toBe(2)
    expect(await verifier.verify(token())).toMatchObject({ id: 'ann' })
    expect(asked).toBe(2)
  } finally {
    stop()
  }
})

test('a token that is known ends when it says so', async () => {
  const { jwk, token } = signing('only')
  const load = async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] })
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const at = Math.floor(Date.now() / 1000)
  const clock = vi.spyOn(Date, 'now').mockReturnValue(at * 1000)
  try {
    const short = token({ exp: at + 60 })
    expect(await verifier.verify(short)).toMatchObject({ id: 'ann' })
    // Clocks may differ by five seconds.
    clock.mockReturnValue((at + 65) * 1000 - 1)
    expect(await verifier.verify(short)).toMatchObject({ id: 'ann' })
    clock.mockReturnValue((at + 65) * 1000)
    await expect(verifier.verify(short)).rejects.toMatchObject({ code: 'not_authenticated' })
  } finally {
    vi.restoreAllMocks()
  }
})

test.each(['session', 'key'] as const)('a %s taken back while nobody could say so is learned within a minute', async (what) => {
  const { jwk, token } = signing('only')
  const verification = { keys: [jwk], issuer, revoked_sessions: [] as string[], suspended_users: [] }
  const verifier = new TokenVerifier({ load: async () => verification, publishableKeys: [] })
  const known = token()
  expect(await verifier.verify(known)).toMatchObject({ id: 'ann' })

  if (what === 'session') verification.revoked_sessions.push('one')
  else verification.keys = [signing('next').jwk]
  expect(await verifier.verify(known)).toMatchObject({ id: 'ann' })
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000)
  try {
    await expect
      .poll(() =>
        verifier
          .verify(known)
          .then(() => 'good')
          .catch((err) => err.code),
      )
      .toBe('not_authenticated')
  } finally {
    vi.restoreAllMocks()
  }
})

test.each([600, 7200])('what was taken back is remembered for the %i s that a token lives, and no longer', async (token_seconds) => {
  const { jwk, token } = signing('only')
  const load = async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [], token_seconds })
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const known = token({ exp: Math.floor(Date.now() / 1000) + 100_000 })
  const verdict = () =>
    verifier.verify(known).then(
      (actor) => actor.kind,
      (err) => err.code,
    )
  expect(await verdict()).toBe('user')
  verifier.revoke('one')
  const began = performance.now()
  const clock = vi.spyOn(performance, 'now')
  try {
    clock.mockReturnValue(began + token_seconds * 1000)
    expect(await verdict()).toBe('not_authenticated')
    clock.mockReturnValue(began + (token_seconds + 10) * 1000)
    expect(await verdict()).toBe('user')
  } finally {
    vi.restoreAllMocks()
  }
})

test('a token from before the second factor of its account is good no longer, one from after it is', async () => {
  const { jwk, token } = signing('only')
  const load = async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] })
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const at = Math.floor(Date.now() / 1000)
  const [before, after, protectedNow] = [token({ iat: at - 1 }), token({ iat: at + 1 }), token({ iat: at, mfa: true })]
  for (const each of [before, after, protectedNow]) await verifier.verify(each)
  verifier.protect('ann', at)
  expect(verifier.known(before)).toBeNull()
  await expect(verifier.verify(before)).rejects.toMatchObject({ code: 'not_authenticated' })
  // The factor was taken away again.
  expect(await verifier.verify(after)).toMatchObject({ mfa: false })
  expect(await verifier.verify(protectedNow)).toMatchObject({ mfa: true })
})

test('a hundred thousand sessions that ended together are one line to remember, and the one that was kept is not among them', async () => {
  const { jwk, token } = signing('only')
  const load = async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] })
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const [older, kept, newest, later] = [newId(), newId(), newId(), newId()]
  const verdict = (session_id: string, sub = 'ann') =>
    verifier.verify(token({ session_id, sub })).then(
      () => 'good',
      (err) => err.details.reason,
    )
  expect(await Promise.all([older, kept, newest, later].map((id) => verdict(id)))).toEqual(['good', 'good', 'good', 'good'])
  verifier.endSessions({ user_id: 'ann', up_to: newest, kept })
  expect(await Promise.all([older, kept, newest, later].map((id) => verdict(id)))).toEqual([
    'session_not_found',
    'good',
    'session_not_found',
    'good',
  ])
  expect(await verdict(older, 'bob')).toBe('good')
})

test('of more sessions than can be remembered, the oldest are forgotten, and tokens from before then have to be renewed', async () => {
  const { jwk, token } = signing('only')
  const load = async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] })
  const verifier = new TokenVerifier({ load, publishableKeys: [] })
  const at = Math.floor(Date.now() / 1000)
  const [ended, before, after] = [
    token({ iat: at, session_id: newId() }),
    token({ iat: at, session_id: newId() }),
    token({ iat: at + 3_000, session_id: newId() }),
  ]
  for (const each of [ended, before, after]) await verifier.verify(each)
  // A walk through all of them at each would take minutes.
  for (let n = 0; n < 100_000; n++) verifier.revoke(`session-${n}`)
  expect(verifier.known(before)).not.toBeNull()
  for (let n = 0; n < 10; n++) verifier.revoke(`one-more-${n}`)
  expect(verifier.known(before)).toBeNull()
  for (const each of [ended, before])
    await expect(verifier.verify(each)).rejects.toMatchObject({ code: 'not_authenticated', details: { reason: 'expired_jwt' } })
  expect(await verifier.verify(after)).toMatchObject({ id: 'ann' })
})

test('half signed in: anonymous where anybody may call, refused elsewhere, let in where the contract says so', () => {
  const whole: UserActor = {
    ...{ kind: 'user', id: 'ann', email: null, phone: null, sessionId: 'one', aal: 'aal2', amr: [shown('totp', 60)], mfa: true },
    ...{ staff: true, anonymous: false, metadata: {} },
  }
  const half: UserActor = { ...whole, aal: 'aal1' }
  expect(checkAccess({ access: 'public' }, half)).toEqual({ kind: 'anonymous' })
  expect(checkAccess({ access: 'public', halfSignedIn: true }, half)).toBe(half)
  for (const access of ['user', 'aal2', 'staff', 'service'] as const)
    expect(() => checkAccess({ access }, half)).toThrow(expect.objectContaining({ code: 'insufficient_aal', status: 403 }))
  expect(checkAccess({ access: 'user', halfSignedIn: true }, half)).toBe(half)
  const key = { ...half, staff: false, key: { id: 'k', scopes: [], monthlyPrompts: null } }
  expect(checkAccess({ access: 'user' }, key)).toBe(key)
  expect(() => checkAccess({ access: 'aal2' }, key)).toThrow(expect.objectContaining({ code: 'aal2_required' }))
  for (const access of ['public', 'user', 'aal2', 'staff'] as const) expect(checkAccess({ access }, whole)).toBe(whole)
})

test('a demo has no credentials and no money, and where it only reads it changes nothing', () => {
  const demo = (readsOnly: boolean): UserActor => ({
    ...{ kind: 'user', id: 'ann', email: null, phone: null, sessionId: 'one', aal: 'aal1', amr: [], mfa: false },
    ...{ staff: false, anonymous: false, metadata: {}, demo: { readsOnly } as UserActor['demo'] },
  })
  const codeOf = (use: 'reads' | 'changes' | 'never', readsOnly: boolean) => {
    try {
      checkAccess({ access: 'user', demo: use }, demo(readsOnly))
      return null
    } catch (error) {
      return (error as DomainError).code
    }
  }
  expect([codeOf('reads', false), codeOf('changes', false), codeOf('never', false)]).toEqual([null, null, 'demo_never'])
  expect([codeOf('reads', true), codeOf('changes', true)]).toEqual([null, 'demo_reads_only'])
})

const shown = (method: string, secondsAgo: number) => ({ method, timestamp: Date.now() / 1000 - secondsAgo })

test('what asks for a fresh proof takes none older than ten minutes, not even of a second factor', () => {
  const session: UserActor = {
    ...{ kind: 'user', id: 'ann', email: null, phone: null, sessionId: 'one', aal: 'aal1', amr: [shown('password', 599)], mfa: false },
    ...{ staff: false, anonymous: false, metadata: {} },
  }
  const factor = { ...session, mfa: true, aal: 'aal2' as const }
  const refused = expect.objectContaining({ code: 'aal2_required' })
  for (const fresh of [session, factor, { ...factor, amr: [shown('totp', 60), shown('password', 90_000)] }])
    expect(checkAccess({ access: 'aal2' }, fresh)).toBe(fresh)
  for (const old of [
    { ...session, amr: [shown('password', 601)] },
    { ...factor, amr: [shown('totp', 601), shown('password', 700)] },
    { ...factor, amr: [] },
  ])
    expect(() => checkAccess({ access: 'aal2' }, old)).toThrow(refused)
})

test('a token or an API key that nobody can be asked about is 503, not 401, also where another service keeps older keys', async () => {
  const away = async () => {
    throw new DomainError('unavailable')
  }
  const { token } = signing('first')
  const keys = new KeyRing({ ask: away, older: async () => ({ state: 'unknown' }) })
  const verifier = new TokenVerifier({ load: away, keys, publishableKeys: ['anon'] })
  for (const bearer of [token(), 'opk_nobody-knows-it'])
    await expect(verifier.actorOf({ authorization: `Bearer ${bearer}` })).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  const told = new KeyRing({ ask: async () => ({ state: 'unknown' }), older: async () => ({ state: 'unknown' }) })
  await expect(told.actorOf('opk_nobody-knows-it')).rejects.toMatchObject({ status: 401 })
})
