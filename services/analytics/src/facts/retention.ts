import type { Ctx } from '@operon/kit/context'
import { sql } from 'kysely'
import { counted } from '../dashboard/figures.ts'
import type { AnalyticsDb } from '../schema.ts'

type Db = Ctx<AnalyticsDb>['db']
type Bounds = { batch: number; batches: number }

/** In small transactions that hold up nobody, and not for ever: what is left goes with the next run. */
export async function forgetOlderThan(
  ctx: Pick<Ctx<AnalyticsDb>, 'db' | 'signal'>,
  days: number,
  { batch, batches }: Bounds = { batch: 2_000, batches: 500 },
): Promise<void> {
  for (const forget of [sumUpFacts, forgetActivity, forgetNotices])
    for (let n = 0; n < batches && !ctx.signal.aborted; n++) if ((await forget(ctx.db, days, batch)) < batch) break
}

/** The days keep what the figures count; the sum is for an instance of the version before, and goes with the next release. Both in one statement, so that nothing is counted twice or not at all. */
async function sumUpFacts(db: Db, days: number, batch: number): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    with gone as (
      delete from facts where event_id in (select event_id from facts where at < ${before(days)} order by at limit ${batch} for update skip locked)
      returning user_id, name, payload
    ), kept as (
      insert into fact_sums (user_id, name, amount)
      select user_id, name, sum(fact_amount(name, payload)) from gone where user_id is not null and name = any(${counted}) group by user_id, name
      on conflict (user_id, name) do update set amount = fact_sums.amount + excluded.amount
    )
    select count(*) as gone from gone`.execute(db)
  return rows[0]!.gone
}

const forgetActivity = (db: Db, days: number, batch: number) =>
  deleted(
    sql`
    delete from activity_logs where id in (
      select id from activity_logs where created_at < ${before(days)} order by created_at limit ${batch} for update skip locked)`.execute(
      db,
    ),
  )

/** Unread notifications are kept. */
const forgetNotices = (db: Db, days: number, batch: number) =>
  deleted(
    sql`
    delete from notifications where id in (
      select id from notifications where read_at < ${before(days)} order by read_at limit ${batch} for update skip locked)`.execute(db),
  )

const before = (days: number) => sql`now() - ${days} * interval '1 day'`
const deleted = async (ran: Promise<{ numAffectedRows?: bigint | undefined }>) => Number((await ran).numAffectedRows ?? 0)
