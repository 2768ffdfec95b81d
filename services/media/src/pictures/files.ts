import { createHash } from 'node:crypto'
import { PICTURE_PIECE_BYTES } from '@operon/contracts/media/events'
import type { ImageFormat } from '@operon/contracts/media/images'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import type { Storage } from '@operon/kit/storage/storage'
import { encode } from '../pixels/pixels.ts'
import { unpacking } from '../pixels/turns.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { nameOf } from './draw.ts'
import { keyOf } from './picture.ts'

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]
type Asked = { picture_id: string; format: ImageFormat; width?: number | undefined }

/** The file as its owner asks for it. */
export async function sendPicture({ storage }: Deps, ctx: Ctx<MediaDb>, { picture_id, format, width }: Asked, reply: Reply) {
  const { body, type, name } = await fileOf(storage, ctx, { picture_id, format, width })
  return reply
    .headers({
      'content-type': type,
      'content-disposition': `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`,
      'content-length': body.length,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(body)
}

/** One piece of it, for a service that copies it among its own files. It is encoded for each piece, which are seldom more than one. */
export async function readPiece(
  { storage }: Deps,
  ctx: Ctx<MediaDb>,
  { picture_id, width, offset }: { picture_id: string; width?: number | null | undefined; offset: number },
) {
  const { body, type, name } = await fileOf(storage, ctx, { picture_id, format: 'webp', width: width ?? undefined })
  return {
    ...{ name, type, bytes: body.length },
    sha256: createHash('sha256').update(body).digest('hex'),
    piece: body.subarray(offset, offset + PICTURE_PIECE_BYTES).toString('base64'),
  }
}

/** As it was made. */
export const readFile = async (storage: Storage, ctx: Ctx<MediaDb>, picture_id: string) =>
  (await fileOf(storage, ctx, { picture_id, format: 'original' })).body

async function fileOf(storage: Storage, ctx: Ctx<MediaDb>, { picture_id, format, width }: Asked) {
  const row = await ctx.db
    .selectFrom('pictures')
    .select(['id', 'user_id', 'prompt'])
    .where('id', '=', picture_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'done')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  const { body, type, ending } = await unpacking(row.user_id, async () => {
    const png = Buffer.concat(await (await storage.get(keyOf(row))).body.toArray())
    return encode(png, format, width)
  })
  return { body, type, name: nameOf(row.prompt).replace(/png$/, ending) }
}
