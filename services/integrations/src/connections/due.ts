import type { Runtime } from '@operon/kit/service'
import { type Selectable, sql } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'
import type { Trx } from './keep.ts'

type Db = Runtime<IntegrationsDb>['db']

/** The work that comes due for a connection, by the column that says when. */
const WORK = {
  app_watches: { due: 'next_at', open: sql`true` },
  app_hooks: { due: 'renew_at', open: sql`true` },
  ad_rules: { due: 'check_at', open: sql`t.state = 'watching'` },
} as const
type Work = keyof typeof WORK

/** Connecting again makes it due at once, save in a process of an earlier release. */
const PUT_OFF_SECONDS = 6 * 3600
const MOST_PIECES = 50
const PUT_OFF_AT_ONCE = 500

/** Takes what is due, the longest first; it is due again in a while. */
export async function takeDue<T extends Work>(
  db: Db,
  table: T,
  { most, againSeconds }: { most: number; againSeconds: number },
): Promise<Selectable<IntegrationsDb[T]>[]> {
  await putOffBroken(db, table)
  const { due, open } = WORK[table]
  const { rows } = await sql<Selectable<IntegrationsDb[T]>>`
    with due as (
      select t.id from ${sql.table(table)} t join connections c on c.id = t.connection_id
      where ${open} and t.${sql.ref(due)} <= now() and c.state in ('connected', 'degraded')
      order by t.${sql.ref(due)} limit ${most} for update of t skip locked
    )
    update ${sql.table(table)} t set ${sql.ref(due)} = now() + ${againSeconds}::float8 * interval '1 second'
    from due where t.id = due.id returning t.*`.execute(db)
  return rows
}

/** Work that waits for a broken connection is put off, lest every turn find all of it again. Each piece goes on where the last one ended: what that left behind would be read again and again. */
export async function putOffBroken(db: Db, table: Work): Promise<void> {
  const { due, open } = WORK[table]
  let from = '-infinity'
  for (let piece = 0; piece < MOST_PIECES; piece++) {
    const { rows } = await sql<{ count: number; reached: string }>`
      with broken as (
        select t.id, t.${sql.ref(due)} as at from ${sql.table(table)} t left join connections c on c.id = t.connection_id
        where ${open} and t.${sql.ref(due)} between ${from}::timestamptz and now() and coalesce(c.state not in ('connected', 'degraded'), true)
        order by t.${sql.ref(due)} limit ${PUT_OFF_AT_ONCE} for update of t skip locked
      ), put_off as (
        update ${sql.table(table)} t set ${sql.ref(due)} = now() + ${PUT_OFF_SECONDS} * interval '1 second' from broken where t.id = broken.id
      )
      select count(*)::int as count, max(at)::text as reached from broken`.execute(db)
    const { count, reached } = rows[0]!
    if (count < PUT_OFF_AT_ONCE) return
    from = reached
  }
}

/**
 * Lets the work of a connection that broke go on. A second ahead: a turn that began before, and
 * read the connection as broken, leaves it alone.
 */
export async function resume(trx: Trx, connectionId: string): Promise<void> {
  for (const [table, { due, open }] of Object.entries(WORK))
    await sql`
      update ${sql.table(table)} t set ${sql.ref(due)} = least(${sql.ref(due)}, clock_timestamp() + interval '1 second')
      where t.connection_id = ${connectionId} and ${open}`.execute(trx)
}
