import { createHash, randomBytes } from 'node:crypto'
import { FILES_A_PAGE, inspectFile, PIECE_BYTES, storageBytes } from '@operon/contracts/files'
import type { Tier } from '@operon/contracts/plans'
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import { type Ctx, signedIn } from '../context.ts'
import { DomainError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Runtime } from '../service.ts'
import { enqueue, inTransaction } from '../tx.ts'
import type { FilesDb } from './schema.ts'

type Rt = Runtime<any, any>
type Db = Kysely<FilesDb>
export type FileRow = { id: string; name: string; bytes: number; received: number; state: 'uploading' | 'ready' }

const HEAD_BYTES = 4100
const LOCK_S = 120
const dbOf = (ctx: Ctx<any>) => ctx.db as unknown as Db

const refuse = (status: number, code: string, message: string, details?: unknown) => new DomainError(code, { status, message, details })

/** Of a person, also of empty ones, which take no space of the plan. */
export const MOST_FILES = 100_000
/** Those that have run out are gone a day later. */
export const MOST_LINKS = 1_000
const hasSo = async (db: Db, table: 'files' | 'file_links', userId: string, many: number): Promise<boolean> =>
  (await db
    .selectFrom(table)
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('id')
    .offset(many - 1)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Takes the space before the first byte comes: the guard is in the statement, however many begin at once. */
export async function beginUpload(
  rt: Rt,
  ctx: Ctx<any>,
  { bytes, name, type }: { bytes: number; name: string; type: string },
): Promise<FileRow> {
  const { id: userId } = signedIn(ctx)
  const db = dbOf(ctx)
  const quota = storageBytes[await tierOf(ctx, userId)]
  if (await hasSo(db, 'files', userId, MOST_FILES))
    throw refuse(413, 'storage_quota', `You keep ${MOST_FILES} files here, which is the most. Delete some that you do not need.`)
  const id = newId()
  const key = `files/${userId}/${id}`
  if (!(await takeSpace(db, userId, bytes, quota)))
    throw refuse(413, 'storage_quota', `This file does not fit: your plan includes ${inWords(quota)} of files.`, { quota })
  try {
    const upload = await rt.storage.begin(key, 'application/octet-stream')
    await db.insertInto('files').values({ id, user_id: userId, key, name, bytes, said_type: type, upload }).execute()
    return bytes === 0 ? finishUpload(rt, ctx, id) : { id, name, bytes, received: 0, state: 'uploading' }
  } catch (error) {
    await giveSpace(db, userId, bytes)
    throw error
  }
}

type Whole = { id: string; userId: string; key: string; name: string; bytes: number; type: string; sha256: string }

/** A row for a file that is in storage already. It counts against the quota; without room nothing is written. */
export async function keepFile(trx: Transaction<any>, { id, userId, key, name, bytes, type, sha256 }: Whole): Promise<void> {
  const quota = storageBytes[await tierOf({ db: trx }, userId)]
  if (!(await takeSpace(trx, userId, bytes, quota))) throw new DomainError('storage_quota')
  await (trx as unknown as Db)
    .insertInto('files')
    .values({
      id,
      user_id: userId,
      key,
      name,
      bytes,
      received: bytes,
      said_type: type,
      type,
      sha256,
      state: 'ready',
      finished_at: sql`now()` as never,
    })
    .execute()
}

async function uploadOf(ctx: Ctx<any>, id: string): Promise<FileRow> {
  const row = await dbOf(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'bytes', 'received', 'state'])
    .where('id', '=', id)
    .where('user_id', '=', signedIn(ctx).id)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  return row
}

/** Where an upload stands. One whose last piece came just before a crash is finished here, since its sender only asks. */
export async function standingOf(rt: Rt, ctx: Ctx<any>, id: string): Promise<FileRow> {
  const row = await uploadOf(ctx, id)
  return row.state === 'uploading' && row.received === row.bytes ? finishUpload(rt, ctx, id) : row
}

/** One writer at a time: the lock stands in the row, ends by itself, and only who holds it moves the offset. */
export async function appendToUpload(rt: Rt, ctx: Ctx<any>, id: string, offset: number, piece: Uint8Array): Promise<FileRow> {
  const { id: userId } = signedIn(ctx)
  const db = dbOf(ctx)
  if (piece.length > PIECE_BYTES) throw new DomainError('too_large')
  const lock = newId()
  const held = await db
    .updateTable('files')
    .set({ lock_id: lock, locked_until: sql`now() + ${LOCK_S} * interval '1 second'` as never })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('state', '=', 'uploading')
    .where('received', '=', offset)
    .where('bytes', '>=', offset + piece.length)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<', sql<Date>`now()`)]))
    .returning(['key', 'upload', 'bytes'])
    .executeTakeFirst()
  if (!held) throw await whyNot(ctx, id, offset, piece.length)
  let upload: string
  try {
    upload = await rt.storage.append(held.key, held.upload!, offset, piece)
  } catch (error) {
    await db.updateTable('files').set({ locked_until: null, lock_id: null }).where('id', '=', id).where('lock_id', '=', lock).execute()
    throw error
  }
  const moved = await db
    .updateTable('files')
    .set({
      received: offset + piece.length,
      upload,
      lock_id: null,
      locked_until: null,
      head: sql`substring(head || ${Buffer.from(piece.subarray(0, HEAD_BYTES))}::bytea for ${HEAD_BYTES})` as never,
    })
    .where('id', '=', id)
    .where('lock_id', '=', lock)
    .returning(['id', 'name', 'bytes', 'received', 'state'])
    .executeTakeFirst()
  if (!moved) throw refuse(423, 'upload_locked', 'Another connection is sending this upload.')
  return moved.received === moved.bytes ? finishUpload(rt, ctx, id) : moved
}

async function whyNot(ctx: Ctx<any>, id: string, offset: number, length: number): Promise<DomainError> {
  const row = await uploadOf(ctx, id)
  if (row.received !== offset) return refuse(409, 'upload_offset', `The upload is at ${row.received}, not at ${offset}.`)
  if (row.state === 'ready') return refuse(409, 'upload_finished', 'This upload is finished.')
  if (offset + length > row.bytes) return refuse(413, 'too_large', 'This piece is larger than what the upload announced.')
  return refuse(423, 'upload_locked', 'Another connection is sending this upload.')
}

/** The type is what the content shows; what it does not show is nothing that a browser would open. */
async function finishUpload(rt: Rt, ctx: Ctx<any>, id: string): Promise<FileRow> {
  const db = dbOf(ctx)
  const { key, upload, bytes, head, said_type } = await db
    .selectFrom('files')
    .select(['key', 'upload', 'bytes', 'head', 'said_type'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const type = await typeOf(head, said_type)
  await rt.storage.finish(key, upload!, bytes, type)
  return inTransaction(ctx.db, async (trx) => {
    const row = await (trx as unknown as Db)
      .updateTable('files')
      .set({ state: 'ready', type, upload: null, head: Buffer.alloc(0), finished_at: sql`now()` as never })
      .where('id', '=', id)
      .returning(['id', 'name', 'bytes', 'received', 'state'])
      .executeTakeFirstOrThrow()
    await enqueue(trx as never, inspectFile(rt.name), { file_id: id })
    return row
  })
}

const PLAIN = /^text\/(plain|csv|markdown)(;|$)|^application\/json(;|$)/
export async function typeOf(head: Buffer, said: string): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type')
  const found = await fileTypeFromBuffer(head)
  if (found) return found.mime
  const isText = !head.includes(0) && !head.toString('utf8').slice(0, -1).includes('\uFFFD')
  return isText && PLAIN.test(said) ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}

export const cleanName = (name: string) =>
  name
    .replace(/[\p{Cc}\p{Cf}/\\]+/gu, '_')
    .trim()
    .slice(0, 200) || 'file'

/** Object, row and space go together; a link to the file ends with it. */
export async function deleteFile(rt: Rt, ctx: Ctx<any>, id: string, kept?: Kept): Promise<void> {
  const mine = (query: Select) => query.where('id', '=', id).where('user_id', '=', signedIn(ctx).id)
  if (await removeFiles(rt, dbOf(ctx), mine, kept)) return
  await uploadOf(ctx, id)
  throw refuse(409, 'file_in_use', 'This file is in use, so it stays.')
}

/** Files that something else refers to stay. A new reference locks the file's row first. */
export type Kept = RawBuilder<SqlBool>

type Select = ReturnType<typeof selectFiles>
const selectFiles = (db: Db) => db.selectFrom('files').select(['id', 'user_id', 'key', 'bytes', 'upload', 'state', 'type'])

/**
 * The object goes before the row is gone for good: a row without one can be deleted again, an object without a row would stay for ever.
 * Says how many went.
 */
export async function removeFiles(rt: Rt, db: Db, which: (query: Select) => Select, kept: Kept = sql<SqlBool>`false`): Promise<number> {
  const free = sql<SqlBool>`not ${kept}`
  const rows = await which(selectFiles(db)).where(free).limit(1000).execute()
  let removed = 0
  for (const { id, user_id, key, bytes, upload, type } of rows)
    await db.transaction().execute(async (trx) => {
      // Locked first, so that the deletion sees whatever began to refer to it meanwhile.
      await trx.selectFrom('files').select('id').where('id', '=', id).forUpdate().execute()
      if (!(await trx.deleteFrom('files').where('id', '=', id).where(free).returning('id').executeTakeFirst())) return
      await giveSpace(trx, user_id, bytes)
      if (upload) await rt.storage.abandon(key, upload)
      await rt.storage.delete(key)
      if (type?.startsWith('image/')) for (const beside of BESIDE) await rt.storage.delete(`${key}.${beside}`)
      removed++
    })
  return removed
}

async function takeSpace(db: Kysely<any>, userId: string, bytes: number, quota: number): Promise<boolean> {
  if (bytes > quota) return false
  const { rows } = await sql`
    insert into file_usage as used (user_id, bytes) values (${userId}, ${bytes})
    on conflict (user_id) do update set bytes = used.bytes + excluded.bytes where used.bytes + excluded.bytes <= ${quota}
    returning user_id`.execute(db)
  return rows.length === 1
}

const giveSpace = (db: Db, userId: string, bytes: number) =>
  sql`update file_usage set bytes = greatest(0, bytes - ${bytes}) where user_id = ${userId}`.execute(db)

async function tierOf(ctx: Pick<Ctx<any>, 'db'>, userId: string): Promise<Tier> {
  const row = await ctx.db
    .selectFrom('entitlements')
    .select('tier')
    .where('user_id', '=', userId)
    .where((eb: any) => eb.or([eb('period_end', 'is', null), eb('period_end', '>', sql`now()`)]))
    .executeTakeFirst()
  return (row?.tier as Tier | undefined) ?? 'none'
}

export const inWords = (bytes: number) => {
  const gib = bytes / 1024 ** 3
  return gib >= 1 ? `${gib} GB` : `${Math.round(gib * 1024)} MB`
}

const LISTED_FOR_S = 2 * 3600

/** Files that are ready, newest first. `hidden` files are on their way out. */
export async function listFiles(
  rt: Rt,
  ctx: Ctx<any>,
  { q = '', after }: { q?: string; after?: string | null },
  { kept = sql<SqlBool>`false`, hidden = sql<SqlBool>`false` }: { kept?: Kept | undefined; hidden?: Kept | undefined } = {},
) {
  const { id: userId } = signedIn(ctx)
  const db = dbOf(ctx)
  const words = q.trim()
  let query = db
    .selectFrom('files')
    .select(['id', 'name', 'bytes', 'type', 'key', 'created_at'])
    .select(sql<boolean>`${kept}`.as('kept'))
    .where('user_id', '=', userId)
    .where('state', '=', 'ready')
    .where(sql<SqlBool>`not ${hidden}`)
  if (words) query = query.where('name', 'ilike', `%${words.replace(/[\\%_]/g, '\\$&')}%`)
  if (after) query = query.where('id', '<', after)
  const [rows, usage, tier] = await Promise.all([
    query
      .orderBy('id', 'desc')
      .limit(FILES_A_PAGE + 1)
      .execute(),
    db.selectFrom('file_usage').select('bytes').where('user_id', '=', userId).executeTakeFirst(),
    tierOf(ctx, userId),
  ])
  const files = rows.slice(0, FILES_A_PAGE).map(({ key, type, created_at, ...row }) => ({
    ...row,
    type: type ?? 'application/octet-stream',
    url: rt.storage.signedUrl(key, { expiresInS: LISTED_FOR_S, downloadAs: row.name }),
    created_at: created_at.toISOString(),
  }))
  return {
    files,
    next: rows.length > FILES_A_PAGE ? files.at(-1)!.id : null,
    used_bytes: usage?.bytes ?? 0,
    quota_bytes: storageBytes[tier],
  }
}

/** Where a service keeps a smaller copy of a picture; it goes with the file. */
export const besideKey = (key: string, width: number, format: 'webp' | 'avif') => `${key}.${besideName(width, format)}`
const besideName = (width: number, format: string) => `w${width}${format === 'webp' ? '' : `.${format}`}`
const BESIDE = [480, 640, 720, 960, 1280].flatMap((width) => [besideName(width, 'webp'), besideName(width, 'avif')])

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url')

/** Only the hash of its token is kept; each opening looks the row up, so that it can be revoked. */
export async function linkFile(rt: Rt, ctx: Ctx<any>, { file_id, hours }: { file_id: string; hours: number }) {
  if (signedIn(ctx).anonymous) throw new DomainError('anonymous_no_address')
  const file = await uploadOf(ctx, file_id)
  if (file.state !== 'ready') throw refuse(409, 'upload_unfinished', 'This file is still being uploaded.')
  if (await hasSo(dbOf(ctx), 'file_links', signedIn(ctx).id, MOST_LINKS))
    throw refuse(409, 'file_links_full', `You have ${MOST_LINKS} links to files. Older ones go by themselves when they run out.`)
  const token = randomBytes(24).toString('base64url')
  const row = await dbOf(ctx)
    .insertInto('file_links')
    .values({
      id: newId(),
      file_id,
      user_id: signedIn(ctx).id,
      token_hash: hashOf(token),
      expires_at: sql`now() + ${hours} * interval '1 hour'` as never,
    })
    .returning(['id', 'expires_at'])
    .executeTakeFirstOrThrow()
  return {
    link_id: row.id,
    url: `${rt.kit.PUBLIC_URL}/files/v1/${rt.name}/~links/${token}`,
    expires_at: row.expires_at.toISOString(),
  }
}

export async function revokeLink(ctx: Ctx<any>, { link_id }: { link_id: string }): Promise<{ revoked: boolean }> {
  const row = await dbOf(ctx)
    .updateTable('file_links')
    .set({ revoked_at: sql`now()` as never })
    .where('id', '=', link_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return { revoked: row !== undefined }
}

/** A file that is on its way out is shown to nobody any more. */
export async function fileOfLink(
  ctx: Ctx<any>,
  token: string,
  hidden: Kept = sql<SqlBool>`false`,
): Promise<{ key: string; name: string; expires_at: Date }> {
  const row = await dbOf(ctx)
    .selectFrom('file_links')
    .innerJoin('files', 'files.id', 'file_links.file_id')
    .select(['files.key', 'files.name', 'file_links.expires_at'])
    .where('token_hash', '=', hashOf(token))
    .where('revoked_at', 'is', null)
    .where('file_links.expires_at', '>', sql<Date>`now()`)
    .where('files.state', '=', 'ready')
    .where('files.scan', '!=', 'infected')
    .where(sql<SqlBool>`not ${hidden}`)
    .executeTakeFirst()
  if (!row) throw refuse(404, 'link_unknown', 'This link has expired or was revoked.')
  return row
}

export async function hashFile(rt: Rt, ctx: Ctx<any>, id: string): Promise<void> {
  const row = await dbOf(ctx).selectFrom('files').select('key').where('id', '=', id).executeTakeFirst()
  if (!row) return
  const hash = createHash('sha256')
  for await (const chunk of (await rt.storage.get(row.key)).body) hash.update(chunk)
  await dbOf(ctx)
    .updateTable('files')
    .set({ sha256: hash.digest('hex') })
    .where('id', '=', id)
    .execute()
}
