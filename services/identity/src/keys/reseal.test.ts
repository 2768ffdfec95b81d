import { randomBytes } from 'node:crypto'
import { Vault } from '@operon/kit/vault'
import { afterAll, expect, test } from 'vitest'
import { signedUp, startIdentity } from '../testing/platform.ts'
import { resealAll } from './reseal.ts'

const platform = await startIdentity({})
afterAll(() => platform.close())

test('what an older master key sealed opens with the newest alone once it was sealed anew', async () => {
  const { rt } = platform.services.identity!
  const [newest, older] = [randomBytes(32), randomBytes(32)]
  await rt.db.deleteFrom('factors').execute()
  const { client, session } = await signedUp(platform)
  const { data } = await client.auth.mfa.enroll({ factorType: 'totp' })
  const context = `factors:${data!.id}:${session.user.id}`
  const sealed = async () =>
    (await rt.db.selectFrom('factors').select('sealed_secret').where('id', '=', data!.id).executeTakeFirstOrThrow()).sealed_secret as string
  await rt.db
    .updateTable('signing_keys')
    .set({ sealed_private: new Vault([older]).seal('{}', 'signing_keys:x'), kid: 'x' })
    .execute()
  await rt.db
    .updateTable('factors')
    .set({ sealed_secret: new Vault([older]).seal('secret', context) })
    .execute()
  const resealed = (keys: Buffer[]) => resealAll({ ...rt.ctx(), deps: { rt: { vault: new Vault(keys) } } } as never)

  // One that knows a single key, its own or none of these, leaves everything as it is.
  const before = await sealed()
  await resealed([randomBytes(32)])
  expect(await sealed()).toBe(before)

  await resealed([newest, older])
  expect(new Vault([newest]).open(await sealed(), context)).toBe('secret')
  const { sealed_private } = await rt.db.selectFrom('signing_keys').select('sealed_private').executeTakeFirstOrThrow()
  expect(new Vault([newest]).open(sealed_private as string, 'signing_keys:x')).toBe('{}')
  const after = await sealed()
  await resealed([newest, older])
  expect(await sealed()).toBe(after)
})
