import { createHash } from 'node:crypto'
import type { pictureCopy } from '@operon/contracts/files'
import { readPicture } from '@operon/contracts/media/events'
import { type Ctx, signedIn } from '../context.ts'
import { DomainError } from '../errors.ts'
import { serve } from '../http.ts'
import type { Runtime } from '../service.ts'
import { appendToUpload, beginUpload, deleteFile } from './files.ts'

type Rt = Runtime<any, any>

/** Serves the copies of pictures that a service keeps among its files; beside `mountFiles`. */
export function mountPictureCopies(rt: Rt, contract: ReturnType<typeof pictureCopy<any>>): void {
  serve(rt.app, contract, (ctx, input) => copyPicture(rt, ctx, input as never))
}

/** Asks media for the picture under the person's own rights and keeps it like an upload, with the same quota. */
async function copyPicture(rt: Rt, ctx: Ctx<any>, asked: { picture_id: string; width?: number | undefined }) {
  const actor = signedIn(ctx)
  const pieceAt = (offset: number) => rt.ask(readPicture, { ...asked, offset }, { actor })
  const first = await pieceAt(0)
  const { name, type, bytes, sha256 } = first
  const file = await beginUpload(rt, ctx, { bytes, name, type })
  const hash = createHash('sha256')
  try {
    for (let at = 0, piece = first; at < bytes; ) {
      if (at > 0) piece = await pieceAt(at)
      const part = Buffer.from(piece.piece, 'base64')
      if (part.length === 0 || piece.sha256 !== sha256) throw new DomainError('unavailable')
      hash.update(part)
      at += part.length
      // Checked before the last piece, with which the file is whole.
      if (at >= bytes && hash.digest('hex') !== sha256) throw new DomainError('unavailable')
      await appendToUpload(rt, ctx, file.id, at - part.length, part)
    }
  } catch (error) {
    await deleteFile(rt, ctx, file.id)
    throw error
  }
  return { file_id: file.id, name, bytes }
}
