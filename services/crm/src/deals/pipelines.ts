import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/pipelines'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'
import { type DealRow, dealColumns, dealOf } from './rows.ts'

type Pipeline = Output<typeof contract.updatePipeline>
const MOST_PIPELINES = 10
const SHOWN = 50
const FIRST = { name: 'Sales', stages: ['New', 'Qualified', 'Proposal sent', 'Negotiation'] }

async function pipelinesOf(db: Kysely<any>, userId: string): Promise<Pipeline[]> {
  const { rows } = await sql<Pipeline>`
    select p.id, p.name, p.version, (
      select jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name) order by s.place) from pipeline_stages s where s.pipeline_id = p.id
    ) as stages from pipelines p where p.user_id = ${userId} order by p.id limit ${MOST_PIPELINES}`.execute(db)
  return rows
}

/** The oldest pipeline; an account without one gets the first here, once for callers at the same time. */
export async function firstPipeline(trx: Trx, userId: string): Promise<Pipeline> {
  const [first] = await pipelinesOf(trx, userId)
  if (first) return first
  await insertPipeline(trx, userId, FIRST)
  return (await pipelinesOf(trx, userId))[0]!
}

/** Null where the name is taken. */
async function insertPipeline(trx: Trx, userId: string, { name, stages }: Input<typeof contract.createPipeline>): Promise<string | null> {
  const id = newId()
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('pipelines')
    .values({ id, user_id: userId, name })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (!numInsertedOrUpdatedRows) return null
  const rows = stages.map((stage, place) => ({ id: newId(), user_id: userId, pipeline_id: id, name: stage, place }))
  await trx.insertInto('pipeline_stages').values(rows).execute()
  return id
}

export async function createPipeline(
  ctx: Ctx<CrmDb>,
  input: Input<typeof contract.createPipeline>,
): Promise<Output<typeof contract.createPipeline>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const kept = await trx.selectFrom('pipelines').select('id').where('user_id', '=', userId).limit(MOST_PIPELINES).execute()
    if (kept.length >= MOST_PIPELINES) throw new DomainError('pipelines_full')
    const pipeline_id = await insertPipeline(trx, userId, input)
    if (!pipeline_id) throw new DomainError('pipeline_exists')
    return { pipeline_id }
  })
}

export async function updatePipeline(
  ctx: Ctx<CrmDb>,
  { pipeline_id, version, name, stages }: Input<typeof contract.updatePipeline>,
): Promise<Output<typeof contract.updatePipeline>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    // Waits for deals that come into a stage now, and these wait for it.
    const own = await trx
      .selectFrom('pipelines')
      .select('version')
      .where('id', '=', pipeline_id)
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst()
    if (!own) throw new DomainError('not_found')
    if (own.version !== version) throw new DomainError('conflict')
    const others = await sql`
      select from pipelines where user_id = ${userId} and lower(name) = lower(${name}) and id <> ${pipeline_id}`.execute(trx)
    if (others.rows.length) throw new DomainError('pipeline_exists')
    const before = await trx.selectFrom('pipeline_stages').select('id').where('pipeline_id', '=', pipeline_id).execute()
    const known = new Set(before.map((stage) => stage.id))
    const kept = stages.map((stage, place) => ({ id: stage.id ?? newId(), name: stage.name, place }))
    if (stages.some(({ id }) => id && !known.has(id)) || new Set(kept.map(({ id }) => id)).size < kept.length)
      throw new DomainError('not_found')
    const gone = [...known].filter((id) => !kept.some((stage) => stage.id === id))
    const used = await sql`
      select from deals where user_id = ${userId} and stage_id = any(${gone}::uuid[]) and state = 'open' and deleted_at is null limit 1`.execute(
      trx,
    )
    if (used.rows.length) throw new DomainError('stage_in_use')
    await trx.deleteFrom('pipeline_stages').where('pipeline_id', '=', pipeline_id).where('user_id', '=', userId).execute()
    await trx
      .insertInto('pipeline_stages')
      .values(kept.map((stage) => ({ ...stage, user_id: userId, pipeline_id })))
      .execute()
    await trx
      .updateTable('pipelines')
      .set({ name, version: version + 1 })
      .where('id', '=', pipeline_id)
      .where('user_id', '=', userId)
      .execute()
    return { id: pipeline_id, name, version: version + 1, stages: kept.map(({ id, name }) => ({ id, name })) }
  })
}

export async function deletePipeline(
  ctx: Ctx<CrmDb>,
  { pipeline_id }: Input<typeof contract.deletePipeline>,
): Promise<Output<typeof contract.deletePipeline>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const own = await trx
      .selectFrom('pipelines')
      .select('id')
      .where('id', '=', pipeline_id)
      .where('user_id', '=', userId)
      .forUpdate()
      .executeTakeFirst()
    if (!own) throw new DomainError('not_found')
    const used = await trx.selectFrom('deals').select('id').where('pipeline_id', '=', pipeline_id).limit(1).execute()
    if (used.length) throw new DomainError('pipeline_in_use')
    await trx.deleteFrom('pipelines').where('id', '=', pipeline_id).where('user_id', '=', userId).execute()
    return { deleted: true }
  })
}

/** An account has at most 2,000 open deals, so that their sums are read when they are asked for and never drift. */
export async function showBoard(
  ctx: Ctx<CrmDb>,
  { pipeline_id }: Input<typeof contract.showBoard>,
): Promise<Output<typeof contract.showBoard>> {
  const { id: userId } = signedIn(ctx)
  const pipelines = await pipelinesOf(ctx.db, userId)
  const shown = pipeline_id ? pipelines.find(({ id }) => id === pipeline_id) : pipelines[0]
  if (pipeline_id && !shown) throw new DomainError('not_found')
  if (!shown) return { pipelines, pipeline_id: null, stages: [] }
  const ids = shown.stages.map(({ id }) => id)
  const [sums, deals] = await Promise.all([
    sql<{ stage_id: string; currency: string; count: number; amount_cents: string }>`
      select stage_id, currency, count(*)::int as count, sum(amount_cents) as amount_cents from deals
      where user_id = ${userId} and stage_id = any(${ids}::uuid[]) and state = 'open' and deleted_at is null
      group by stage_id, currency order by amount_cents desc`.execute(ctx.db),
    sql<DealRow>`
      select d.* from unnest(${ids}::uuid[]) stage, lateral (
        select ${dealColumns} from deals d
        where d.user_id = ${userId} and d.stage_id = stage and d.state = 'open' and d.deleted_at is null
        order by d.stage_since desc, d.id desc limit ${SHOWN}) d`.execute(ctx.db),
  ])
  const stages = shown.stages.map(({ id, name }) => {
    const own = sums.rows.filter((sum) => sum.stage_id === id)
    return {
      ...{ id, name, count: own.reduce((all, { count }) => all + count, 0) },
      totals: own.map(({ currency, amount_cents }) => ({ currency, amount_cents: Number(amount_cents) })),
      deals: deals.rows.filter((deal) => deal.stage_id === id).map(dealOf),
    }
  })
  return { pipelines, pipeline_id: shown.id, stages }
}
