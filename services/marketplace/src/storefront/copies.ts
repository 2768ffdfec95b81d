import { copyPicture, PICTURE_WIDTHS } from '@operon/contracts/marketplace/storefront'
import { besideKey } from '@operon/kit/files/files'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import { enqueue } from '@operon/kit/tx'
import type { Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { isShown } from './pictures.ts'
import { type Format, read, smallerPicture } from './smaller.ts'

const FORMATS: Format[] = ['avif', 'webp']
/** 640 is asked for by pages of the release before alone, and 1280 by the head of a storefront on a wide screen: both are made as they are needed. */
const WIDTHS = PICTURE_WIDTHS.map(Number).filter((width) => width !== 640 && width !== 1280)

/** A job for each picture: one that a shutdown cuts off goes on with the copies that are missing. */
export async function copyPictures(trx: Transaction<MarketplaceDb & KitDb>, pictures: string[]): Promise<void> {
  for (const file_id of pictures) await enqueue(trx, copyPicture, { file_id })
}

export function pictureCopies(rt: Runtime<MarketplaceDb>) {
  // One at a time, so that pages which need a copy at once still get their turn.
  rt.job(copyPicture, ({ db }, { payload, signal }) => copyOne(rt, db, payload.file_id, signal), { concurrency: 1 })
}

async function copyOne({ storage }: Pick<Runtime, 'storage'>, db: Runtime<MarketplaceDb>['db'], fileId: string, signal: AbortSignal) {
  const look = () =>
    db.selectFrom('files').select(['key', 'type', 'bytes']).where('id', '=', fileId).where('state', '=', 'ready').executeTakeFirst()
  const file = await look()
  if (!file || !isShown(file)) return
  const copies = WIDTHS.flatMap((width) => FORMATS.map((format) => ({ width, format, key: besideKey(file.key, width, format) })))
  let whole: Promise<Buffer> | undefined
  const readOnce = () => (whole ??= read(storage, file.key))
  for (const { key, ...wanted } of copies) {
    signal.throwIfAborted()
    if (!(await storage.head(key))) await smallerPicture(storage, file, wanted, readOnce)
  }
  // Deleted meanwhile: its copies go as well.
  if (!(await look())) for (const { key } of copies) await storage.delete(key)
}
