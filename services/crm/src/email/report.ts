import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/campaigns'
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
    select url, count(*)::int as people from email_events where campaign_id = ${campaign_id} and kind = 'clicked' and not machine
    group by url order by people desc, url limit ${LINKS}`.execute(ctx.db)
  const { rows: hours } = await sql<{ at: Date; opened: number; clicked: number }>`
    select date_trunc('hour', at) as at, (count(*) filter (where kind = 'opened'))::int as opened,
      (count(*) filter (where kind = 'clicked'))::int as clicked
    from email_events where campaign_id = ${campaign_id} and kind in ('opened', 'clicked') and not machine group by 1 order by 1 limit ${HOURS}`.execute(
    ctx.db,
  )
  return {
    ...{ name: row.name, status: campaignOf(row).status, counts: countsOf(row) },
    ...{ delivered: row.delivered_count, opened: row.opened_count, machine_opened: row.machine_count, clicked: row.clicked_count },
    ...{ bounced: row.bounced_count, complained: row.complained_count, unsubscribed: row.unsubscribed_count },
    links,
    variants: row.ab ? await variantsOf(ctx, row.id, [row.subject, row.ab.subject], row.winner) : [],
    by_hour: hours.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts })),
  }
}

async function variantsOf({ db }: Ctx<CrmDb>, campaignId: string, [a, b]: [string, string], winner: 'a' | 'b' | null) {
  const { rows } = await sql<{ variant: 'a' | 'b'; sent: number; opened: number; clicked: number }>`
    select variant, count(sent_at)::int as sent, count(opened_at)::int as opened, count(clicked_at)::int as clicked
    from email_recipients where campaign_id = ${campaignId} and variant is not null group by variant order by variant`.execute(db)
  return rows.map(({ variant, ...counts }) => ({ subject: variant === 'a' ? a : b, ...counts, winner: variant === winner }))
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
