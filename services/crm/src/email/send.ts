import type { Input, Output } from '@operon/contracts/contract'
import { campaignPaused, sequencePaused } from '@operon/contracts/crm/email/events'
import type * as contract from '@operon/contracts/crm/email/sending'
import { crmUsageRecorded } from '@operon/contracts/usage'
import { DAY_MS, now } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { reserve } from '@operon/kit/meter'
import { release, settle } from '@operon/kit/settle'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { type CampaignRow, lockCampaign, readCampaign } from './campaigns.ts'
import { freezeRecipients } from './freeze.ts'
import { type Senders, senderFor } from './senders.ts'

type Status = Output<typeof contract.cancelCampaign>['status']
const MOST_AT_ONCE = 5
/** Longer than a campaign is spread by any hour or pace. */
const HOLD_MS = 20 * DAY_MS

/** The provider is looked at before anything else is said, so that whoever has none is told that first. */
export async function sendCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.sendCampaign>,
  senders: Senders,
): Promise<Output<typeof contract.sendCampaign>> {
  const { id: userId } = signedIn(ctx)
  const { sender_id } = await readCampaign(ctx.db, userId, campaign_id)
  const sender = await senderFor(ctx.db, senders, userId, sender_id)
  return inTransaction(ctx.db, async (trx) => {
    const campaign = await lockCampaign(trx, userId, campaign_id)
    if (campaign.status !== 'draft' && campaign.status !== 'scheduled') throw new DomainError('campaign_state')
    return { recipients: await beginCampaign(trx, { ...campaign, sender_id: sender.id }), status: 'sending' as const }
  })
}

/** Settles who gets it and holds their emails of the plan: all of it or nothing. */
export async function beginCampaign(trx: Trx, campaign: CampaignRow): Promise<number> {
  const { id, user_id: userId, sender_id, ab } = campaign
  demandContent(campaign)
  const busy = await trx
    .selectFrom('email_campaigns')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'sending')
    .where('sequence_id', 'is', null)
    .limit(MOST_AT_ONCE)
    .execute()
  if (busy.length >= MOST_AT_ONCE) throw new DomainError('campaigns_busy')
  const recipients = await freezeRecipients(trx, campaign)
  if (recipients === 0) throw new DomainError('campaign_empty')
  const hold = await reserve(trx, { userId, unit: 'emails', feature: 'campaign', amount: recipients, holdMs: HOLD_MS })
  await trx
    .updateTable('email_campaigns')
    .set({
      ...{ status: 'sending', sender_id, recipients, reservation_id: hold.id, reason: null, scheduled_at: null },
      ...{ started_at: sql`now()`, next_at: sql`now()`, served_at: sql`'epoch'`, version: sql`version + 1` },
      decide_at: ab && sql`now() + ${ab.after_hours} * interval '1 hour'`,
    } as never)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .execute()
  return recipients
}

export function demandContent({ subject, document }: CampaignRow): void {
  if (!subject.trim() || document.blocks.length === 0) throw new DomainError('campaign_incomplete')
}

const SOONEST_MS = 5 * 60_000
export async function scheduleCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id, at, reader_hour }: Input<typeof contract.scheduleCampaign>,
  senders: Senders,
): Promise<Output<typeof contract.scheduleCampaign>> {
  const { id: userId } = signedIn(ctx)
  const { sender_id } = await readCampaign(ctx.db, userId, campaign_id)
  const sender = await senderFor(ctx.db, senders, userId, sender_id)
  const when = new Date(at)
  if (when.getTime() < now() + SOONEST_MS || when.getTime() > now() + 366 * DAY_MS) throw new DomainError('campaign_time')
  return inTransaction(ctx.db, async (trx) => {
    const campaign = await lockCampaign(trx, userId, campaign_id)
    if (campaign.status !== 'draft' && campaign.status !== 'scheduled') throw new DomainError('campaign_state')
    demandContent(campaign)
    await trx
      .updateTable('email_campaigns')
      .set({
        ...{ status: 'scheduled', scheduled_at: when, sender_id: sender.id, reason: null, version: sql`version + 1` },
        ...(reader_hour !== undefined && { reader_hour }),
      } as never)
      .where('id', '=', campaign_id)
      .where('user_id', '=', userId)
      .execute()
    return { scheduled_at: when.toISOString(), status: 'scheduled' as const }
  })
}

export async function pauseCampaign(ctx: Ctx<CrmDb>, { campaign_id }: Input<typeof contract.pauseCampaign>): Promise<{ status: Status }> {
  return move(ctx, campaign_id, ['sending'], { status: 'paused', reason: 'You paused it.' })
}
/** A person who goes on after complaints has read them: the next one pauses it again. */
export async function resumeCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.resumeCampaign>,
  senders: Senders,
): Promise<{ status: Status }> {
  const { id: userId } = signedIn(ctx)
  const { sender_id, recipients } = await readCampaign(ctx.db, userId, campaign_id)
  await senderFor(ctx.db, senders, userId, sender_id)
  // One that could not begin at its time begins now.
  if (recipients === 0) return { status: (await sendPaused(ctx, campaign_id)).status }
  return move(ctx, campaign_id, ['paused'], {
    ...{ status: 'sending', reason: null, complaints_seen: sql`complained_count`, next_at: sql`now()` },
  })
}

const sendPaused = (ctx: Ctx<CrmDb>, campaignId: string) =>
  inTransaction(ctx.db, async (trx) => {
    const campaign = await lockCampaign(trx, signedIn(ctx).id, campaignId)
    if (campaign.status !== 'paused') throw new DomainError('campaign_state')
    await beginCampaign(trx, campaign)
    return { status: 'sending' as const }
  })

async function move(ctx: Ctx<CrmDb>, campaignId: string, from: Status[], to: Record<string, unknown>): Promise<{ status: Status }> {
  const { id: userId } = signedIn(ctx)
  const row = await ctx.db
    .updateTable('email_campaigns')
    .set({ ...to, version: sql`version + 1` } as never)
    .where('id', '=', campaignId)
    .where('user_id', '=', userId)
    .where('status', 'in', from)
    .where('sequence_id', 'is', null)
    .returning('status')
    .executeTakeFirst()
  if (row) return { status: row.status as Status }
  await readCampaign(ctx.db, userId, campaignId)
  throw new DomainError('campaign_state')
}

export async function cancelCampaign(ctx: Ctx<CrmDb>, { campaign_id }: Input<typeof contract.cancelCampaign>): Promise<{ status: Status }> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const campaign = await lockCampaign(trx, userId, campaign_id)
    const { status } = campaign
    const unsent = status === 'scheduled' || (status === 'paused' && campaign.recipients === 0)
    if (unsent) {
      await trx
        .updateTable('email_campaigns')
        .set({ status: 'draft', scheduled_at: null, reason: null, version: sql`version + 1` })
        .where('id', '=', campaign_id)
        .where('user_id', '=', userId)
        .execute()
      return { status: 'draft' as const }
    }
    if (status !== 'sending' && status !== 'paused') throw new DomainError('campaign_state')
    const { numUpdatedRows } = await trx
      .updateTable('email_recipients')
      .set({ state: 'skipped', reason: 'The campaign was cancelled' })
      .where('campaign_id', '=', campaign_id)
      .where('user_id', '=', userId)
      .where('state', '=', 'waiting')
      .executeTakeFirstOrThrow()
    const row = await trx
      .updateTable('email_campaigns')
      .set({
        ...{ status: 'cancelled', reason: null, finished_at: sql<Date>`now()`, version: sql`version + 1` },
        skipped_count: sql`skipped_count + ${Number(numUpdatedRows)}`,
      })
      .where('id', '=', campaign_id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await settlePlan(trx, row)
    return { status: 'cancelled' as const }
  })
}

/** Emails handed to the provider count, also where its answer was lost; the rest of the hold goes back. */
export async function settlePlan(trx: Trx, { reservation_id, sent_count, unknown_count, recipients, ...of }: CampaignRow): Promise<void> {
  if (!reservation_id) return
  const { rows } = await sql<{ leased: number }>`
    select count(*)::int as leased from email_recipients where campaign_id = ${of.id} and state = 'sending'`.execute(trx)
  const amount = Math.min(recipients, sent_count + unknown_count + rows[0]!.leased)
  if (amount > 0) await settle(trx as never, crmUsageRecorded, [{ id: reservation_id, amount }])
  else await release(trx, { id: reservation_id })
}

/** Stops a campaign by itself, and tells its owner why. An email of a sequence stops its sequence. */
export async function pauseByItself(trx: Trx, campaignId: string, reason: string): Promise<boolean> {
  const at = new Date(now()).toISOString()
  const { rows } = await sql<{ id: string; user_id: string; name: string }>`
    update email_sequences s set state = 'paused', reason = ${reason}, version = s.version + 1 from email_campaigns c
    where c.id = ${campaignId} and s.id = c.sequence_id and s.state = 'running' returning s.id, s.user_id, s.name`.execute(trx)
  for (const { id, user_id, name } of rows) await publish(trx, sequencePaused, user_id, { sequence_id: id, name, reason, at })
  if (rows.length) return true
  const row = await trx
    .updateTable('email_campaigns')
    .set({ status: 'paused', reason, version: sql`version + 1` })
    .where('id', '=', campaignId)
    .where('status', 'in', ['sending', 'scheduled'])
    .where('sequence_id', 'is', null)
    .returning(['user_id', 'name'])
    .executeTakeFirst()
  if (!row) return false
  await publish(trx, campaignPaused, row.user_id, { campaign_id: campaignId, name: row.name, reason, at })
  return true
}
