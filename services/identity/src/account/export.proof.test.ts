import { exportUser } from '@operon/contracts/personal-data'
import type { ServiceDefinition } from '@operon/kit/service'
import { afterAll, expect, test } from 'vitest'
import { PASSWORD, signedUp, startIdentity } from '../testing/platform.ts'

const PIECES = 6
let failures = 0
/** Holds 60 rows of everybody, in pieces of ten, and fails in the middle of them. */
const crm: ServiceDefinition = {
  name: 'crm',
  config: { parse: () => ({}), safeParse: () => ({ success: true, data: {} }) } as never,
  migrations: {},
  setup(rt) {
    rt.answer(exportUser('crm'), async (_ctx, { from }) => {
      const part = from?.part ?? 0
      if (part === 3 && failures-- > 0) throw new Error('the database went away')
      const rows = Array.from({ length: 10 }, (_, n) => ({ n: part * 10 + n }))
      return { name: 'notes', rows, next: part + 1 < PIECES ? { part: part + 1, after: null } : null }
    })
  },
}

const platform = await startIdentity({ AUTH_ERASING_SERVICES: 'crm' }, [crm])
afterAll(() => platform.close())

const exported = async (token: string) => {
  const response = await fetch(`${platform.base}/functions/v1/account-export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
const kept = () => platform.services.identity!.rt.storage.list('answers/')

test('an export goes on where a service failed, holds each row once and leaves no copy behind', async () => {
  const { session } = await signedUp(platform)
  failures = 2
  const { status, body } = await exported(session.access_token)
  expect(status).toBe(200)
  expect(body.services.crm.notes.map(({ n }: { n: number }) => n)).toEqual(Array.from({ length: 60 }, (_, n) => n))
  await expect.poll(kept).toEqual([])
})

test('an export lists the sessions that are open; one that ended stands in the log of the account', async () => {
  const { client, email } = await signedUp(platform)
  const { data } = await platform.client().auth.signInWithPassword({ email, password: PASSWORD })
  const listed = async () => (await exported(data.session!.access_token)).body.sessions.length
  expect(await listed()).toBe(2)
  await client.auth.signOut({ scope: 'local' })
  expect(await listed()).toBe(1)
})

test('an export that cannot be whole is refused: never a good answer with half a document', async () => {
  const { session } = await signedUp(platform)
  failures = Number.POSITIVE_INFINITY
  const { status, body } = await exported(session.access_token)
  expect([status, body.code, body.details]).toEqual([503, 'export_unavailable', { service: 'crm' }])
  expect(await kept()).toEqual([])
  failures = 0
  expect((await exported(session.access_token)).status).toBe(200)
})
