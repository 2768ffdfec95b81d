import type * as contract from '@operon/contracts/billing/plans-staff'
import type { Input, Output } from '@operon/contracts/contract'
import { billCentsOf, monthlyCentsOf, type Period, type PlanId, TRIAL_DAYS } from '@operon/contracts/plans'
import { now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { isUuid } from '@operon/kit/ids'
import { type RawBuilder, sql } from 'kysely'
import type { BillingCtx } from '../deps.ts'
import type { Status } from '../schema.ts'
import { readSetting, replaceSetting } from '../settings.ts'
import { log } from './log.ts'

type Figures = Output<typeof contract.staffFigures>
type Kept = { figures: Figures; counted: number }
type Figure = Input<typeof contract.staffFigureRows>['figure']

const CHURN_DAYS = 30
const CONVERSION_DAYS = 90
const SHOWN = 50
const KEPT = 'figures:counted'
/** Counting reads every account that a figure is about. So many are counted while somebody waits; of more, what was counted within the hour is shown. */
const COUNTED_AT_ONCE = 2_000
const KEPT_MS = 2 * 3_600_000
const theirNow = sql`provider_now(s.user_id)`
const days = (count: number) => sql`${count} * interval '1 day'`
/** The first payment for a plan. */
const hasPaid = sql`exists (select from ledger_entries e where e.user_id = s.user_id and e.kind = 'charge')`
const trialEnded = sql`coalesce(s.trial_end, a.trial_used_at + ${days(TRIAL_DAYS)})`
const inConversion = sql`a.trial_used_at is not null and s.status <> 'trialing' and a.trial_used_at > now() - ${days(CONVERSION_DAYS + TRIAL_DAYS)}`

/** Which accounts a figure counts, and since when each does. */
const counted: Record<Figure, { where: RawBuilder<unknown>; at: RawBuilder<unknown> }> = {
  mrr: { where: sql`s.status in ('active', 'past_due') and not s.lapsed`, at: sql`s.period_start` },
  trials: { where: sql`s.status = 'trialing'`, at: sql`s.trial_end` },
  past_due: { where: sql`s.status in ('past_due', 'unpaid')`, at: sql`s.period_start` },
  churned: {
    where: sql`s.status = 'canceled' and s.updated_at > now() - ${days(CHURN_DAYS)} and ${hasPaid}`,
    at: sql`s.updated_at`,
  },
  converted: { where: sql`${inConversion} and ${hasPaid}`, at: trialEnded },
  not_converted: { where: sql`${inConversion} and not ${hasPaid}`, at: trialEnded },
}
const of = (figure: Figure) => sql`from subscriptions s join accounts a using (user_id) where ${counted[figure].where}`

export async function staffFigures(ctx: BillingCtx, { reason }: Input<typeof contract.staffFigures>): Promise<Figures> {
  await log(ctx, 'look at the figures', reason, null, {})
  const kept = await readSetting<Kept>(ctx.db, KEPT)
  if (kept && kept.counted > COUNTED_AT_ONCE && now() - Date.parse(kept.figures.counted_at) < KEPT_MS) return kept.figures
  return countFigures(ctx)
}

/** Counts them and keeps the result for who looks next. */
export async function countFigures(ctx: BillingCtx): Promise<Figures> {
  const ask = async <T>(query: RawBuilder<T>) => (await query.execute(ctx.db)).rows
  const count = async (figure: Figure) => (await ask(sql<{ count: number }>`select count(*)::int as count ${of(figure)}`))[0]!.count
  const paying = await ask(
    sql<{ plan: PlanId; accounts: number; yearly: number }>`
      select s.plan, count(*)::int as accounts, count(*) filter (where s.period = 'year')::int as yearly
      ${of('mrr')} and s.plan is not null group by s.plan`,
  )
  const missing = await ask(sql<{ plan: PlanId; period: Period; days: '0-7' | '8-30' | '31+'; accounts: number }>`
    select s.plan, s.period, case when ${theirNow} - s.period_start <= ${days(7)} then '0-7' when ${theirNow} - s.period_start <= ${days(30)} then '8-30' else '31+' end as days,
      count(*)::int as accounts ${of('past_due')} and s.plan is not null group by s.plan, s.period, 3`)
  const [trials, ended, converted, notConverted] = [
    await count('trials'),
    await count('churned'),
    await count('converted'),
    await count('not_converted'),
  ]
  const running = paying.reduce((sum, { accounts }) => sum + accounts, 0)
  const ageing = (['0-7', '8-30', '31+'] as const).map((age) => {
    const rows = missing.filter((row) => row.days === age)
    return {
      days: age,
      accounts: rows.reduce((sum, { accounts }) => sum + accounts, 0),
      amount_cents: rows.reduce((sum, { plan, period, accounts }) => sum + billCentsOf(plan, period) * accounts, 0),
    }
  })
  const figures = {
    counted_at: new Date(now()).toISOString(),
    mrr: paying.map(({ plan, accounts, yearly }) => ({
      ...{ plan, accounts, yearly },
      amount_cents: monthlyCentsOf(plan, 'month') * (accounts - yearly) + monthlyCentsOf(plan, 'year') * yearly,
    })),
    trials,
    past_due: ageing,
    churn: { ended, of: running + ended },
    conversion: { converted, of: converted + notConverted },
  }
  const late = ageing.reduce((sum, { accounts }) => sum + accounts, 0)
  const kept: Kept = { figures, counted: running + trials + late + ended + converted + notConverted }
  await replaceSetting(ctx.db, KEPT, kept)
  return figures
}

type Row = { user_id: string; email: string | null; plan: PlanId | null; period: Period; status: Status; at: Date }
export async function staffFigureRows(
  ctx: BillingCtx,
  { figure, reason, cursor }: Input<typeof contract.staffFigureRows>,
): Promise<Output<typeof contract.staffFigureRows>> {
  if (cursor !== undefined && !isUuid(cursor)) throw new DomainError('invalid', { message: 'This cursor is not from here.' })
  if (!cursor) await log(ctx, `list ${figure.replace('_', ' ')}`, reason, null, {})
  const { rows } = await sql<Row>`
    select s.user_id, a.email, s.plan, s.period, s.status, ${counted[figure].at} as at ${of(figure)}
      and ${cursor === undefined ? sql`true` : sql`s.user_id > ${cursor}::uuid`}
    order by s.user_id limit ${SHOWN + 1}`.execute(ctx.db)
  return {
    rows: rows.slice(0, SHOWN).map((row) => ({
      ...row,
      at: row.at.toISOString(),
      amount_cents: figure === 'past_due' ? billCentsOf(row.plan, row.period) : monthlyCentsOf(row.plan, row.period),
    })),
    cursor: rows.length > SHOWN ? rows[SHOWN - 1]!.user_id : null,
  }
}
