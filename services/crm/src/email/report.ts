import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/report'
import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { campaignOf, countsOf, placeIn, readCampaign } from './campaigns.ts'

const LINKS = 50
const HOURS = 96

/** Each person counts once, however often they open or click. */
export async function campaignReport(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.campaignReport>,
): Promise<Output<typeof contract.campaignReport>> {
  const row = await readCampaign(ctx.db, signedIn(ctx).id, campaign_id)
  const { rows: links } = await sql<{ url: string; people: number }>`
    select of as url, n as people from email_tallies where campaign_id = ${campaign_id} and what = 'link' order by n desc limit ${LINKS}`.execute(
    ctx.db,
  )
  const { rows: hours } = await sql<{ at: string; opened: number; clicked: number }>`
    select of as at, coalesce(sum(n) filter (where what = 'opened'), 0)::int as opened,
      coalesce(sum(n) filter (where what = 'clicked'), 0)::int as clicked
    from email_tallies where campaign_id = ${campaign_id} and what in ('opened', 'clicked') group by of order by of limit ${HOURS}`.execute(
    ctx.db,
  )
  return {
    ...{ name: row.name, status: campaignOf(row).status, counts: countsOf(row) },
    ...{ delivered: row.delivered_count, opened: row.opened_count, machine_opened: row.machine_count, clicked: row.clicked_count },
    ...{ bounced: row.bounced_count, complained: row.complained_count, unsubscribed: row.unsubscribed_count },
    links,
    variants: row.ab ? await variantsOf(ctx, row.id, [row.subject, row.ab.subject], row.winner) : [],
    by_hour: hours,
  }
}

async function variantsOf({ db }: Ctx<CrmDb>, campaignId: string, [a, b]: [string, string], winner: 'a' | 'b' | null) {
  const { rows } = await sql<{ of: string; n: number }>`
    select of, n from email_tallies where campaign_id = ${campaignId} and what = 'variant'`.execute(db)
  const count = (of: string) => rows.find((row) => row.of === of)?.n ?? 0
  return (['a', 'b'] as const).map((variant) => ({
    subject: variant === 'a' ? a : b,
    ...{ sent: count(`sent ${variant}`), opened: count(`opened ${variant}`), clicked: count(`clicked ${variant}`) },
    winner: variant === winner,
  }))
}

export async function listRecipients(
  ctx: Ctx<CrmDb>,
  { campaign_id, filter, limit, cursor }: Input<typeof contract.listRecipients>,
): Promise<Output<typeof contract.listRecipients>> {
  await readCampaign(ctx.db, signedIn(ctx).id, campaign_id)
  const place = placeIn(cursor)
  const isEvent = filter === 'opened' || filter === 'clicked' || filter === 'bounced' || filter === 'unsubscribed'
  const rows = await ctx.db
    .selectFrom('email_recipients')
    .selectAll()
    .where('campaign_id', '=', campaign_id)
    .$if(isEvent, (of) => of.where(`${filter as 'opened'}_at`, 'is not', null))
    .$if(filter !== undefined && !isEvent, (of) => of.where('state', '=', filter as 'sent'))
    .$if(place !== null, (of) => of.where('id', '>', place!))
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const iso = (at: Date | null) => at?.toISOString() ?? null
  return {
    recipients: shown.map(
      ({ id, contact_id, name, email, state, reason, sent_at, opened_at, clicked_at, bounced_at, unsubscribed_at }) => ({
        ...{ recipient_id: id, contact_id, name, email, state, reason },
        ...{ sent_at: iso(sent_at), opened_at: iso(opened_at), clicked_at: iso(clicked_at) },
        ...{ bounced_at: iso(bounced_at), unsubscribed_at: iso(unsubscribed_at) },
      }),
    ),
    cursor: rows.length > limit ? shown.at(-1)!.id : null,
  }
}
