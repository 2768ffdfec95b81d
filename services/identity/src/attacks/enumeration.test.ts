import { newId } from '@operon/kit/ids'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IdentityTest, newEmail, PASSWORD, startIdentity } from '../testing/platform.ts'

// `S9_N=500` for the long form.
const N = Number(process.env.S9_N ?? 20)
let platform: IdentityTest
let known: string[] = []
beforeAll(async () => {
  platform = await startIdentity({
    AUTH_AUTOCONFIRM: 'false',
    LIMIT_SIGN_UP_PER_MINUTE: '100000',
    LIMIT_SIGN_IN_PER_MINUTE: '100000',
    LIMIT_MAIL_PER_HOUR: '1000',
  })
  const { db } = platform.services.identity!.rt
  const { createHasher } = await import('../passwords/hashing.ts')
  const password_hash = await (await createHasher()).hash(PASSWORD)
  known = Array.from({ length: N + 5 }, () => newEmail('known'))
  const at = new Date()
  await db
    .insertInto('users')
    .values(
      known.map((email) => ({
        id: newId(),
        email,
        password_hash,
        email_confirmed_at: at,
        email_proven: true,
        app_metadata: '{}',
        user_metadata: '{}',
      })),
    )
    .execute()
})
afterAll(() => platform.close())

type Sample = { ms: number; status: number; body: unknown }
async function sample(path: string, body: object): Promise<Sample> {
  const began = performance.now()
  const response = await fetch(platform.base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  return { ms: performance.now() - began, status: response.status, body: answer }
}

/** Turns taken in a random order, so that what else the machine does falls on both alike. */
async function compare(path: string, bodyFor: (email: string) => object) {
  const times = { known: [] as number[], unknown: [] as number[] }
  const seen = { known: new Set<string>(), unknown: new Set<string>() }
  for (let at = 0; at < N + 5; at++) {
    const pair = [
      ['known', known[at]!],
      ['unknown', newEmail('unknown')],
    ] as ['known' | 'unknown', string][]
    for (const [which, email] of Math.random() < 0.5 ? pair : pair.toReversed()) {
      const { ms, status, body } = await sample(path, bodyFor(email))
      if (at >= 5) times[which].push(ms)
      seen[which].add(`${status} ${shapeOf(body)}`)
    }
  }
  return { known: interval(times.known), unknown: interval(times.unknown), seen }
}

const shapeOf = (body: unknown): string =>
  JSON.stringify(body, (_key, value) =>
    typeof value === 'string' ? value.replace(/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z|(un)?known-\S+@example\.com/g, '') : value,
  )

/** The median with its 99 % interval by order statistics, which no outlier moves. */
function interval(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const half = (2.576 * Math.sqrt(times.length)) / 2
  const at = (rank: number) => sorted[Math.min(times.length - 1, Math.max(0, Math.round(rank)))]!
  return { low: at(times.length / 2 - half), median: at(times.length / 2), high: at(times.length / 2 + half) }
}

for (const [name, path, bodyFor] of [
  ['sign-in', '/auth/v1/token?grant_type=password', (email: string) => ({ email, password: 'Wr0ng-horse-battery' })],
  ['recovery', '/auth/v1/recover', (email: string) => ({ email })],
  ['one-time codes', '/auth/v1/otp', (email: string) => ({ email, create_user: true })],
  ['sign-up', '/auth/v1/signup', (email: string) => ({ email, password: 'S0mething-else-entirely', data: { name: 'Eve' } })],
] as const) {
  test(`S9: ${name} tells neither by text nor by time whether an address has an account`, { timeout: 60_000 + N * 500 }, async () => {
    const result = await compare(path, bodyFor)
    console.log(
      `S9 ${name} n=${N}`,
      JSON.stringify({ known: result.known, unknown: result.unknown }, (_key, value) =>
        typeof value === 'number' ? Math.round(value * 100) / 100 : value,
      ),
    )
    expect([...result.seen.known]).toEqual([...result.seen.unknown])
    expect(Math.max(result.known.low, result.unknown.low)).toBeLessThanOrEqual(Math.min(result.known.high, result.unknown.high))
  })
}
