import type { dashboardStats } from '@operon/contracts/analytics'
import type { Output } from '@operon/contracts/contract'
import * as crm from '@operon/contracts/crm'
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

type Sums = { name: string; total: number; current: number; previous: number }

/** Counted from the facts: each event is one, a step of a campaign as many as it sent. */
export async function dashboardFigures(ctx: Ctx<AnalyticsDb>): Promise<Output<typeof dashboardStats>> {
  const { id: userId } = signedIn(ctx)
  const since = (periods: number) => sql`now() - ${periods * PERIOD_DAYS} * interval '1 day'`
  const amount = sql`case when name = ${crm.campaignSent.name} then (payload ->> 'sent')::bigint else 1 end`
  const sum = (during: ReturnType<typeof sql>) => sql<number>`coalesce(sum(${amount}) filter (where ${during}), 0)::bigint`
  const rows: Sums[] = await ctx.db
    .selectFrom('facts')
    .select([
      'name',
      sum(sql`true`).as('total'),
      sum(sql`at >= ${since(1)}`).as('current'),
      sum(sql`at >= ${since(2)} and at < ${since(1)}`).as('previous'),
    ])
    .where('user_id', '=', userId)
    .where('name', 'in', Object.values(figures))
    .groupBy('name')
    .execute()
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
