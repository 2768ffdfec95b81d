import * as identity from '@operon/contracts/identity/events'
import { TokenVerifier } from '@operon/kit/auth'
import { newId } from '@operon/kit/ids'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { newEmail, PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'

const MANY = 100_000
const platform = await startIdentity()
afterAll(() => platform.close())

test('an account with a hundred thousand sessions ends them in one piece, and keeps the one that asked', { timeout: 120_000 }, async () => {
  const { rt } = platform.services.identity!
  const email = newEmail('many')
  const { client, user, session } = await signedUp(platform, email)
  const other = await platform.client().auth.signInWithPassword({ email, password: PASSWORD })
  await sql`
    insert into sessions (id, user_id)
    select (${newId().slice(0, 24)} || lpad(to_hex(n), 12, '0'))::uuid, ${user.id} from generate_series(1, ${sql.lit(MANY)}) as n`.execute(
    rt.db,
  )
  const told: string[] = []
  const broadcast = rt.broadcast
  rt.broadcast = (event, payload) => {
    if ('user_id' in payload && payload.user_id === user.id) told.push(event.name)
    return broadcast(event, payload)
  }
  const { error } = await client.auth.signOut({ scope: 'others' })
  rt.broadcast = broadcast
  expect([error, told]).toEqual([null, ['identity.sessions_ended']])
  const open = await rt.db.selectFrom('sessions').select('id').where('user_id', '=', user.id).where('revoked_at', 'is', null).execute()
  expect(open).toHaveLength(1)

  const verdict = (verifier: TokenVerifier, token: string) =>
    verifier.verify(token).then(
      () => 'good',
      (err) => err.details.reason,
    )
  // An instance that started since has heard no broadcast.
  const load = () => rt.ask(identity.verification, {}) as never
  const fresh = new TokenVerifier({ load, publishableKeys: [] })
  const tokens = [session.access_token, other.data.session!.access_token]
  for (const verifier of [rt.verifier, fresh])
    expect(await Promise.all(tokens.map((token) => verdict(verifier, token)))).toEqual(['good', 'session_not_found'])
  const { revoked_sessions, ended_sessions } = await rt.ask(identity.verification, {})
  expect(ended_sessions!.map(({ user_id, kept }) => [user_id, kept])).toContainEqual([user.id, open[0]!.id])
  expect(revoked_sessions.length).toBeLessThan(1_000)
  const again = await platform.client().auth.signInWithPassword({ email, password: PASSWORD })
  expect(await verdict(rt.verifier, again.data.session!.access_token)).toBe('good')
})
