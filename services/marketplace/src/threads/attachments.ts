import { createHash } from 'node:crypto'
import { ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '@operon/contracts/marketplace/threads'
import { scanFile } from '@operon/contracts/marketplace/trust'
import { DomainError } from '@operon/kit/errors'
import { cleanName, keepFile, typeOf } from '@operon/kit/files/files'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import type { Transaction } from 'kysely'
import { isForbidden } from '../items/forbidden.ts'
import type { MarketplaceDb } from '../schema.ts'

type Trx = Transaction<MarketplaceDb & KitDb>
type Storage = Runtime<MarketplaceDb>['storage']

/** The author's own files, whole and clean. Locked, so that none of them is deleted meanwhile. */
export async function attach(trx: Trx, messageId: string, fileIds: string[], author: string | null): Promise<void> {
  const ids = [...new Set(fileIds)]
  if (!ids.length) return
  const files = author
    ? await trx
        .selectFrom('files')
        .select(['id', 'name', 'bytes', 'type', 'scan'])
        .where('id', 'in', ids)
        .where('user_id', '=', author)
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

/** Files of an email, under the limits of those that are attached in the app. `left` counts those that are beyond them. */
export async function storeMailFiles(storage: Storage, author: string | null, files: File[]): Promise<{ stored: Stored[]; left: number }> {
  if (!author) return { stored: [], left: files.length }
  const stored: Stored[] = []
  for (const file of files) {
    if (stored.length >= MAX_ATTACHMENTS || file.size > ATTACHMENT_BYTES || file.size === 0) continue
    const content = Buffer.from(await file.arrayBuffer())
    const [name, type] = [cleanName(file.name), await typeOf(content.subarray(0, 4100), file.type)]
    if (isForbidden(name, type)) continue
    const id = newId()
    const key = `files/${author}/${id}`
    await storage.put(key, content, { contentType: type })
    stored.push({ id, key, name, bytes: content.length, type, sha256: createHash('sha256').update(content).digest('hex') })
  }
  return { stored, left: files.length - stored.length }
}

/** Gives the stored files their rows, as far as the author's plan has room. Answers with those that have one. */
export async function keepMailFiles(trx: Trx, author: string | null, stored: Stored[]): Promise<string[]> {
  const kept: string[] = []
  for (const file of stored)
    try {
      await keepFile(trx, { ...file, userId: author! })
      kept.push(file.id)
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'storage_quota')) throw error
    }
  return kept
}

export const dropMailFiles = async (storage: Storage, stored: Stored[]) => {
  for (const { key } of stored) await storage.delete(key)
}
