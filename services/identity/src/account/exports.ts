import { Readable } from 'node:stream'
import type { Input, Output, Payload } from '@operon/contracts/contract'
import * as identity from '@operon/contracts/identity/events'
import { type accountExportOpen, type accountExports, EXPORT_KEPT_DAYS } from '@operon/contracts/identity/exports'
import { DAY_MS, now } from '@operon/kit/clock'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { type JobRun, Later } from '@operon/kit/jobs/jobs'
import { enqueue, inTransaction, publish } from '@operon/kit/tx'
import type { Selectable } from 'kysely'
import type { AuthCtx } from '../deps.ts'
import { limitByUser } from '../limits.ts'
import type { ExportPart, IdentityDb } from '../schema.ts'
import { audit } from '../users/audit.ts'
import { demandFreshSession } from '../users/step-up.ts'
import { currentUser, type Trx } from '../users/users.ts'
import { partsOf, START, writePiece } from './document.ts'

type ExportRow = Selectable<IdentityDb['exports']>

const A_DAY = 5
const LISTED = 5
const LINK_SECONDS = 300
/** So much, or so long, is written at most before it is put down. */
const FILE_BYTES = 4 * 1024 * 1024
const FILE_MS = 5_000
/** A part that does not answer is asked again after a time that grows between these, and for so many hours. */
const AGAIN_MS = { least: 5_000, most: 300_000 }
const GIVE_UP_HOURS = 24

/** One at a time: whoever asks again gets the one that is being made. */
export async function beginExport(ctx: AuthCtx, _input: unknown) {
  const { user, session } = await currentUser(ctx)
  demandFreshSession(user, session)
  const before = await ctx.db
    .selectFrom('exports')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('state', '=', 'working')
    .executeTakeFirst()
  if (before) return { export: shown(ctx, before) }
  await limitByUser(ctx, 'exports', A_DAY, DAY_MS)
  const row = await inTransaction(ctx.db, async (trx: Trx) => {
    const id = newId()
    const row = await trx
      .insertInto('exports')
      .values({ id, user_id: user.id, place: JSON.stringify(START) })
      .onConflict((conflict) => conflict.column('user_id').where('state', '=', 'working').doUpdateSet({ user_id: user.id }))
      .returningAll()
      .executeTakeFirstOrThrow()
    if (row.id !== id) return row
    await enqueue(trx, identity.makeExport, { export_id: row.id }, { userId: user.id })
    await audit(trx, ctx, user.id, 'account_exported')
    return row
  })
  return { export: shown(ctx, row) }
}

export async function listExports(ctx: AuthCtx, _input: unknown): Promise<Output<typeof accountExports>> {
  const { user } = await currentUser(ctx)
  const rows = await ctx.db
    .selectFrom('exports')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('state', '!=', 'dropped')
    .orderBy('id', 'desc')
    .limit(LISTED)
    .execute()
  return { exports: rows.map((row) => shown(ctx, row)) }
}

export async function openExport(ctx: AuthCtx, { export_id: id }: Input<typeof accountExportOpen>) {
  const { user, session } = await currentUser(ctx)
  demandFreshSession(user, session)
  const row = await ctx.db
    .selectFrom('exports')
    .select(['files', 'finished_at'])
    .where('id', '=', id)
    .where('user_id', '=', user.id)
    .where('state', '=', 'ready')
    .where('kept_until', '>', new Date(now()))
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  const downloadAs = `operon-account-${row.finished_at!.toISOString().slice(0, 10)}.json`
  return {
    url: ctx.deps.rt.storage.signedUrl(row.files[0]!, { expiresInS: LINK_SECONDS, downloadAs }),
    expires_at: new Date(now() + LINK_SECONDS * 1000).toISOString(),
  }
}

/**
 * Writes an export on from where it stands. Each part is a file under this run's own name, and counts once the row says so with the
 * place after it: whatever is killed in between is written again from there, and a run that was thought dead changes nothing.
 */
export async function makeExport(ctx: AuthCtx, { payload: { export_id: id } }: JobRun<Payload<typeof identity.makeExport>>): Promise<void> {
  const run = newId()
  let row = await save(ctx, id, { run })
  while (row) {
    const at: ExportRow = row
    try {
      if (!at.place.part) return await finish(ctx, at, run)
      row = await writeFile(ctx, at, run)
    } catch (err) {
      ctx.signal.throwIfAborted()
      return waitFor(ctx, at, run, err)
    }
  }
}

type Change = Partial<Pick<ExportRow, 'run' | 'files' | 'rows' | 'bytes' | 'waiting_for' | 'waiting_since'>> & { place?: string }

/** Null where it is over, or another run has taken it on. */
async function save({ db }: AuthCtx, id: string, change: Change, run?: string): Promise<ExportRow | null> {
  const row = await db
    .updateTable('exports')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', 'working')
    .$if(run !== undefined, (query) => query.where('run', '=', run!))
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

async function writeFile(ctx: AuthCtx, row: ExportRow, run: string): Promise<ExportRow | null> {
  const began = performance.now()
  const texts: Buffer[] = []
  let { place, rows } = row
  let bytes = 0
  while (place.part && bytes < FILE_BYTES && performance.now() - began < FILE_MS) {
    ctx.signal.throwIfAborted()
    // The rows that were read before a part fell silent are written down first.
    const piece = await writePiece(ctx, row.user_id, place).catch((err) => {
      if (!texts.length) throw err
    })
    if (!piece) break
    texts.push(Buffer.from(piece.text))
    bytes += texts.at(-1)!.length
    rows += piece.rows
    place = piece.next
  }
  const key = `${folderOf(row.id)}${row.files.length}-${run}`
  await ctx.deps.rt.storage.put(key, Buffer.concat(texts), { contentType: 'application/json' })
  const change = { place: JSON.stringify(place), files: [...row.files, key], rows, bytes: row.bytes + bytes }
  return save(ctx, row.id, { ...change, waiting_for: null, waiting_since: null }, run)
}

const folderOf = (id: string) => `exports/${id}/`

/** A part that is away makes the export late, until it has been away for too long. */
async function waitFor(ctx: AuthCtx, row: ExportRow, run: string, err: unknown): Promise<void> {
  const part = row.place.part ?? 'identity'
  const since = row.waiting_since ?? new Date(now())
  const awayMs = now() - since.getTime()
  ctx.log.warn({ err, who: part, export: row.id }, 'an export waits for a service that does not answer')
  if (awayMs < GIVE_UP_HOURS * 3_600_000) {
    if (!(await save(ctx, row.id, { waiting_for: part, waiting_since: since }, run))) return
    throw new Later(Math.min(Math.max(awayMs, AGAIN_MS.least), AGAIN_MS.most))
  }
  const failed = await inTransaction(ctx.db, async (trx: Trx) => {
    const ended = await end(trx, row.id, run, { state: 'failed', waiting_for: part })
    if (ended) await publish(trx, identity.exportFailed, row.user_id, { export_id: row.id, hours: GIVE_UP_HOURS })
    return ended
  })
  if (failed) await dropFiles(ctx, row.id)
}

/** The files become one. */
async function finish(ctx: AuthCtx, row: ExportRow, run: string): Promise<void> {
  const { storage } = ctx.deps.rt
  const key = `${folderOf(row.id)}${run}.json`
  async function* all() {
    for (const file of row.files) yield* (await storage.get(file)).body
  }
  await storage.put(key, Readable.from(all()), { contentType: 'application/json' })
  const ready = await inTransaction(ctx.db, async (trx: Trx) => {
    const ended = await end(trx, row.id, run, { state: 'ready', files: [key] })
    if (ended) await publish(trx, identity.exportReady, row.user_id, { export_id: row.id, kept_until: ended.kept_until!.toISOString() })
    return ended
  })
  // A run that came too late takes back its own copy alone.
  if (ready) await dropFiles(ctx, row.id, key)
  else await storage.delete(key)
}

const end = (trx: Trx, id: string, run: string, change: { state: 'ready' | 'failed'; files?: string[]; waiting_for?: ExportPart }) =>
  trx
    .updateTable('exports')
    .set({ ...change, finished_at: new Date(now()), kept_until: new Date(now() + EXPORT_KEPT_DAYS * DAY_MS) })
    .where('id', '=', id)
    .where('run', '=', run)
    .where('state', '=', 'working')
    .returning('kept_until')
    .executeTakeFirst()

async function dropFiles({ deps: { rt } }: AuthCtx, id: string, except?: string): Promise<void> {
  for (const { key } of await rt.storage.list(folderOf(id))) if (key !== except) await rt.storage.delete(key)
}

/** The account is gone: so is every export of it, at once for whoever asks, and from the storage with the next sweep. */
export async function dropExports(trx: Trx, userId: string): Promise<void> {
  const gone = { state: 'dropped' as const, run: null, kept_until: new Date(now()) }
  await trx.updateTable('exports').set(gone).where('user_id', '=', userId).execute()
}

const SWEPT_AT_ONCE = 100

/** The files go first: a row without them can be swept again, files without a row would stay for ever. */
export async function sweepExports(ctx: AuthCtx): Promise<void> {
  const over = () =>
    ctx.db
      .selectFrom('exports')
      .select('id')
      .where('kept_until', '<=', new Date(now()))
      .orderBy('kept_until')
      .limit(SWEPT_AT_ONCE)
      .execute()
  for (let rows = await over(); rows.length && !ctx.signal.aborted; rows = await over())
    for (const { id } of rows) {
      await dropFiles(ctx, id)
      await ctx.db.deleteFrom('exports').where('id', '=', id).where('kept_until', '<=', new Date(now())).execute()
    }
}

function shown(ctx: AuthCtx, row: ExportRow) {
  const parts = partsOf(ctx)
  return {
    id: row.id,
    state: row.state as 'working' | 'ready' | 'failed',
    begun_at: row.created_at.toISOString(),
    part: row.state === 'working' ? row.place.part : null,
    part_number: row.place.part ? parts.indexOf(row.place.part) + 1 : parts.length,
    parts: parts.length,
    rows: row.rows,
    bytes: row.bytes,
    waiting_for: row.waiting_for,
    finished_at: row.finished_at?.toISOString() ?? null,
    kept_until: row.kept_until?.toISOString() ?? null,
  }
}
