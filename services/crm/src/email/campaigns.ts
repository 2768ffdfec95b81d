import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/campaigns'
import { EmailDocument } from '@operon/contracts/crm/email/document'
import { documentOf } from '@operon/contracts/crm/email/render'
import { campaignCreated } from '@operon/contracts/crm/events'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { EVERYONE, readTree } from './segments.ts'
import { isReady, readSequence } from './sequences/rows.ts'
import { readTemplate } from './templates.ts'
import { refuseUnlessTopic } from './topics.ts'

export type CampaignRow = Selectable<CrmDb['email_campaigns']>
type Campaign = Output<typeof contract.updateCampaign>
const MOST_CAMPAIGNS = 1000

export async function createCampaign(
  ctx: Ctx<CrmDb>,
  { name, subject, text, document, template_id, tag, segment_id, segment, sender_id, topic_id }: Input<typeof contract.createCampaign>,
): Promise<Output<typeof contract.createCampaign>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const byTag = tag ? { match: 'all' as const, conditions: [{ field: 'tag' as const, is: 'has' as const, value: tag }] } : EVERYONE
    const tree = segment ?? (segment_id ? await readTree(trx, userId, segment_id) : byTag)
    if (sender_id) await refuseUnlessMine(trx, userId, sender_id)
    await refuseUnlessTopic(trx as Trx, userId, topic_id)
    const template = template_id ? await readTemplate(trx, userId, template_id) : null
    const written = document ?? template?.document ?? (text?.trim() ? documentOf(text) : EmailDocument.parse({ blocks: [] }))
    return insertCampaign(trx, userId, {
      ...{
        name,
        subject: subject || (template?.subject ?? ''),
        sender_id: sender_id ?? null,
        segment_id: segment_id ?? null,
        topic_id: topic_id ?? null,
      },
      ...{ document: JSON.stringify(written), segment: JSON.stringify(tree) as never },
    })
  })
}

type Given = Partial<Record<keyof CampaignRow, unknown>> & { name: string }
async function insertCampaign(trx: Trx, userId: string, given: Given): Promise<{ campaign_id: string }> {
  const last = await trx
    .selectFrom('email_campaigns')
    .select('id')
    .where('user_id', '=', userId)
    .where('sequence_id', 'is', null)
    .offset(MOST_CAMPAIGNS - 1)
    .limit(1)
    .execute()
  if (last.length) throw new DomainError('campaigns_full')
  const id = newId()
  await trx
    .insertInto('email_campaigns')
    .values({ id, user_id: userId, ...given } as never)
    .execute()
  await publish(trx, campaignCreated, userId, { campaign_id: id, name: given.name })
  return { campaign_id: id }
}

async function refuseUnlessMine(trx: Trx, userId: string, senderId: string) {
  const mine = await trx
    .selectFrom('email_senders')
    .select('id')
    .where('id', '=', senderId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!mine) throw new DomainError('not_found')
}

export async function updateCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id, version, document, segment, ab, segment_id, ...said }: Input<typeof contract.updateCampaign>,
): Promise<Campaign> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const before = await lockRow(trx, userId, campaign_id)
    // The text of a sequence's email may change at any time; all else of it is the sequence's.
    const isText =
      segment === undefined && ab === undefined && segment_id === undefined && Object.keys(said).every((key) => key === 'subject')
    if (before.sequence_id && !isText) throw new DomainError('campaign_of_sequence')
    if (!before.sequence_id && before.status !== 'draft') throw new DomainError('campaign_state')
    if (version !== undefined && version !== before.version) throw new DomainError('conflict')
    if (said.sender_id) await refuseUnlessMine(trx, userId, said.sender_id)
    await refuseUnlessTopic(trx as Trx, userId, said.topic_id)
    const tree = segment ?? (segment_id ? await readTree(trx, userId, segment_id) : undefined)
    const row = await trx
      .updateTable('email_campaigns')
      .set({
        ...said,
        ...(document && { document: JSON.stringify(document) as never }),
        ...(segment_id !== undefined && { segment_id }),
        ...(tree && { segment: JSON.stringify(tree) as never }),
        ...(ab !== undefined && { ab: (ab && JSON.stringify(ab)) as never }),
        version: sql`version + 1`,
      })
      .where('id', '=', campaign_id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (row.sequence_id && !isReady(row) && (await readSequence(trx, userId, row.sequence_id)).state === 'running')
      throw new DomainError('campaign_incomplete')
    return campaignOf(row)
  })
}

/** One that is sent by itself: an email of a sequence is moved by its sequence. */
export async function lockCampaign(trx: Trx, userId: string, campaignId: string): Promise<CampaignRow> {
  const row = await lockRow(trx, userId, campaignId)
  if (row.sequence_id) throw new DomainError('campaign_of_sequence')
  return row
}

async function lockRow(trx: Trx, userId: string, campaignId: string): Promise<CampaignRow> {
  const row = await trx
    .selectFrom('email_campaigns')
    .selectAll()
    .where('id', '=', campaignId)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

export async function readCampaign(db: Ctx<CrmDb>['db'], userId: string, campaignId: string): Promise<CampaignRow> {
  const row = await db
    .selectFrom('email_campaigns')
    .selectAll()
    .where('id', '=', campaignId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

export async function getCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.getCampaign>,
): Promise<Output<typeof contract.getCampaign>> {
  const row = await readCampaign(ctx.db, signedIn(ctx).id, campaign_id)
  return { campaign: campaignOf(row), counts: countsOf(row) }
}

export async function duplicateCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.duplicateCampaign>,
): Promise<Output<typeof contract.duplicateCampaign>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const { name, subject, document, sender_id, segment_id, segment, topic_id, ab, reader_hour } = await readCampaign(
      trx,
      userId,
      campaign_id,
    )
    const copy = `${name.slice(0, 113)} (copy)`
    return insertCampaign(trx, userId, {
      ...{ name: copy, subject, sender_id, segment_id, topic_id, reader_hour },
      ...{ document: JSON.stringify(document), segment: JSON.stringify(segment), ab: ab && JSON.stringify(ab) },
    })
  })
}

export async function followUpCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.followUpCampaign>,
): Promise<Output<typeof contract.followUpCampaign>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const { name, subject, document, sender_id, topic_id, sent_count } = await readCampaign(trx, userId, campaign_id)
    if (!sent_count) throw new DomainError('campaign_state')
    const of = (is: 'received' | 'not_opened') => ({ field: 'campaign' as const, is, value: campaign_id })
    const segment = { match: 'all' as const, conditions: [of('received'), of('not_opened')] }
    return insertCampaign(trx, userId, {
      ...{ name: `Follow-up: ${name}`.slice(0, 120), subject, sender_id, topic_id },
      ...{ document: JSON.stringify(document), segment: JSON.stringify(segment) },
    })
  })
}

/** Its recipients and events go with it. */
export async function deleteCampaign(
  ctx: Ctx<CrmDb>,
  { campaign_id }: Input<typeof contract.deleteCampaign>,
): Promise<Output<typeof contract.deleteCampaign>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const { status } = await lockCampaign(trx, userId, campaign_id)
    if (status === 'sending' || status === 'paused') throw new DomainError('campaign_state')
    await trx.deleteFrom('email_campaigns').where('id', '=', campaign_id).where('user_id', '=', userId).execute()
    return { deleted: true }
  })
}

export async function findCampaigns(
  ctx: Ctx<CrmDb>,
  { query, status, limit, cursor }: Input<typeof contract.findCampaigns>,
): Promise<Output<typeof contract.findCampaigns>> {
  const place = placeIn(cursor)
  const rows = await ctx.db
    .selectFrom('email_campaigns')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .where('sequence_id', 'is', null)
    .$if(Boolean(query), (of) => of.where(sql<string>`lower(name)`, 'like', `%${query!.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`))
    .$if(status !== undefined, (of) => of.where('status', '=', status!))
    .$if(place !== null, (of) => of.where('id', '<', place!))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    campaigns: shown.map((row) => {
      const { campaign_id, name, status: state, reason, subject, sent_count, scheduled_at, created_at } = campaignOf(row)
      const { recipients, opened_count: opened, clicked_count: clicked } = row
      return { campaign_id, name, status: state, reason, subject, sent_count, scheduled_at, created_at, recipients, opened, clicked }
    }),
    cursor: rows.length > limit ? shown.at(-1)!.id : null,
  }
}

/** Anything else than an id begins at the start. */
export const placeIn = (cursor: string | undefined): string | null =>
  cursor && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cursor) ? cursor : null

const iso = (at: Date | null) => at?.toISOString() ?? null
export const campaignOf = (row: CampaignRow): Campaign => {
  const { id, name, status, reason, subject, document, sender_id, segment_id, segment, ab, reader_hour, sent_count, version } = row
  return {
    campaign_id: id,
    ...{ name, status: status as Campaign['status'], reason, subject, document: document as Campaign['document'] },
    ...{ sender_id, segment_id, segment, topic_id: row.topic_id, ab, reader_hour, sent_count, version },
    scheduled_at: iso(row.scheduled_at),
    created_at: row.created_at.toISOString(),
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
  }
}
export function countsOf({
  recipients,
  sent_count: sent,
  unknown_count: unknown,
  failed_count: failed,
  skipped_count: skipped,
}: CampaignRow) {
  return { recipients, waiting: Math.max(0, recipients - sent - unknown - failed - skipped), sent, unknown, failed, skipped }
}
