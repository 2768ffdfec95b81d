import type { dashboardStats } from '@operon/contracts/analytics/api'
import type { Output } from '@operon/contracts/contract'
import * as crm from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { AnalyticsDb } from '../schema.ts'

const PERIOD_DAYS = 30
const figures = {
  leads: crm.leadCreated.name,
  leadCount: crm.leadCountChanged.name,
  appointments: crm.appointmentBooked.name,
  campaigns: crm.campaignCreated.name,
  emails_sent: crm.campaignSent.name,
}

export const counted = Object.values(figures)
/** As words of the statement, so that the index of these names serves it. */
const countedNames = sql.join(counted.map((name) => sql.lit(name)))

type Sums = { name: string; total: number; current: number; previous: number }

/**
 * Added up from a sum of all time and whole days. A period begins within one, so of that day the facts before its hour are taken off again: at most two days of
 * facts are read, however many there are.
 */
export async function dashboardFigures(ctx: Ctx<AnalyticsDb>): Promise<Output<typeof dashboardStats>> {
  const { id: userId } = signedIn(ctx)
  const since = (periods: number) => sql`(now() - ${periods * PERIOD_DAYS} * interval '1 day')`
  const dayOf = (time: ReturnType<typeof sql>) => sql`(${time} at time zone 'UTC')::date`
  /** Of the day in which a period begins, what came before it. */
  const early = (periods: number) => sql`
    select name, -sum(fact_amount(name, payload)) as amount from facts
    where user_id = ${userId} and name in (${countedNames}) and at < ${since(periods)}
      and at >= ${dayOf(since(periods))}::timestamp at time zone 'UTC' group by name`
  const { rows } = await sql<Sums>`
    select name, sum(total)::bigint as total, sum(since_1)::bigint as current, (sum(since_2) - sum(since_1))::bigint as previous from (
      select name, amount as total, 0 as since_1, 0 as since_2 from fact_all_time where user_id = ${userId}
      union all select name, 0,
        coalesce(sum(amount) filter (where day >= ${dayOf(since(1))}), 0) as since_1,
        coalesce(sum(amount) filter (where day >= ${dayOf(since(2))}), 0) as since_2
      from fact_days where user_id = ${userId} and name in (${countedNames}) and day >= ${dayOf(since(2))} group by name
      union all select name, 0, amount, 0 from (${early(1)}) as first
      union all select name, 0, 0, amount from (${early(2)}) as second
    ) as counted group by name`.execute(ctx.db)
  const stat = (...names: string[]) => {
    const found = rows.filter(({ name }) => names.includes(name))
    const sum = (of: 'total' | 'current' | 'previous') => found.reduce((all, row) => all + Number(row[of]), 0)
    const [total, current, previous] = [sum('total'), sum('current'), sum('previous')]
    return { total, current, previous, change_pct: previous ? Math.round(((current - previous) / previous) * 100) : 0 }
  }
  return {
    leads: stat(figures.leads, figures.leadCount),
    appointments: stat(figures.appointments),
    campaigns: stat(figures.campaigns),
    emails_sent: stat(figures.emails_sent),
    period_days: PERIOD_DAYS,
  }
}
