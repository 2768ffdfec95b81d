import { newId } from '@operon/kit/ids'
import { afterAll, expect, test } from 'vitest'
import { newEmail, PASSWORD, startIdentity } from '../testing/platform.ts'
import { differenceInterval, holdsZero, medianInterval, overlap } from './intervals.ts'

// `S9_N=500` for the long form. Sixty pairs take some twenty seconds and tell a missing hash, or a second look into the database, from none.
const N = Number(process.env.S9_N ?? 60)
const WARM_UP = 5
type Who = { email: string; phone: string }
let known: Who[] = []
const platform = await startIdentity({
  AUTH_AUTOCONFIRM: 'false',
  LIMIT_SIGN_UP_PER_MINUTE: '100000',
  LIMIT_SIGN_IN_PER_MINUTE: '100000',
  LIMIT_MAIL_PER_HOUR: '1000',
})
const { db } = platform.services.identity!.rt
const { createHasher } = await import('../passwords/hashing.ts')
const password_hash = await createHasher().hash(PASSWORD)
known = Array.from({ length: N + WARM_UP }, (_, at) => ({ email: newEmail('known'), phone: `1553${String(at).padStart(7, '0')}` }))
const at = new Date()
await db
  .insertInto('users')
  .values(
    known.map((who) => ({
      id: newId(),
      ...who,
      password_hash,
      email_confirmed_at: at,
      phone_confirmed_at: at,
      email_proven: true,
      app_metadata: '{}',
      user_metadata: '{}',
    })),
  )
  .execute()
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
async function compare(path: string, bodyFor: (who: Who) => object) {
  const times = { known: [] as number[], unknown: [] as number[] }
  const seen = { known: new Set<string>(), unknown: new Set<string>() }
  for (let at = 0; at < N + WARM_UP; at++) {
    const pair = [
      ['known', known[at]!],
      ['unknown', { email: newEmail('unknown'), phone: `1554${String(at).padStart(7, '0')}` }],
    ] as ['known' | 'unknown', Who][]
    for (const [which, who] of Math.random() < 0.5 ? pair : pair.toReversed()) {
      const { ms, status, body } = await sample(path, bodyFor(who))
      if (at >= WARM_UP) times[which].push(ms)
      seen[which].add(`${status} ${shapeOf(body)}`)
    }
  }
  return {
    known: medianInterval(times.known),
    unknown: medianInterval(times.unknown),
    difference: differenceInterval(times.known, times.unknown),
    seen,
  }
}

const shapeOf = (body: unknown): string =>
  JSON.stringify(body, (_key, value) =>
    typeof value === 'string'
      ? value.replace(/[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d:.]+Z|155[34]\d{7}|(un)?known-\S+@example\.com/g, '')
      : value,
  )

for (const [name, path, bodyFor] of [
  ['sign-in', '/auth/v1/token?grant_type=password', ({ email }: Who) => ({ email, password: 'Wr0ng-horse-battery' })],
  ['recovery', '/auth/v1/recover', ({ email }: Who) => ({ email })],
  ['one-time codes', '/auth/v1/otp', ({ email }: Who) => ({ email, create_user: true })],
  ['sign-up', '/auth/v1/signup', ({ email }: Who) => ({ email, password: 'S0mething-else-entirely', data: { name: 'Eve' } })],
  ['sign-up by phone', '/auth/v1/signup', ({ phone }: Who) => ({ phone, password: 'S0mething-else-entirely', data: { name: 'Eve' } })],
] as const) {
  test(`S9: ${name} tells neither by text nor by time whether an address has an account`, { timeout: 60_000 + N * 500 }, async () => {
    const result = await compare(path, bodyFor)
    console.log(
      `S9 ${name} n=${N}`,
      JSON.stringify({ known: result.known, unknown: result.unknown, difference: result.difference }, (_key, value) =>
        typeof value === 'number' ? Math.round(value * 100) / 100 : value,
      ),
    )
    expect([...result.seen.known]).toEqual([...result.seen.unknown])
    expect(overlap(result.known, result.unknown), 'the intervals of both overlap').toBe(true)
    expect(holdsZero(result.difference), 'neither is the slower one').toBe(true)
  })
}

test('S9: the comparison tells apart what differs by a tenth of the noise of a busy machine, and not what does not', () => {
  // Nine in ten answers take 20 to 26 ms, one in ten up to 200: what a machine under load shows.
  const answers = () => Array.from({ length: 500 }, () => 20 + 6 * Math.random() + (Math.random() < 0.1 ? 180 * Math.random() : 0))
  const [first, second] = [answers(), answers()]
  expect(
    holdsZero(
      differenceInterval(
        first.map((ms) => ms + 1.5),
        second,
      ),
    ),
  ).toBe(false)
  expect(overlap(medianInterval(first.map((ms) => ms + 1.5)), medianInterval(second))).toBe(false)
  expect(overlap(medianInterval(first), medianInterval(second))).toBe(true)
})
