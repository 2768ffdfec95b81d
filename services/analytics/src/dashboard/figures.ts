import type { dashboardStats } from '@operon/contracts/analytics/api'
import type { Output } from '@operon/contracts/contract'
import * as crm from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { AnalyticsDb } from '../schema.ts'

const PERIOD_DAYS = 30
const figures = {
  leads: crm.leadCreated.name,
  appointments: crm.appointmentBooked.name,
  campaigns: crm.campaignCreated.name,
  emails_sent: crm.campaignSent.name,
}

export const counted = Object.values(figures)
/** Each event is one, a step of a campaign as many as it sent. */
export const amountOf = sql<number>`case when name = ${crm.campaignSent.name} then (payload ->> 'sent')::bigint else 1 end`

type Sums = { name: string; total: number; current: number; previous: number }

/** Counted from the facts, and from the sums of those that are no longer kept. */
export async function dashboardFigures(ctx: Ctx<AnalyticsDb>): Promise<Output<typeof dashboardStats>> {
  const { id: userId } = signedIn(ctx)
  const since = (periods: number) => sql`now() - ${periods * PERIOD_DAYS} * interval '1 day'`
  const sum = (during: ReturnType<typeof sql>) => sql`coalesce(sum(${amountOf}) filter (where ${during}), 0)`
  const { rows } = await sql<Sums>`
    select name, sum(total)::bigint as total, sum(current)::bigint as current, sum(previous)::bigint as previous from (
      select name, sum(${amountOf}) as total, ${sum(sql`at >= ${since(1)}`)} as current,
        ${sum(sql`at >= ${since(2)} and at < ${since(1)}`)} as previous
      from facts where user_id = ${userId} and name = any(${counted}) group by name
      union all
      select name, amount, 0, 0 from fact_sums where user_id = ${userId}
    ) as counted group by name`.execute(ctx.db)
  const stat = (name: string) => {
    const { total, current, previous } = rows.find((row) => row.name === name) ?? { total: 0, current: 0, previous: 0 }
    return { total, current, previous, change_pct: previous ? Math.round(((current - previous) / previous) * 100) : 0 }
  }
  return {
    leads: stat(figures.leads),
    appointments: stat(figures.appointments),
    campaigns: stat(figures.campaigns),
    emails_sent: stat(figures.emails_sent),
    period_days: PERIOD_DAYS,
  }
}
