import { event, job, plain } from '@operon/contracts/contract'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from './ids.ts'
import { Reserver } from './reserver.ts'
import type { ServiceDefinition } from './service.ts'
import { testServer } from './testing/database.ts'
import { startTestService } from './testing/service.ts'
import { enqueue, publish } from './tx.ts'

const said = event('crm.said', z.object({ n: plain(z.int()) }))
const lanes = ['one', 'two', 'three', 'four'].map((lane) => job(`crm.${lane}`, z.object({})))

test('a service opens at most seven connections, however much is asked of it at once, with each lane of jobs at work', async () => {
  const heard: string[] = []
  const ran: string[] = []
  const service: ServiceDefinition = {
    name: 'crm',
    config: z.object({}),
    migrations: {},
    setup(rt) {
      rt.on(said, 'hears', async (_trx, { id }) => void heard.push(id))
      for (const lane of lanes) rt.job(lane, async (_ctx, { id }) => void ran.push(id), { concurrency: 4 })
    },
  }
  const platform = await startTestService(service, { DATABASE_POOL: '' })
  const { db } = platform.services.crm!.rt
  const reserver = new Reserver(db, 'prompts', 'crm')
  await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      await reserver.reserve({ userId: newId(), feature: 'chat' })
      await db.transaction().execute(async (trx) => {
        await publish(trx, said, null, { n })
        await enqueue(trx, lanes[n % lanes.length]!, {})
      })
      await sql`select pg_sleep(0.01)`.execute(db)
    }),
  )
  await expect.poll(() => [heard.length, ran.length], { timeout: 30_000 }).toEqual([100, 100])

  // A pool keeps what it opened for half a minute, so this sees the most there were.
  const elsewhere = new pg.Client({ connectionString: testServer() })
  await elsewhere.connect()
  const { rows } = await elsewhere.query('select application_name as name from pg_stat_activity where datname = $1 order by 1', [
    new URL(platform.infra.env.DATABASE_URL_CRM!).pathname.slice(1),
  ])
  await elsewhere.end()
  expect(rows.length, rows.map(({ name }) => name).join()).toBeLessThanOrEqual(7)
  expect(rows.length).toBeGreaterThan(5)
  await platform.close()
}, 60_000)
