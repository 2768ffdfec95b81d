import type * as contract from '@operon/contracts/billing/plans-staff'
import type { Input, Output } from '@operon/contracts/contract'
import { billCentsOf, monthlyCentsOf, type Period, type PlanId, TRIAL_DAYS } from '@operon/contracts/plans'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { BillingCtx, Db, Trx } from '../deps.ts'
import type { Status } from '../schema.ts'
import { log } from './log.ts'

type Figures = Output<typeof contract.staffFigures>
type Figure = Input<typeof contract.staffFigureRows>['figure']

const CHURN_DAYS = 30
const CONVERSION_DAYS = 90
const SHOWN = 50
const PIECE = 2_000
/** The first payment for a plan. */
const hasPaid = sql`exists (select from ledger_entries e where e.user_id = s.user_id and e.kind = 'charge')`
const trialEnded = sql`coalesce(s.trial_end, a.trial_used_at + ${TRIAL_DAYS} * interval '1 day')`
const dayOf = (moment: ReturnType<typeof sql>) => sql`(${moment} at time zone 'utc')::date`
const ANY_DAY = sql`date '1970-01-01'`
/** Days count by the provider's clock, which in the sandbox is ahead for some. */
const unpaidSince = dayOf(sql`(s.period_start - a.provider_ahead_s * interval '1 second')`)

/** Which accounts each figure counts, and on which day. */
const figuresOf = sql`
  (values
    ('mrr', s.status in ('active', 'past_due') and not s.lapsed, ${ANY_DAY}),
    ('trials', s.status = 'trialing', ${ANY_DAY}),
    ('past_due', s.status in ('past_due', 'unpaid'), ${unpaidSince}),
    ('churned', s.status = 'canceled' and ${hasPaid}, ${dayOf(sql`s.updated_at`)}),
    ('converted', a.trial_used_at is not null and s.status <> 'trialing' and ${hasPaid}, ${dayOf(sql`a.trial_used_at`)}),
    ('not_converted', a.trial_used_at is not null and s.status <> 'trialing' and not ${hasPaid}, ${dayOf(sql`a.trial_used_at`)})
  ) as f (figure, counts, day)`
const added = sql`
  on conflict (figure, day, plan, period) do update set accounts = c.accounts + excluded.accounts`

/** Counts the accounts that changed anew: they leave the queue in the transaction that counts them. Two at a time would count one twice. */
export async function sumFigures(db: Db, pieces = Number.POSITIVE_INFINITY): Promise<void> {
  for (let taken = PIECE; taken === PIECE && pieces > 0; pieces--) taken = await inTransaction(db, sumPiece)
}

async function sumPiece(trx: Trx): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('figures'))`.execute(trx)
  const { rows } = await sql<{ user_id: string }>`
    delete from figures_unsummed where id in (select id from figures_unsummed order by id limit ${PIECE}) returning user_id`.execute(trx)
  if (!rows.length) return 0
  const ids = [...new Set(rows.map(({ user_id }) => user_id))]
  await sql`
    with gone as (delete from account_figures where user_id = any(${ids}::uuid[]) returning *)
    insert into figure_counts as c (figure, plan, period, day, accounts)
    select figure, plan, period, day, 0 - count(*) from gone group by 1, 2, 3, 4 ${added}`.execute(trx)
  await sql`
    with made as (
      insert into account_figures (user_id, figure, plan, period, day)
      select s.user_id, f.figure, coalesce(s.plan, ''), s.period, f.day
      from subscriptions s join accounts a using (user_id) cross join lateral ${figuresOf}
      where s.user_id = any(${ids}::uuid[]) and f.counts returning *)
    insert into figure_counts as c (figure, plan, period, day, accounts)
    select figure, plan, period, day, count(*) from made group by 1, 2, 3, 4 ${added}`.execute(trx)
  await trx.deleteFrom('figure_counts').where('accounts', '=', 0).execute()
  return rows.length
}

const daysBack = (days: number) => sql`(now() at time zone 'utc')::date - ${days}::int`
/** From which day on a figure counts. */
const sinceDay = (figure: Figure) =>
  figure === 'churned'
    ? daysBack(CHURN_DAYS)
    : figure === 'converted' || figure === 'not_converted'
      ? daysBack(CONVERSION_DAYS + TRIAL_DAYS)
      : ANY_DAY

type Count = { figure: Figure; plan: PlanId | ''; period: Period; late: '0-7' | '8-30' | '31+'; accounts: number }
export async function staffFigures(ctx: BillingCtx, { reason }: Input<typeof contract.staffFigures>): Promise<Figures> {
  await log(ctx, 'look at the figures', reason, null, {})
  await sumFigures(ctx.db, 1)
  const { rows } = await sql<Count>`
    select figure, plan, period, case when day >= ${daysBack(7)} then '0-7' when day >= ${daysBack(30)} then '8-30' else '31+' end as late,
      sum(accounts)::int as accounts
    from figure_counts
    where figure in ('mrr', 'trials', 'past_due') or figure = 'churned' and day >= ${sinceDay('churned')}
      or figure in ('converted', 'not_converted') and day >= ${sinceDay('converted')}
    group by 1, 2, 3, 4 having sum(accounts) > 0 order by 1, 2, 3, 4`.execute(ctx.db)
  const of = (figure: Figure) => rows.filter((row) => row.figure === figure)
  const planned = (figure: Figure) => of(figure).filter((row): row is Count & { plan: PlanId } => row.plan !== '')
  const sum = (counts: Count[]) => counts.reduce((all, { accounts }) => all + accounts, 0)
  const [ended, converted] = [sum(of('churned')), sum(of('converted'))]
  return {
    counted_at: new Date(now()).toISOString(),
    mrr: [...Map.groupBy(planned('mrr'), ({ plan }) => plan)].map(([plan, counts]) => ({
      ...{ plan, accounts: sum(counts), yearly: sum(counts.filter(({ period }) => period === 'year')) },
      amount_cents: counts.reduce((cents, { period, accounts }) => cents + monthlyCentsOf(plan, period) * accounts, 0),
    })),
    trials: sum(of('trials')),
    past_due: (['0-7', '8-30', '31+'] as const).map((days) => {
      const late = planned('past_due').filter((row) => row.late === days)
      return {
        ...{ days, accounts: sum(late) },
        amount_cents: late.reduce((cents, { plan, period, accounts }) => cents + billCentsOf(plan, period) * accounts, 0),
      }
    }),
    churn: { ended, of: sum(planned('mrr')) + ended },
    conversion: { converted, of: converted + sum(of('not_converted')) },
  }
}

/** Since when an account counts. */
const since = {
  mrr: sql`s.period_start`,
  trials: sql`s.trial_end`,
  past_due: sql`s.period_start`,
  churned: sql`s.updated_at`,
  converted: trialEnded,
  not_converted: trialEnded,
}

type Row = { user_id: string; email: string | null; plan: PlanId | null; period: Period; status: Status; at: Date; day: string }
export async function staffFigureRows(
  ctx: BillingCtx,
  { figure, reason, cursor }: Input<typeof contract.staffFigureRows>,
): Promise<Output<typeof contract.staffFigureRows>> {
  const [day, id] = cursor?.split('|') ?? []
  if (cursor !== undefined && !(/^\d{4}-\d\d-\d\d$/.test(day!) && Date.parse(day!) > -1 && isUuid(id)))
    throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  if (!cursor) await log(ctx, `list ${figure.replace('_', ' ')}`, reason, null, {})
  if (!cursor) await sumFigures(ctx.db, 1)
  const { rows } = await sql<Row>`
    select s.user_id, a.email, s.plan, s.period, s.status, ${since[figure]} as at, to_char(f.day, 'YYYY-MM-DD') as day
    from account_figures f join subscriptions s using (user_id) join accounts a using (user_id)
    where f.figure = ${figure} and f.day >= ${sinceDay(figure)} ${cursor === undefined ? sql`` : sql`and (f.day, f.user_id) < (${day}::date, ${id}::uuid)`}
    order by f.day desc, f.user_id desc limit ${SHOWN + 1}`.execute(ctx.db)
  const last = rows.length > SHOWN ? rows[SHOWN - 1]! : null
  return {
    rows: rows.slice(0, SHOWN).map(({ day: _, ...row }) => ({
      ...row,
      at: row.at.toISOString(),
      amount_cents: figure === 'past_due' ? billCentsOf(row.plan, row.period) : monthlyCentsOf(row.plan, row.period),
    })),
    cursor: last && `${last.day}|${last.user_id}`,
  }
}
