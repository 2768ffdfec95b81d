import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { hashSync } from 'bcryptjs'
import { afterAll, expect, test, vi } from 'vitest'
import { createHasher, type Hasher } from './hashing.ts'

const hasher: Hasher = createHasher()
afterAll(() => hasher.close())

test('a password is argon2id of 19 MiB and two passes, and only itself fits it', async () => {
  const stored = await hasher.hash('one')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await hasher.verify('one', stored)).toEqual({ ok: true, upgrade: false })
  expect(await hasher.verify('two', stored)).toEqual({ ok: false, upgrade: false })
  expect(await hasher.verify('one', null)).toEqual({ ok: false, upgrade: false })
  expect(await hasher.verify('one', hashSync('one', 4))).toEqual({ ok: true, upgrade: true })
})

test('a crowd beyond the queue is told to come back, and nobody waits for good', async () => {
  const room = availableParallelism() * 2 + 64
  const answers = await Promise.allSettled(Array.from({ length: room + 9 }, () => hasher.hash('one')))
  const refused = answers.filter((each) => each.status === 'rejected')
  expect(refused).toHaveLength(9)
  expect(refused[0]!.reason).toMatchObject({ status: 429, code: 'over_request_rate_limit', headers: { 'retry-after': '1' } })
})

test('a stored form that nobody can read fails its own caller alone', async () => {
  const good = await hasher.hash('one')
  const [bad, fine] = await Promise.allSettled([hasher.verify('one', '$argon2id$nonsense'), hasher.verify('one', good)])
  expect(bad.status).toBe('rejected')
  expect(fine).toMatchObject({ value: { ok: true } })
})

test('threads that have nothing to do hold no process open', () => {
  const script = `import { createHasher } from '${new URL('hashing.ts', import.meta.url).href}'; createHasher().hash('one'); console.log('made')`
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 60_000, encoding: 'utf8' })).toBe('made\n')
})

test('no thread is there before a password comes, nor after the last one has been gone for a while', async () => {
  const resting = createHasher(50)
  expect(resting.threads()).toBe(0)
  const stored = await resting.hash('one')
  expect(resting.threads()).toBe(1)
  await vi.waitFor(() => expect(resting.threads()).toBe(0), 10_000)
  expect(await resting.verify('one', stored)).toEqual({ ok: true, upgrade: false })
})
