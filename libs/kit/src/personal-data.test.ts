import { exportUser } from '@operon/contracts/personal-data'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { erasesPeople } from './erasure.ts'
import { newId } from './ids.ts'
import { WHOLE_ROW } from './personal-data.ts'
import type { ServiceDefinition } from './service.ts'
import { insert } from './testing/rows.ts'
import { startTestPlatform } from './testing/service.ts'

const KEPT = 1203
const crm: ServiceDefinition = {
  name: 'crm',
  config: { parse: () => ({}), safeParse: () => ({ success: true, data: {} }) } as never,
  migrations: {
    '0001_notes': {
      async up(db) {
        await sql`create table notes (id uuid primary key, user_id uuid not null, text text not null, secret text not null)`.execute(db)
        await sql`create table lines (note_id uuid not null, line int not null)`.execute(db)
        await sql`create table views (note_id uuid not null, user_id uuid not null, day int not null)`.execute(db)
        await sql`create table friends (a uuid not null, b uuid not null)`.execute(db)
      },
    },
  },
  setup(rt) {
    erasesPeople(rt, {
      erase: async () => ({}),
      holds: [
        { table: 'friends', of: (userId) => sql`t.a = ${userId}`, key: null, without: ['b'] },
        { table: 'views', key: WHOLE_ROW },
        { table: 'views', as: 'shared', key: 'note_id', of: (userId) => sql`t.user_id = ${userId} and t.day < 0` },
        {
          table: 'notes',
          // One way or another: going on from a place is asked beside both.
          of: (userId) => sql`t.user_id = ${userId} or t.text = ${userId}`,
          without: ['secret'],
          plus: sql`jsonb_build_object('lines', (select count(*) from lines l where l.note_id = t.id))`,
        },
      ],
    })
  },
}

const platform = await startTestPlatform([crm])
afterAll(() => platform.close())

type Place = { part: number; after: string | null } | null
async function pieces(userId: string) {
  const { rt } = platform.services.crm!
  const found: { name: string; rows: Record<string, unknown>[] }[] = []
  let from: Place = null
  do {
    const piece: Awaited<ReturnType<typeof rt.ask>> = await rt.ask(exportUser('crm'), { user_id: userId, from })
    found.push(piece as never)
    from = (piece as { next: Place }).next
  } while (from)
  return found
}

test('what a service holds of a person comes whole, in pieces, and of nobody else', async () => {
  const { db } = platform.services.crm!.rt as { db: any }
  const [ann, bob] = [newId(), newId()]
  const note = (userId: string, text: string) => ({ id: newId(), user_id: userId, text, secret: 'sealed' })
  const notes = Array.from({ length: KEPT }, (_, at) => note(ann, `note ${at}`))
  for (let at = 0; at < KEPT; at += 500) await insert(db, 'notes', notes.slice(at, at + 500))
  await insert(db, 'notes', note(bob, 'not hers'))
  await insert(db, 'lines', { note_id: notes[0]!.id, line: 1 })
  await db
    .insertInto('friends')
    .values([
      { a: ann, b: bob },
      { a: bob, b: ann },
    ])
    .execute()

  const hers = await pieces(ann)
  const rows = hers.filter(({ name }) => name === 'notes').flatMap((piece) => piece.rows)
  expect(hers.map(({ name, rows: some }) => [name, some.length])).toEqual([
    ['friends', 1],
    ['views', 0],
    ['shared', 0],
    ['notes', 500],
    ['notes', 500],
    ['notes', 203],
    ['entitlements', 0],
    ['usage_counters', 0],
    ['usage_reservations', 0],
    ['usage_top_ups', 0],
  ])
  expect(rows.map((row) => row.id)).toEqual(notes.map(({ id }) => id).toSorted())
  expect(hers[0]!.rows).toEqual([{ a: ann }])
  expect(rows.find((row) => row.id === notes[0]!.id)).toEqual({ id: notes[0]!.id, user_id: ann, text: 'note 0', lines: 1 })
  expect(JSON.stringify(hers)).not.toContain('sealed')
  // Asking for somebody else's data gives nothing.
  const actor = { kind: 'user', id: bob } as never
  const input = { user_id: ann, from: null }
  await expect(platform.services.crm!.rt.ask(exportUser('crm'), input, { actor })).rejects.toMatchObject({ status: 404 })
})

test('rows that together outgrow a message are parted before it does', async () => {
  const { db } = platform.services.crm!.rt as { db: any }
  const userId = newId()
  const big = Array.from({ length: 5 }, () => ({ id: newId(), user_id: userId, text: 'x'.repeat(200_000), secret: '' }))
  await insert(db, 'notes', big)
  const notes = (await pieces(userId)).filter(({ name }) => name === 'notes')
  expect(notes.map(({ rows }) => rows.length)).toEqual([2, 2, 1])
  expect(Math.max(...notes.map((piece) => JSON.stringify(piece).length))).toBeLessThan(600_000)
})

test('rows without an id of their own come whole too, and a key that two of them share is an error instead of a loss', async () => {
  const { db } = platform.services.crm!.rt as { db: any }
  const [ann, bob, note] = [newId(), newId(), newId()]
  const views = (userId: string, first: number) =>
    sql`insert into views (note_id, user_id, day) select ${note}, ${userId}, ${first} + n from generate_series(0, ${KEPT - 1}) n`.execute(
      db,
    )
  await views(ann, 1)
  const found = (await pieces(ann)).filter(({ name }) => name === 'views').flatMap(({ rows }) => rows)
  expect(new Set(found.map(({ day }) => day)).size).toBe(KEPT)
  expect(found).toHaveLength(KEPT)
  await views(bob, -KEPT)
  await expect(pieces(bob)).rejects.toThrow()
})
