import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/deals'
import { dealCreated, dealLost, dealMoved, dealWon } from '@operon/contracts/crm/events'
import { money } from '@operon/contracts/words'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction, publish } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import { addActivity } from '../contacts/timeline.ts'
import type { CrmDb } from '../schema.ts'
import { firstPipeline } from './pipelines.ts'
import { type Deal, readDeal } from './rows.ts'

export const MOST_OPEN = 2_000

export async function createDeal(
  ctx: Ctx<CrmDb>,
  { stage_id, ...fields }: Input<typeof contract.createDeal>,
): Promise<Output<typeof contract.createDeal>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await leaveRoom(trx, userId)
    if (fields.contact_id) await ownContact(trx, userId, fields.contact_id)
    const stage = await stageOf(trx, userId, stage_id ?? (await firstPipeline(trx, userId)).stages[0]!.id)
    const id = newId()
    await trx
      .insertInto('deals')
      .values({
        ...{ id, user_id: userId },
        ...{ pipeline_id: stage.pipeline_id, stage_id: stage.id },
        ...fields,
      })
      .execute()
    const deal = await readDeal(trx, userId, id)
    await noteStep(trx, userId, deal, { stage: stage.name, text: `Added the deal ${deal.title}${worth(deal)}` })
    await publish(trx, dealCreated, userId, told(deal, stage.name))
    return { deal_id: id }
  })
}

export async function updateDeal(
  ctx: Ctx<CrmDb>,
  { deal_id, version, ...fields }: Input<typeof contract.updateDeal>,
): Promise<Output<typeof contract.updateDeal>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const before = await lockDeal(trx, userId, deal_id)
    if (version !== undefined && version !== before.version) throw new DomainError('conflict')
    if (fields.contact_id) await ownContact(trx, userId, fields.contact_id)
    await trx
      .updateTable('deals')
      .set({ ...fields, version: sql`version + 1` })
      .where('id', '=', deal_id)
      .where('user_id', '=', userId)
      .execute()
    return readDeal(trx, userId, deal_id)
  })
}

export async function moveDeal(
  ctx: Ctx<CrmDb>,
  { deal_id, stage_id }: Input<typeof contract.moveDeal>,
): Promise<Output<typeof contract.moveDeal>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const before = await lockDeal(trx, userId, deal_id)
    const last = await lastStep(trx, userId, deal_id)
    // Twice is as good as once.
    if (before.state === 'open' && before.stage_id === stage_id) return { deal: before, change_id: last.id }
    if (before.state !== 'open') await leaveRoom(trx, userId)
    const stage = await stageOf(trx, userId, stage_id)
    await trx
      .updateTable('deals')
      .set({
        ...{ stage_id, pipeline_id: stage.pipeline_id, state: 'open', lost_reason: null },
        ...{ stage_since: sql`now()`, version: sql`version + 1` },
      })
      .where('id', '=', deal_id)
      .where('user_id', '=', userId)
      .execute()
    const deal = await readDeal(trx, userId, deal_id)
    const from = before.state === 'open' ? last.stage : before.state === 'won' ? 'Won' : 'Lost'
    const change_id = await noteStep(trx, userId, deal, { stage: stage.name, text: `Moved ${deal.title} from ${from} to ${stage.name}` })
    await publish(trx, dealMoved, userId, { ...told(deal, stage.name), from })
    return { deal, change_id }
  })
}

export async function closeDeal(
  ctx: Ctx<CrmDb>,
  { deal_id, won, reason }: Input<typeof contract.closeDeal>,
): Promise<Output<typeof contract.closeDeal>> {
  const { id: userId } = signedIn(ctx)
  const state = won ? 'won' : 'lost'
  return inTransaction(ctx.db, async (trx) => {
    const before = await lockDeal(trx, userId, deal_id)
    const { id: lastId, stage } = await lastStep(trx, userId, deal_id)
    if (before.state === state) return { deal: before, change_id: lastId }
    await trx
      .updateTable('deals')
      .set({ state, lost_reason: won ? null : reason || null, stage_since: sql`now()`, version: sql`version + 1` })
      .where('id', '=', deal_id)
      .where('user_id', '=', userId)
      .execute()
    const deal = await readDeal(trx, userId, deal_id)
    const text = won ? `Won ${deal.title}${worth(deal)}` : `Lost ${deal.title}${reason ? `: ${reason}` : ''}`
    const change_id = await noteStep(trx, userId, deal, { stage, text })
    if (won) await publish(trx, dealWon, userId, told(deal, stage))
    else await publish(trx, dealLost, userId, { ...told(deal, stage), reason })
    return { deal, change_id }
  })
}

/** The step and its line in the timeline go, and the deal is where the step before left it. */
export async function undoDealChange(
  ctx: Ctx<CrmDb>,
  { change_id }: Input<typeof contract.undoDealChange>,
): Promise<Output<typeof contract.undoDealChange>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const change = await trx
      .selectFrom('deal_stage_history')
      .select('deal_id')
      .where('id', '=', change_id)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (!change) throw new DomainError('not_found')
    const deal = await lockDeal(trx, userId, change.deal_id)
    const [latest, before] = await trx
      .selectFrom('deal_stage_history')
      .selectAll()
      .where('deal_id', '=', deal.id)
      .orderBy('n', 'desc')
      .limit(2)
      .execute()
    if (latest?.id !== change_id || !before) throw new DomainError('conflict')
    if (before.state === 'open' && deal.state !== 'open') await leaveRoom(trx, userId)
    const stage = await stageOf(trx, userId, before.stage_id)
    await trx
      .updateTable('deals')
      .set({
        ...{ stage_id: stage.id, pipeline_id: stage.pipeline_id, state: before.state, lost_reason: before.reason },
        ...{ stage_since: before.at, version: sql`version + 1` },
      })
      .where('id', '=', deal.id)
      .where('user_id', '=', userId)
      .execute()
    await trx.deleteFrom('deal_stage_history').where('id', '=', change_id).where('user_id', '=', userId).execute()
    await trx.deleteFrom('activities').where('event_id', '=', change_id).where('user_id', '=', userId).execute()
    const now = await readDeal(trx, userId, deal.id)
    await publish(trx, dealMoved, userId, { ...told(now, stage.name), from: latest.state === 'open' ? latest.stage : latest.state })
    return now
  })
}

/** Deals that are open at a time are bounded: the sums of the board are read from them. */
export async function leaveRoom(trx: Trx, userId: string): Promise<void> {
  const { rows } = await sql`
    select from deals where user_id = ${userId} and state = 'open' and deleted_at is null offset ${MOST_OPEN - 1} limit 1`.execute(trx)
  if (rows.length) throw new DomainError('deals_full')
}

async function lockDeal(trx: Trx, userId: string, dealId: string): Promise<Deal> {
  await trx.selectFrom('deals').select('id').where('id', '=', dealId).where('user_id', '=', userId).forUpdate().execute()
  return readDeal(trx, userId, dealId)
}

async function ownContact(trx: Trx, userId: string, contactId: string) {
  const own = await trx.selectFrom('leads').select('id').where('id', '=', contactId).where('user_id', '=', userId).executeTakeFirst()
  if (!own) throw new DomainError('not_found')
}

/** Held against a change of its pipeline until the deal is in it. */
async function stageOf(trx: Trx, userId: string, stageId: string) {
  const { rows } = await sql<{ id: string; name: string; pipeline_id: string }>`
    select p.id from pipelines p join pipeline_stages s on s.pipeline_id = p.id where s.id = ${stageId} and s.user_id = ${userId}
    for share of p`.execute(trx)
  const found = await trx
    .selectFrom('pipeline_stages')
    .select(['id', 'name', 'pipeline_id'])
    .where('id', '=', stageId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!rows[0] || !found) throw new DomainError('not_found')
  return found
}

async function lastStep(trx: Trx, userId: string, dealId: string) {
  return trx
    .selectFrom('deal_stage_history')
    .select(['id', 'stage'])
    .where('deal_id', '=', dealId)
    .where('user_id', '=', userId)
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

async function noteStep(trx: Trx, userId: string, deal: Deal, { stage, text }: { stage: string; text: string }): Promise<string> {
  const id = newId()
  const at = new Date(deal.stage_since)
  await trx
    .insertInto('deal_stage_history')
    .values({
      id,
      user_id: userId,
      deal_id: deal.id,
      n: deal.version,
      stage_id: deal.stage_id,
      stage,
      state: deal.state,
      reason: deal.lost_reason,
      at,
    })
    .execute()
  if (deal.contact_id) await addActivity(trx, userId, { contactId: deal.contact_id, kind: 'change', text, at: new Date(), eventId: id })
  return id
}

const worth = (deal: Deal) => (deal.amount_cents ? ` for ${money(deal)}` : '')
const told = ({ id, contact_id, title, amount_cents, currency }: Deal, stage: string) => ({
  ...{ deal_id: id, contact_id, title, amount_cents, currency },
  stage,
})
