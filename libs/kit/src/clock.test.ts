import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { usageRecorded } from '@operon/contracts/usage'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { TokenVerifier } from './auth.ts'
import { followClock, now } from './clock.ts'
import type { Ctx } from './context.ts'
import { twoPhase } from './idempotency.ts'
import { newId } from './ids.ts'
import { reserve } from './meter.ts'
import { settleAbandoned } from './settle.ts'
import { createLogger } from './telemetry.ts'
import { type TestDatabase, testDatabase } from './testing/database.ts'

const database: TestDatabase = await testDatabase({ name: 'clock', migrations: {} })
afterEach(() => void vi.useRealTimers())
afterAll(() => database.drop())

/** As in a process whose clock runs a quarter of an hour ahead of the others'. */
const runAhead = (minutes = 16) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })

test('an instance whose clock runs ahead does not take over a call that is running elsewhere [R17]', async () => {
  const ctx = { db: database.db, actor: { kind: 'anonymous' }, ip: '127.0.0.1', log: createLogger('silent') } as unknown as Ctx
  const runs: string[] = []
  const key = newId()
  let finish = () => {}
  const call = (who: string, run: () => Promise<string>) =>
    twoPhase(ctx, {
      scope: '/x',
      key,
      input: {},
      run: () => {
        runs.push(who)
        return run()
      },
    })
  const first = call('first', () => new Promise((resolve) => (finish = () => resolve('done'))))
  await vi.waitFor(() => expect(runs).toEqual(['first']))
  runAhead()
  await expect(call('second', async () => 'twice')).rejects.toMatchObject({ code: 'idempotency_running' })
  vi.useRealTimers()
  finish()
  expect(await first).toBe('done')
  expect(await call('third', async () => 'twice')).toBe('done')
  expect(runs).toEqual(['first'])
})

test('an instance whose clock runs ahead does not settle what others still hold [R17]', async () => {
  await reserve(database.db, { userId: newId(), unit: 'prompts', feature: 'chat' })
  runAhead()
  expect(await settleAbandoned(database.db, usageRecorded('ai-gateway'))).toBe(0)
})

test.each([15, -15])('a process whose clock is %i minutes from the others goes by the database: tokens, ids [R17]', async (minutes) => {
  const real = Date.now()
  const sign = signer()
  const verifier = new TokenVerifier({ load: sign.load, publishableKeys: [] })
  runAhead(minutes)
  const leave = await followClock(database.db, createLogger('silent'))
  try {
    expect(Math.abs(now() - real)).toBeLessThan(2_000)
    const verdict = (claims: object) =>
      verifier.verify(sign.token(claims)).then(
        (actor) => actor.kind,
        (err) => err.code,
      )
    const at = Math.floor(real / 1000)
    expect(await verdict({ exp: at + 60 })).toBe('user')
    expect(await verdict({ exp: at - 60 })).toBe('not_authenticated')
    expect(await verdict({ exp: at + 600, nbf: at + 60 })).toBe('not_authenticated')
    // Ids of one conversation sort by it, whoever made them.
    expect(Math.abs(Number.parseInt(newId().replace('-', '').slice(0, 12), 16) - real)).toBeLessThan(2_000)
  } finally {
    leave()
    vi.useRealTimers()
    ;(await followClock(database.db, createLogger('silent')))()
  }
  expect(Math.abs(now() - Date.now())).toBeLessThan(50)
})

test.each(['soon', undefined, null])('a token that ends at %s is none', async (exp) => {
  const sign = signer()
  const verifier = new TokenVerifier({ load: sign.load, publishableKeys: [] })
  await expect(verifier.verify(sign.token({ exp }))).rejects.toMatchObject({ code: 'not_authenticated' })
})

function signer() {
  const issuer = 'http://localhost/auth/v1'
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'only', alg: 'ES256' as const }
  const head = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: 'only' })).toString('base64url')
  return {
    load: async () => ({ keys: [jwk], issuer, revoked_sessions: [], suspended_users: [] }),
    // Signed by hand, since a library would not sign what is no token.
    token(claims: object) {
      const body = { iss: issuer, aud: 'authenticated', sub: 'ann', session_id: 'one', ...claims }
      const text = `${head}.${Buffer.from(JSON.stringify(body)).toString('base64url')}`
      return `${text}.${signBytes('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    },
  }
}
