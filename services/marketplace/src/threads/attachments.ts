import { createHash } from 'node:crypto'
import { ATTACHMENT_BYTES, GUEST_BYTES, GUEST_FILES, MAX_ATTACHMENTS } from '@operon/contracts/marketplace/threads'
import { scanFile } from '@operon/contracts/marketplace/trust'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { cleanName, keepFile, typeOf } from '@operon/kit/files/files'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import { sql, type Transaction } from 'kysely'
import { isForbidden } from '../items/forbidden.ts'
import type { MarketplaceDb } from '../schema.ts'
import type { Side, ThreadRow } from './threads.ts'

type Trx = Transaction<MarketplaceDb & KitDb>
type Storage = Runtime<MarketplaceDb>['storage']

/** Files of their keeper, whole and clean. Locked, so that none of them is deleted meanwhile. */
export async function attach(trx: Trx, messageId: string, fileIds: string[], keeper: string | null): Promise<void> {
  const ids = [...new Set(fileIds)]
  if (!ids.length) return
  const files = keeper
    ? await trx
        .selectFrom('files')
        .select(['id', 'name', 'bytes', 'type', 'scan'])
        .where('id', 'in', ids)
        .where('user_id', '=', keeper)
        .where('state', '=', 'ready')
        .where('scan', '!=', 'infected')
        .forKeyShare()
        .execute()
    : []
  if (files.length !== ids.length) throw new DomainError('attachment_unknown')
  if (files.some(({ name, type }) => isForbidden(name, type))) throw new DomainError('attachment_forbidden')
  if (files.some(({ bytes }) => Number(bytes) > ATTACHMENT_BYTES)) throw new DomainError('attachment_too_large')
  await trx
    .insertInto('message_files')
    .values(
      ids.map((id, position) => {
        const { name, bytes, type } = files.find((file) => file.id === id)!
        return { message_id: messageId, file_id: id, name, bytes, type: type ?? 'application/octet-stream', position }
      }),
    )
    .execute()
  for (const { id, scan } of files) if (scan === 'none') await enqueue(trx, scanFile, { file_id: id })
}

type Stored = { id: string; key: string; name: string; bytes: number; type: string; sha256: string }
/** The keeper of the files. A guest has no space, so the seller who gets them does, within what a guest may send. */
type Keeper = { owner: string; most: number; bytes: number }
export async function keeperOf(db: Ctx<MarketplaceDb>['db'], thread: ThreadRow, side: Side): Promise<Keeper> {
  const author = side === 'seller' ? thread.seller_id : thread.buyer_id
  if (author) return { owner: author, most: MAX_ATTACHMENTS, bytes: MAX_ATTACHMENTS * ATTACHMENT_BYTES }
  const { sent } = await db
    .selectFrom('message_files as f')
    .innerJoin('thread_messages as m', 'm.id', 'f.message_id')
    .select(sql<number>`count(*)::int`.as('sent'))
    .where('m.thread_id', '=', thread.id)
    .where('m.side', '=', 'buyer')
    .executeTakeFirstOrThrow()
  return { owner: thread.seller_id, most: Math.max(0, Math.min(MAX_ATTACHMENTS, GUEST_FILES - sent)), bytes: GUEST_BYTES }
}

/** Files that came in one piece, of an email or a guest's form. `left` counts those that are beyond the limits. */
export async function storeWhole(
  storage: Storage,
  { owner, most, bytes }: Keeper,
  files: File[],
): Promise<{ stored: Stored[]; left: number }> {
  const stored: Stored[] = []
  let room = bytes
  for (const file of files) {
    if (stored.length >= most || file.size > Math.min(room, ATTACHMENT_BYTES) || file.size === 0) continue
    const content = Buffer.from(await file.arrayBuffer())
    const [name, type] = [cleanName(file.name), await typeOf(content.subarray(0, 4100), file.type)]
    if (isForbidden(name, type)) continue
    const id = newId()
    const key = `files/${owner}/${id}`
    await storage.put(key, content, { contentType: type })
    room -= content.length
    stored.push({ id, key, name, bytes: content.length, type, sha256: createHash('sha256').update(content).digest('hex') })
  }
  return { stored, left: files.length - stored.length }
}

/** Gives the stored files their rows, as far as the keeper's plan has room. Answers with those that have one. */
export async function keepWhole(trx: Trx, owner: string, stored: Stored[]): Promise<string[]> {
  const kept: string[] = []
  for (const file of stored)
    try {
      await keepFile(trx, { ...file, userId: owner })
      kept.push(file.id)
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'storage_quota')) throw error
    }
  return kept
}

export const dropWhole = async (storage: Storage, stored: Stored[]) => {
  for (const { key } of stored) await storage.delete(key)
}
