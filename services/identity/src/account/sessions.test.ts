import { newId } from '@operon/kit/ids'
import { deleteInPieces } from '@operon/kit/pieces'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { signedUp, startIdentity } from '../testing/platform.ts'
import { overdue } from './sweep.ts'

const platform = await startIdentity()
afterAll(() => platform.close())

test('an account pages through its devices, this one first and each once, however many there are', async () => {
  const { client, user } = await signedUp(platform)
  const { db } = platform.services.identity!.rt
  const ids = Array.from({ length: 120 }, () => newId())
  await sql`insert into sessions (id, user_id, revoked_at) select id, ${user.id}, case when at % 40 = 0 then now() end
    from unnest(${ids}::uuid[]) with ordinality as each (id, at)`.execute(db)
  const seen: { id: string; current: boolean }[] = []
  const sizes: number[] = []
  let cursor: string | null = null
  do {
    const { data }: { data: { sessions: typeof seen; cursor: string | null } } = (await client.functions.invoke('account-sessions', {
      body: { cursor },
    })) as never
    sizes.push(data.sessions.length)
    seen.push(...data.sessions)
    cursor = data.cursor
  } while (cursor)
  expect([sizes, seen[0]!.current, seen.filter(({ current }) => current).length]).toEqual([[51, 50, 17], true, 1])
  const open = ids.filter((_, at) => (at + 1) % 40 !== 0)
  expect(seen.slice(1).map(({ id }) => id)).toEqual(open.toReversed())
  const { error } = await client.functions.invoke('account-sessions', { body: { cursor: "x' or true" } })
  expect(error?.context.status).toBe(400)
})

test('the sweep takes out what has run its time in pieces, and nothing else', { timeout: 60_000 }, async () => {
  const { user } = await signedUp(platform)
  const { db } = platform.services.identity!.rt
  await sql`insert into sessions (id, user_id, revoked_at) select gen_random_uuid(), ${user.id}, now() - n * interval '1 day'
    from generate_series(1, 100) as n`.execute(db)
  const mine = sql<boolean>`user_id = ${user.id} and revoked_at < now() - interval '30 days 1 hour'`
  expect(await deleteInPieces(db, 'sessions', mine, { piece: 20, pieces: 2 })).toBe(40)
  expect(await deleteInPieces(db, 'sessions', mine, { piece: 20 })).toBe(30)
  const left = await db.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute()
  expect(left).toHaveLength(31)
})

test('the sweep finds all that has run its time by an index', async () => {
  const { db } = platform.services.identity!.rt
  const walks = await db.transaction().execute(async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx)
    const found: string[] = []
    for (const [table, where] of overdue()) {
      const { rows } = await sql`explain (format json) select ctid from ${sql.table(table)} where ${where} limit 1000`.execute(trx)
      if (JSON.stringify(rows).includes('Seq Scan')) found.push(table)
    }
    return found
  })
  expect(walks).toEqual([])
})
