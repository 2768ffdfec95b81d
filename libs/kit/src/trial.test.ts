import { dashboardStats, notificationsRead } from '@operon/contracts/analytics/api'
import type { ServiceName } from '@operon/contracts/services'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { actorOf, type Ctx } from './context.ts'
import { runStatement } from './db.ts'
import { createGuardedFetch } from './fetch.ts'
import { serve } from './http.ts'
import { newId } from './ids.ts'
import type { Runtime, ServiceDefinition } from './service.ts'
import { startTestPlatform } from './testing/service.ts'

const definition = (name: ServiceName, setup: ServiceDefinition['setup']): ServiceDefinition => ({
  name,
  config: z.object({}) as never,
  migrations: {},
  setup,
})
let step: (ctx: Ctx<any>) => unknown
let [began, ended] = [0, 0]

const platform = await startTestPlatform([
  definition('analytics', ({ app }) => {
    serve(app, notificationsRead, async (ctx) => {
      began++
      await step(ctx)
      ended++
      return { read: 3, unread: 0 }
    })
  }),
  definition('crm', () => {}),
])
afterAll(() => platform.close())

const preview = () => {
  const { id } = platform.user()
  return platform.services.crm!.rt.preview(notificationsRead, {}, { actor: actorOf({ id: newId(), userId: id, actions: [], until: null }) })
}

test('a trial works in its own transaction', async () => {
  step = (ctx) => sql`select 1`.execute(ctx.db)
  const before = ended
  expect(await preview()).toEqual({})
  expect(ended).toBe(before + 1)
})

test.each<[string, (rt: Runtime, ctx: Ctx<any>) => unknown]>([
  ['another connection', (rt) => sql`select 1`.execute(rt.db)],
  ['a connection of the hot paths', (rt) => runStatement(rt.db, { name: 'trial', text: 'select 1 as one' }, [])],
  ['another service', (rt, { actor }) => rt.call(dashboardStats, {}, { actor })],
  ['an address', () => createGuardedFetch({ loopback: true })(platform.url('crm'))],
  ['a file', (rt) => rt.storage.put('trial', Buffer.from('x'), { contentType: 'text/plain' })],
  ['what instances share', (rt) => rt.cache.set('trial', 'x', 60_000)],
])('a trial that would reach %s ends there, and the person is shown what the input names', async (_, reach) => {
  const { rt } = platform.services.analytics!
  step = (ctx) => reach(rt, ctx)
  const [begins, ends] = [began, ended]
  expect(await preview()).toEqual({})
  expect([began, ended]).toEqual([begins + 1, ends])
  expect([await rt.cache.get('trial'), await rt.storage.head('trial')]).toEqual([null, null])
})
