import { campaignFinished } from '@operon/contracts/crm/email/events'
import { campaignSent } from '@operon/contracts/crm/events'
import { publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CampaignRow } from './campaigns.ts'
import { settlePlan } from './send.ts'
import { advance, type Moved } from './sequences/advance.ts'

export type Settled = {
  id: string
  state: 'sent' | 'failed' | 'unknown' | 'skipped' | 'waiting'
  reason?: string
  fence?: number
  providerId?: string | null
  afterMs?: number
}

const LOOK_AFTER_MS = 20_000
/** Each wait is twice the last, so a mail server may be away for two hours before anybody is given up. */
const MOST_ATTEMPTS = 10
const LONGEST_MS = 3_600_000

/**
 * Writes down what became of claimed recipients, and counts each row that changed. One whose lease ran out meanwhile is `unknown`: a sure
 * answer still settles it, but it never waits again.
 */
export async function settleRecipients(
  trx: Trx,
  campaign: Pick<CampaignRow, 'id' | 'user_id' | 'name'>,
  all: Settled[],
): Promise<CampaignRow> {
  // Locked first, as by whoever cancels it: none waits in a campaign that is over.
  const { status } = await trx
    .selectFrom('email_campaigns')
    .select('status')
    .where('id', '=', campaign.id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const given = all.map(({ id, state, reason = null, providerId = null, afterMs = 0, fence = null }) => ({
    ...{ id, reason, provider_id: providerId, after_ms: afterMs, fence },
    state: state === 'waiting' && status === 'cancelled' ? 'skipped' : state,
  }))
  const { rows } = await sql<Moved & { was: string }>`
    with given as (select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as g (id uuid, state text, reason text, provider_id text, after_ms float8, fence int)),
    found as (
      select r.id, r.state as was, g.reason, g.provider_id,
        least(g.after_ms * 2 ^ greatest(r.attempts - 1, 0), greatest(g.after_ms, ${LONGEST_MS})) as after_ms,
        case when g.state = 'waiting' and r.attempts >= ${MOST_ATTEMPTS} then 'failed' else g.state end as state
      from email_recipients r join given g using (id)
      where r.campaign_id = ${campaign.id} and (r.state = 'sending' or (r.state = 'unknown' and g.state in ('sent', 'failed')) or (r.state = 'waiting' and r.fence = g.fence))
      for update of r
    ), moved as (
      update email_recipients r set state = f.state, reason = f.reason, provider_id = coalesce(f.provider_id, r.provider_id), lease_until = null,
        sent_at = case when f.state = 'sent' then coalesce(r.sent_at, now()) else r.sent_at end,
        due_at = case when f.state = 'waiting' then now() + f.after_ms * interval '1 millisecond' else r.due_at end,
        look_at = case when f.state = 'unknown' then now() + ${LOOK_AFTER_MS} * interval '1 millisecond' end
      from found f where r.id = f.id returning r.id, r.contact_id, r.variant, r.reason, f.was, f.state
    ), told as (
      insert into activities (id, user_id, contact_id, kind, text, points, at)
      select uuidv7(), ${campaign.user_id}, l.id, 'email', ${`Was sent ${campaign.name}`.slice(0, 300)}, 0, now()
      from moved m join leads l on l.id = m.contact_id and l.user_id = ${campaign.user_id} where m.state = 'sent'
    ), tallied as (
      insert into email_tallies as t (campaign_id, user_id, what, of, n)
      select ${campaign.id}, ${campaign.user_id}, 'variant', 'sent ' || coalesce(variant, 'a'), count(*)::int from moved
      where state = 'sent' and was <> 'sent' group by 4 order by 4
      on conflict (campaign_id, what, of) do update set n = t.n + excluded.n
    )
    select id, was, state, reason from moved`.execute(trx)
  const change = (state: string) => rows.filter((row) => row.state === state).length - rows.filter((row) => row.was === state).length
  const sent = change('sent')
  const row = await trx
    .updateTable('email_campaigns')
    .set({
      sent_count: sql`sent_count + ${sent}`,
      unknown_count: sql`unknown_count + ${change('unknown')}`,
      failed_count: sql`failed_count + ${change('failed')}`,
      skipped_count: sql`skipped_count + ${change('skipped')}`,
    })
    .where('id', '=', campaign.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (row.sequence_id) await advance(trx, row, rows)
  if (sent > 0) await publish(trx, campaignSent, campaign.user_id, { campaign_id: campaign.id, name: campaign.name, sent })
  return row
}

/** Ends a campaign once nobody waits and nobody is being sent to. */
export async function finishCampaign(trx: Trx, campaignId: string): Promise<CampaignRow | null> {
  const row = await trx
    .updateTable('email_campaigns as c')
    .set({ status: 'sent', finished_at: sql<Date>`now()`, reason: null, version: sql`version + 1` })
    .where('c.id', '=', campaignId)
    .where('c.status', '=', 'sending')
    .where(
      sql<boolean>`not exists (select from email_recipients r where r.campaign_id = c.id and r.state = 'waiting')
        and not exists (select from email_recipients r where r.campaign_id = c.id and r.state = 'sending')`,
    )
    .returningAll()
    .executeTakeFirst()
  if (!row) return null
  // Whoever comes next in the sequence sets it to work again.
  if (row.sequence_id) return row as CampaignRow
  await settlePlan(trx, row as CampaignRow)
  const { user_id, name, sent_count: sent, unknown_count: unknown, failed_count: failed, skipped_count: skipped } = row
  await publish(trx, campaignFinished, user_id, { campaign_id: row.id, name, sent, unknown, failed, skipped })
  return row as CampaignRow
}
