import { newId } from '@operon/kit/ids'
import { update } from '@operon/kit/testing/rows'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts'

const platform = await startIdentity({ LIMIT_REFRESH_AT_ONCE: '1000' })
afterAll(() => platform.close())

const db = () => platform.services.identity!.rt.db
type Answer = { status: number; body: { access_token?: string; refresh_token?: string; error_code?: string } }
const refresh = async (token: string): Promise<Answer> => {
  const response = await fetch(`${platform.base}/auth/v1/token?grant_type=refresh_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ refresh_token: token }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}
const counterOf = async (token: string) => {
  const { sessionId } = readRefreshToken(platform.infra.vault, token)!
  return db().selectFrom('sessions').select(['counter', 'revoked_at']).where('id', '=', sessionId).executeTakeFirstOrThrow()
}

test('R20: 50 parallel refreshes of one token have one successor; reuse of an older one ends the lineage [spec-30]', async () => {
  const { session } = await signedUp(platform)
  const first = session.refresh_token
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(first)))
  expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
  const successors = [...new Set(answers.map(({ body }) => body.refresh_token))]
  expect(successors).toHaveLength(1)
  expect(await counterOf(first)).toMatchObject({ counter: 1, revoked_at: null })
  const second = successors[0]!
  const third = (await refresh(second)).body.refresh_token!
  expect((await refresh(second)).body.refresh_token).toBe(third)
  expect((await refresh(first)).body).toMatchObject({ error_code: 'refresh_token_already_used' })
  for (const token of [first, second, third])
    expect((await refresh(token)).body, token).toMatchObject({ error_code: 'refresh_token_not_found' })
  expect((await counterOf(third)).revoked_at).not.toBeNull()
})

test('a session that began beside a suspension, and was not ended with the others, is not renewed while it lasts', async () => {
  const { session, user } = await signedUp(platform)
  const until = (banned_until: Date | null) => update(db(), 'users', { id: user.id }, { banned_until })
  await until(new Date(Date.now() + 3_600_000))
  expect(await refresh(session.refresh_token)).toMatchObject({ status: 400, body: { error_code: 'user_banned' } })
  await until(null)
  expect((await refresh(session.refresh_token)).status).toBe(200)
})

test('callers that wait for the row see what the one before them left', async () => {
  const { session } = await signedUp(platform)
  const { sessionId } = readRefreshToken(platform.infra.vault, session.refresh_token)!
  let calls: Promise<Answer[]> = Promise.resolve([])
  await db()
    .transaction()
    .execute(async (trx) => {
      await trx.selectFrom('sessions').select('id').where('id', '=', sessionId).forUpdate().execute()
      calls = Promise.all([refresh(session.refresh_token), refresh(session.refresh_token)])
      await vi.waitFor(async () => {
        const { rows } = await sql<{
          waiting: number
        }>`select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(trx)
        expect(rows[0]!.waiting).toBe(2)
      })
    })
  const [one, two] = await calls
  expect([one!.status, two!.status]).toEqual([200, 200])
  expect(one!.body.refresh_token).toBe(two!.body.refresh_token)
  expect(await counterOf(session.refresh_token)).toMatchObject({ counter: 1, revoked_at: null })
})

test("a token is nobody's who changes a bit of it, its session or its number", async () => {
  const { session } = await signedUp(platform)
  const other = await signedUp(platform)
  const bytes = Buffer.from(session.refresh_token, 'base64url')
  const forged = [0, 15, 19, 20, 43].map((at) => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return copy.toString('base64url')
  })
  const swapped = Buffer.concat([Buffer.from(other.session.refresh_token, 'base64url').subarray(0, 20), bytes.subarray(20)]).toString(
    'base64url',
  )
  const ahead = writeRefreshToken(platform.infra.vault, readRefreshToken(platform.infra.vault, session.refresh_token)!.sessionId, 7)
  for (const token of [...forged, swapped, ahead, `${session.refresh_token}=`, session.access_token, 'x', '../..']) {
    expect((await refresh(token)).status, token).toBe(400)
  }
  expect((await refresh(session.refresh_token)).status).toBe(200)
})

test('a token is read in the one spelling that was written', async () => {
  const { vault } = platform.infra
  const token = writeRefreshToken(vault, newId(), 0)
  const bytes = Buffer.from(token, 'base64url')
  // The last character carries two bits that no byte has.
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const respelt = token.slice(0, -1) + letters[letters.indexOf(token.at(-1)!) + 1]
  expect(Buffer.from(respelt, 'base64url')).toEqual(bytes)
  for (const other of [respelt, bytes.subarray(0, 43).toString('base64url'), `${token}AA`])
    expect(readRefreshToken(vault, other)).toBeNull()
  expect(readRefreshToken(vault, token)).toMatchObject({ counter: 0 })
})

test('signing out: here, elsewhere, everywhere; access tokens go with their sessions', async () => {
  const { client, email } = await signedUp(platform)
  const devices = await Promise.all(
    [1, 2].map(async () => {
      const device = platform.client()
      await device.auth.signInWithPassword({ email, password: PASSWORD })
      return device
    }),
  )
  const alive = async () => Promise.all([client, ...devices].map(async (each) => (await each.auth.refreshSession()).error === null))
  await devices[0]!.auth.signOut({ scope: 'local' })
  expect(await alive()).toEqual([true, false, true])
  const token = (await devices[1]!.auth.getSession()).data.session!.access_token
  await client.auth.signOut({ scope: 'others' })
  expect(await alive()).toEqual([true, false, false])
  const rest = await fetch(`${platform.base}/rest/v1/user_roles`, { headers: { authorization: `Bearer ${token}`, apikey: 'anon' } })
  expect(rest.status).toBe(401)
  await client.auth.signOut()
  expect(await alive()).toEqual([false, false, false])
  // And by a service key, which names the session by its token.
  const other = await signedUp(platform)
  expect((await platform.admin().auth.admin.signOut(other.session.access_token, 'global')).error).toBeNull()
  expect((await other.client.auth.refreshSession()).error).not.toBeNull()
})

test('a session is kept across a restart: keys and tokens outlive the process', async () => {
  const { session, user } = await signedUp(platform)
  const { loadKeys } = await import('../keys/keys.ts')
  const again = await loadKeys(platform.services.identity!.rt as never)
  expect(again.publicKeys).toEqual(
    ((await (await fetch(`${platform.base}/auth/v1/.well-known/jwks.json`)).json()) as { keys: unknown[] }).keys,
  )
  expect((await refresh(session.refresh_token)).status).toBe(200)
  expect(user.id).toBeTruthy()
})
