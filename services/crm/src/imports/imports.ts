import type { Input, Output } from '@operon/contracts/contract'
import { workOnImport } from '@operon/contracts/crm/events'
import type * as contract from '@operon/contracts/crm/imports'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { CrmDb } from '../schema.ts'
import { classify, OWN } from './classify.ts'

type Run = Selectable<CrmDb['import_runs']>
type ImportRun = Output<typeof contract.showImport>
const MOST_ROWS = 100_000
const MOST_KEPT = 10
const KEPT_DAYS = 30
const SHOWN = 5

export async function startImport(
  ctx: Ctx<CrmDb>,
  { file_name, columns }: Input<typeof contract.startImport>,
): Promise<Output<typeof contract.startImport>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    // An import that was never run makes room for this one.
    await sql`
      with left_behind as (delete from import_runs where user_id = ${userId} and state in ('uploading', 'failed') returning id)
      delete from import_rows r using left_behind where r.import_id = left_behind.id`.execute(trx)
    const kept = await trx.selectFrom('import_runs').select('id').where('user_id', '=', userId).limit(MOST_KEPT).execute()
    if (kept.length >= MOST_KEPT) throw new DomainError('imports_full')
    const id = newId()
    await trx.insertInto('import_runs').values({ id, user_id: userId, file_name, columns }).execute()
    return { import_id: id }
  })
}

export async function stageImport(
  ctx: Ctx<CrmDb>,
  { import_id, from, rows }: Input<typeof contract.stageImport>,
): Promise<Output<typeof contract.stageImport>> {
  const { id: userId } = signedIn(ctx)
  if (from + rows.length > MOST_ROWS) throw new DomainError('import_too_long')
  return inTransaction(ctx.db, async (trx) => {
    await openRun(trx, userId, import_id)
    await sql`
      insert into import_rows (import_id, user_id, n, cells)
      select ${import_id}, ${userId}, ${from} + at::int - 1, array(select jsonb_array_elements_text(row))
      from jsonb_array_elements(${JSON.stringify(rows).replaceAll('\\u0000', '')}::jsonb) with ordinality as given(row, at)
      on conflict (import_id, n) do update set cells = excluded.cells`.execute(trx)
    return { staged: from + rows.length }
  })
}

export async function checkImport(
  ctx: Ctx<CrmDb>,
  { import_id, mapping: usual, fields, on_match }: Input<typeof contract.checkImport>,
): Promise<Output<typeof contract.checkImport>> {
  const { id: userId } = signedIn(ctx)
  if (usual.name === undefined && usual.email === undefined) throw new DomainError('import_mapping')
  const mapping: Record<string, number> = { ...(usual as Record<string, number>), ...prefixed(fields) }
  return inTransaction(ctx.db, async (trx) => {
    await openRun(trx, userId, import_id)
    await trx
      .updateTable('import_runs')
      .set({ mapping: JSON.stringify(mapping) as never, on_match })
      .where('id', '=', import_id)
      .execute()
    await classify(trx, { id: import_id, userId, mapping, onMatch: on_match })
    const { rows } = await sql<{ action: 'new'; count: number }>`
      select action, count(*)::int as count from import_rows where import_id = ${import_id} group by action`.execute(trx)
    const { rows: shown } = await sql<Output<typeof contract.checkImport>['rows'][number]>`
      select row, action, reason, name, email from (
        select n + 1 as row, action, reason, fields ->> 'name' as name, fields ->> 'email' as email,
          row_number() over (partition by action order by n) as place from import_rows where import_id = ${import_id}) ranked
      where place <= ${SHOWN} order by action, row`.execute(trx)
    const counts = { new: 0, changed: 0, same: 0, refused: 0 }
    for (const { action, count } of rows) counts[action] = count
    return { counts, rows: shown }
  })
}

/** Among the usual ones, told apart by their names. */
const prefixed = (fields: Record<string, number>) => Object.fromEntries(Object.entries(fields).map(([id, at]) => [`${OWN}${id}`, at]))

export async function runImport(ctx: Ctx<CrmDb>, { import_id }: Input<typeof contract.runImport>): Promise<ImportRun> {
  return move(ctx, import_id, 'uploading', 'running')
}
export async function undoImport(ctx: Ctx<CrmDb>, { import_id }: Input<typeof contract.undoImport>): Promise<ImportRun> {
  return move(ctx, import_id, 'done', 'undoing')
}

async function move(ctx: Ctx<CrmDb>, importId: string, from: Run['state'], to: Run['state']): Promise<ImportRun> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const run = await trx
      .updateTable('import_runs')
      .set({ state: to })
      .where('id', '=', importId)
      .where('user_id', '=', userId)
      .where('state', '=', from)
      .returningAll()
      .executeTakeFirst()
    if (!run) {
      const { state } = await readRun(trx, userId, importId)
      throw new DomainError('conflict', { message: `This import is ${state} already.` })
    }
    if (!run.mapping) throw new DomainError('import_mapping')
    await enqueue(trx, workOnImport, { import_id: importId }, { userId })
    return runOf(run)
  })
}

export async function showImport(ctx: Ctx<CrmDb>, { import_id }: Input<typeof contract.showImport>): Promise<ImportRun> {
  return runOf(await readRun(ctx.db, signedIn(ctx).id, import_id))
}

export async function listImports(ctx: Ctx<CrmDb>): Promise<Output<typeof contract.listImports>> {
  const runs = await ctx.db
    .selectFrom('import_runs')
    .selectAll()
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '<>', 'uploading')
    .orderBy('id', 'desc')
    .limit(MOST_KEPT)
    .execute()
  return { imports: runs.map(runOf) }
}

async function readRun(db: Ctx<CrmDb>['db'], userId: string, importId: string): Promise<Run> {
  const run = await db.selectFrom('import_runs').selectAll().where('id', '=', importId).where('user_id', '=', userId).executeTakeFirst()
  if (!run) throw new DomainError('not_found')
  return run
}

/** Locked, so that it is not begun while its rows come in. */
async function openRun(trx: Ctx<CrmDb>['db'], userId: string, importId: string): Promise<void> {
  const run = await trx
    .selectFrom('import_runs')
    .select('id')
    .where('id', '=', importId)
    .where('user_id', '=', userId)
    .where('state', '=', 'uploading')
    .forUpdate()
    .executeTakeFirst()
  if (!run) throw new DomainError('not_found')
}

const runOf = ({ id, file_name, state, added, changed, undone, at }: Run): ImportRun => ({
  ...{ import_id: id, file_name, state, added, changed, undone },
  at: at.toISOString(),
})

const PIECE = 5_000
const RUNS = 50
const MOST_TURNS = 200

/** A few imports at a time, their rows before them; what is left after so many turns goes tomorrow. */
export async function forgetOldImports(ctx: Pick<Ctx<CrmDb>, 'db' | 'signal'>): Promise<void> {
  // Those that never ended stay, and no turn goes past them again.
  let from = '-infinity'
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const { rows } = await sql<{ id: string; place: string }>`
      select id, at::text as place from import_runs where at < now() - ${KEPT_DAYS} * interval '1 day' and at >= ${from}::timestamptz
        and state in ('uploading', 'done', 'undone', 'failed')
      order by at limit ${RUNS}`.execute(ctx.db)
    const old = rows.map(({ id }) => id)
    if (!old.length) return
    from = rows.at(-1)!.place
    for (let gone = PIECE; gone === PIECE; ) {
      ctx.signal.throwIfAborted()
      const { numAffectedRows } = await sql`
        delete from import_rows where ctid = any(array(select ctid from import_rows where import_id = any(${old}::uuid[]) limit ${PIECE}))`.execute(
        ctx.db,
      )
      gone = Number(numAffectedRows)
    }
    await sql`delete from import_runs where id = any(${old}::uuid[])`.execute(ctx.db)
    if (old.length < RUNS) return
  }
}
