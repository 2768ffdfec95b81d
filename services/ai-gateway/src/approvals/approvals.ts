import { now } from '@operon/kit/clock'
import { type Ctx, signedIn, type UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { deleteInPieces } from '@operon/kit/pieces'
import type { Runtime } from '@operon/kit/service'
import { type Expression, type Selectable, type SqlBool, sql } from 'kysely'
import type { AiDb, Step } from '../schema.ts'
import { capabilities, missingFor } from './offered.ts'
import type { Runner } from './run.ts'
import { hashOf, isUndoable, type Order, prepare, promptsOf, titleOf } from './steps.ts'

export type Approvals = { rt: Pick<Runtime<AiDb>, 'call' | 'preview'>; runner: Runner }
type Row = Selectable<AiDb['ai_approvals']>
type Proposing = { steps: readonly Order[]; origin?: string; key?: string | undefined; messageId?: string | null }

const OPEN_FOR = sql<Date>`now() + interval '1 day'`
const KEPT_DAYS = 90
/** A run says that it lives every few seconds; one that is silent for so long has died. */
export const SILENT_FOR_S = 60
const MOST_OPEN = 100

/** Keeps what a person may approve. Each step is checked and previewed as its capability would; nothing runs. */
export async function propose(deps: Approvals, ctx: Ctx<AiDb>, { steps: orders, origin = 'assistant', key, messageId = null }: Proposing) {
  const actor = signedIn(ctx)
  const known = key && (await askedBefore(ctx, actor, key))
  if (known) return shown(known)
  await refuseTooMany(ctx, actor)
  const steps = await prepare(deps.rt, actor, await missingFor(ctx.db, actor), orders)
  const kept = await insert(ctx, actor, { steps, origin, asked_key: key ?? null, message_id: messageId })
  return shown((kept ?? (await askedBefore(ctx, actor, key!)))!)
}

/**
 * Runs one change that can be undone without asking first, and keeps it as a step that ran, so that it is shown with its undo. The caller
 * knows that the person asked for it.
 */
export async function runAtOnce(deps: Approvals, ctx: Ctx<AiDb>, order: Order, messageId: string | null) {
  const actor = atOwnSession(ctx)
  const steps = await prepare(deps.rt, actor, await missingFor(ctx.db, actor), [order])
  if (!canBeUndone(order.action)) throw new DomainError('forbidden')
  const begun = await insert(ctx, actor, { steps, origin: 'assistant', asked_key: null, message_id: messageId, begun: true })
  await deps.runner.start(begun!, actor, ctx.requestId)
  return show(ctx, begun!.id)
}

export function canBeUndone(action: string): boolean {
  const contract = capabilities().get(action)?.contract
  return contract !== undefined && isUndoable(contract.action)
}

type Inserting = Pick<Row, 'origin' | 'asked_key' | 'message_id'> & { steps: Step[]; begun?: boolean }
function insert(ctx: Ctx<AiDb>, actor: UserActor, { steps, begun = false, ...asked }: Inserting) {
  const row = {
    id: newId(),
    user_id: actor.id,
    ...asked,
    title: titleOf(steps),
    steps: JSON.stringify(steps),
    hash: hashOf(steps),
    prompts: promptsOf(steps),
    expires_at: OPEN_FOR,
    ...(begun && { state: 'running', beat_at: sql<Date>`now()` }),
  }
  return ctx.db
    .insertInto('ai_approvals')
    .values(row as never)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** One of the person's own. */
export async function show(ctx: Ctx<AiDb>, approvalId: string) {
  return shown(await find(ctx, signedIn(ctx), approvalId))
}

/**
 * Starts the steps, once: whoever approves again is told what became of it. Only somebody at a session of their own approves; what it would
 * do is looked at once more, and refused where it has changed since the person read it.
 */
export async function approve(deps: Approvals, ctx: Ctx<AiDb>, approvalId: string) {
  const actor = atOwnSession(ctx)
  const row = await find(ctx, actor, approvalId)
  if (['running', 'done', 'failed'].includes(row.state)) return shown(row)
  if (row.state !== 'proposed' || row.expires_at.getTime() <= now()) throw new DomainError('approval_closed')
  const again = await prepare(deps.rt, actor, await missingFor(ctx.db, actor), row.steps)
  const hash = hashOf(again)
  if (hash !== row.hash) {
    await keepProposed(ctx, actor, row, again)
    throw new DomainError('approval_changed', { details: { approval_id: row.id } })
  }
  const begun = await ctx.db
    .updateTable('ai_approvals')
    .set({ state: 'running', beat_at: sql<Date>`now()` })
    .where('id', '=', row.id)
    .where('user_id', '=', actor.id)
    .where('state', '=', 'proposed')
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst()
  if (!begun) return shown(await find(ctx, actor, row.id))
  void deps.runner.start(begun, actor, ctx.requestId)
  return shown(begun)
}

/** Another input for one step, checked and previewed as the first. */
export async function edit(
  deps: Approvals,
  ctx: Ctx<AiDb>,
  { approval_id, step, input }: { approval_id: string; step: number; input: Step['input'] },
) {
  const actor = atOwnSession(ctx)
  const row = await find(ctx, actor, approval_id)
  if (row.state !== 'proposed') throw new DomainError('approval_closed')
  if (!row.steps[step - 1]) throw new DomainError('not_found')
  const orders = row.steps.map((each, at) => ({ action: each.action, input: at === step - 1 ? input : each.input }))
  const kept = await keepProposed(ctx, actor, row, await prepare(deps.rt, actor, await missingFor(ctx.db, actor), orders))
  if (!kept) throw new DomainError('conflict')
  return shown(kept)
}

/** Takes back one step that ran. Its way back is made of what it was given and what it answered. */
export async function undo(deps: Approvals, ctx: Ctx<AiDb>, { approval_id, step }: { approval_id: string; step: number }) {
  const actor = atOwnSession(ctx)
  const row = await find(ctx, actor, approval_id)
  await deps.runner.undo(ctx, row, step, actor)
  return show(ctx, approval_id)
}

/** Only what has not begun can be dismissed, or taken back. */
export async function dismiss(
  ctx: Ctx<AiDb>,
  { where, patch }: { where: Expression<SqlBool>; patch: { state: 'proposed' | 'dismissed' } },
) {
  const rows = await ctx.db
    .updateTable('ai_approvals')
    .set(patch)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', 'in', ['proposed', 'dismissed'])
    .where(where)
    .returningAll()
    .execute()
  return rows as unknown as Record<string, unknown>[]
}

/** Marks approvals whose process died as unknown: their step may have had its effect, so they are not offered again. */
export async function closeDead(ctx: Ctx<AiDb>): Promise<number> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('ai_approvals')
    .set({
      state: 'unknown',
      ended_at: sql<Date>`now()`,
      steps: sql`(select jsonb_agg(step || case step ->> 'state' when 'running' then '{"state":"unknown"}'::jsonb
        when 'waiting' then '{"state":"skipped"}'::jsonb else '{}'::jsonb end order by at) from jsonb_array_elements(steps) with ordinality as each (step, at))`,
    })
    .where('state', '=', 'running')
    .where('beat_at', '<', sql<Date>`now() - ${SILENT_FOR_S} * interval '1 second'`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function dropOld(ctx: Ctx<AiDb>): Promise<void> {
  await deleteInPieces(ctx.db, 'ai_approvals', sql`expires_at < now() - ${KEPT_DAYS} * interval '1 day'`, { signal: ctx.signal })
}

/** A key, a run and another program may propose; to approve takes the person. */
function atOwnSession(ctx: Ctx<AiDb>): UserActor {
  const actor = signedIn(ctx)
  if (actor.key || ctx.grant) throw new DomainError('forbidden', { message: 'Only you can approve this, signed in on the website.' })
  return actor
}

async function find(ctx: Ctx<AiDb>, actor: UserActor, id: string): Promise<Row> {
  const row = await ctx.db.selectFrom('ai_approvals').selectAll().where('id', '=', id).where('user_id', '=', actor.id).executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

/** Of the same wish: one that waits, runs or is done. What was dismissed or failed may be wished for again. */
const askedBefore = (ctx: Ctx<AiDb>, actor: UserActor, key: string) =>
  ctx.db
    .selectFrom('ai_approvals')
    .selectAll()
    .where('user_id', '=', actor.id)
    .where('asked_key', '=', key)
    .where('state', 'in', ['proposed', 'running', 'done'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

async function refuseTooMany(ctx: Ctx<AiDb>, actor: UserActor) {
  const { open } = await ctx.db
    .selectFrom('ai_approvals')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('user_id', '=', actor.id)
    .where('state', '=', 'proposed')
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  if (Number(open) >= MOST_OPEN)
    throw new DomainError('invalid', { message: `${MOST_OPEN} proposals wait for you already. Approve or dismiss some first.` })
}

const keepProposed = (ctx: Ctx<AiDb>, actor: UserActor, row: Row, steps: Step[]) =>
  ctx.db
    .updateTable('ai_approvals')
    .set({ steps: JSON.stringify(steps), hash: hashOf(steps) })
    .where('id', '=', row.id)
    .where('user_id', '=', actor.id)
    .where('state', '=', 'proposed')
    .where('hash', '=', row.hash)
    .returningAll()
    .executeTakeFirst()

export const shown = ({ id, message_id, title, steps, state, origin, prompts, created_at, expires_at }: Row) => ({
  ...{ id, message_id, title, steps, state, origin, prompts },
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
})
