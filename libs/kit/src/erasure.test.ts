import { userErased } from '@operon/contracts/erasure'
import { userDeleted } from '@operon/contracts/identity/events'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { erasesPeople, NOBODY } from './erasure.ts'
import { newId } from './ids.ts'
import type { ServiceDefinition } from './service.ts'
import { startTestPlatform } from './testing/service.ts'

let stops = 0
const crm: ServiceDefinition = {
  name: 'crm',
  config: { parse: () => ({}), safeParse: () => ({ success: true, data: {} }) } as never,
  migrations: {
    '0001_notes': {
      async up(db) {
        for (const table of ['notes', 'sums'])
          await sql`create table ${sql.table(table)} (id uuid primary key default gen_random_uuid(), user_id uuid not null, n int not null)`.execute(
            db,
          )
      },
    },
  },
  setup(rt) {
    erasesPeople(rt, {
      long: [{ table: 'notes' }, { table: 'sums', where: sql`n > 10 or n > 2000`, becomes: NOBODY }],
      async erase(trx, userId) {
        if (stops-- > 0) throw new Error('the database went away')
        const { numDeletedRows } = await (trx as any).deleteFrom('sums').where('user_id', '=', userId).executeTakeFirst()
        return { deleted: { sums: Number(numDeletedRows) } }
      },
      holds: [{ table: 'notes' }],
    })
  },
}

const platform = await startTestPlatform([crm])
afterAll(() => platform.close())

test('an erasure that stops goes on where it was, counts each row once and is told to who operates it', { timeout: 90_000 }, async () => {
  const { db, metrics } = platform.services.crm!.rt as any
  const [ann, bob] = [newId(), newId()]
  for (const userId of [ann, bob]) {
    await sql`insert into notes (user_id, n) select ${userId}, n from generate_series(1, 2500) as n`.execute(db)
    await sql`insert into sums (user_id, n) select ${userId}, n from generate_series(1, 1500) as n`.execute(db)
  }
  stops = 1
  await platform.emit(userDeleted, ann, { version: 2 })
  const left = async (table: string, userId: string) =>
    (await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)} where user_id = ${userId}`.execute(db)).rows[0]!.n
  const stopped = async () =>
    (await metrics.counter.get()).values.find(({ labels }: any) => labels.what === 'erasure_stopped' && labels.service === 'crm')?.value
  await expect.poll(stopped, { timeout: 30_000 }).toBe(1)
  // The work of the first try stays done.
  expect(await left('notes', ann)).toBe(0)
  const told = async () =>
    (await db.selectFrom('outbox').select('payload').where('name', '=', userErased('crm').name).where('user_id', '=', ann).execute()).map(
      ({ payload }: any) => payload,
    )
  await expect.poll(told, { timeout: 60_000 }).toMatchObject([{ deleted: { notes: 2_500, sums: 10 }, anonymised: { sums: 1_490 } }])
  expect([await left('notes', ann), await left('sums', ann), await left('sums', NOBODY)]).toEqual([0, 0, 1_490])
  expect([await left('notes', bob), await left('sums', bob)]).toEqual([2_500, 1_500])
  expect(await db.selectFrom('erased_pieces').selectAll().execute()).toEqual([])
})
