import { randomBytes } from 'node:crypto'
import { newId } from '@operon/kit/ids'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { Vault } from '@operon/kit/vault'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { integrationsService } from '../service.ts'
import { connectingIn } from '../testing.ts'
import { seal, unseal } from './keep.ts'
import { resealTokens, revokeLeft } from './sweep.ts'

const platform = await startTestPlatform([integrationsService, sandboxService])
const world = connectingIn(platform)
const { rt }: { rt: any } = platform.services.integrations!
const { db } = world
afterAll(() => platform.close())

const held = { access: 'a-token', refresh: 'another' }
const connection = (user: TestUser, app: string, more: object = {}) => {
  const id = newId()
  return { id, user_id: user.id, app, account_id: id, account: 'x', sandbox: true, scopes: [], sealed: seal(rt.vault, id, held), ...more }
}
const count = async (table: string, user: TestUser) =>
  (await db.selectFrom(table).select('id').where('user_id', '=', user.id).execute()).length

test('connections that are finished at once are no more than one may have, and rules of ads neither', async () => {
  const user = platform.user()
  await world.connected(user, 'meta-ads')
  await db
    .insertInto('connections')
    .values(Array.from({ length: 98 }, () => connection(user, 'stripe')))
    .execute()
  const key = (name: string) => ({ app: 'stripe', key: `rk_test_sandbox_${name}` })
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => world.call(user, 'connect-app', key(name))))
  expect(answers.map(({ body }) => body.code ?? 'connected').toSorted()).toEqual(
    ['connected', ...Array(4).fill('connection_limit')].toSorted(),
  )
  expect(await count('connections', user)).toBe(100)
  const { id: connection_id } = await db
    .selectFrom('connections')
    .select('id')
    .where('user_id', '=', user.id)
    .where('app', '=', 'meta-ads')
    .executeTakeFirst()
  const rule = { user_id: user.id, connection_id, campaign_id: '4001', campaign: 'x', currency: 'USD', most_cents: 1 }
  await db
    .insertInto('ad_rules')
    .values(Array.from({ length: 49 }, () => ({ id: newId(), ...rule })))
    .execute()
  const rules = [1, 2, 3, 4].map(() => world.call(user, 'create-ad-rule', { campaign_id: '4001', most_cents: 2500 }))
  expect((await Promise.all(rules)).filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await count('ad_rules', user)).toBe(50)
})

test('a token that an app does not take back is tried for a day, and then it is gone here', async () => {
  const user = platform.user()
  const left = (hours: number) => {
    const { id, user_id, app, sealed } = connection(user, 'gmail')
    return { id, generation: 1, user_id, app, sealed, sandbox: true, hooks: '[]', created_at: sql`now() - ${hours} * interval '1 hour'` }
  }
  const rows = [left(1), left(3), left(25)]
  await db.insertInto('revocations').values(rows).execute()
  const asked: string[] = []
  const away = {
    at: () => ({ client: { id: 'c', secret: 's' }, wire: async (url: string) => url }),
    fetch: async (url: string) => {
      asked.push(url)
      throw new Error('nobody is there')
    },
  }
  await revokeLeft(rt, away as never)
  expect(asked).toHaveLength(2)
  expect(await db.selectFrom('revocations').select('id').where('user_id', '=', user.id).orderBy('id').execute()).toEqual(
    rows.slice(0, 2).map(({ id }) => ({ id })),
  )
  await revokeLeft(rt, { ...away, fetch: async () => ({ status: 200 }) } as never)
  expect(await count('revocations', user)).toBe(1)
})

test('tokens that an older master key sealed open with the newest alone once they were sealed anew', async () => {
  const user = platform.user()
  const [newest, older] = [randomBytes(32), randomBytes(32)]
  const lost = connection(user, 'slack', { sealed: new Vault([randomBytes(32)]).seal('{}', 'connections:x') })
  const mine = connection(user, 'notion')
  mine.sealed = seal(new Vault([older]), mine.id, held)
  await db.insertInto('connections').values([lost, mine]).execute()
  await insert(db, 'revocations', {
    id: mine.id,
    generation: 1,
    user_id: user.id,
    app: 'notion',
    sealed: mine.sealed,
    sandbox: true,
    hooks: '[]',
  })
  await resealTokens({ db, vault: new Vault([newest, older]), log: { warn() {} } as never })
  for (const table of ['connections', 'revocations']) {
    const { sealed } = await db.selectFrom(table).select('sealed').where('id', '=', mine.id).executeTakeFirst()
    expect([table, unseal(new Vault([newest]), mine.id, sealed)]).toEqual([table, held])
  }
})
