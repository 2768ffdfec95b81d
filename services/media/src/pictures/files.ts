import type { ImageFormat } from '@operon/contracts/media/images'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import { encode } from '../pixels/pixels.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { nameOf } from './draw.ts'
import { keyOf } from './picture.ts'

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]
type Asked = { picture_id: string; format: ImageFormat; width?: number | undefined }

/** The file as its owner asks for it. */
export async function sendPicture({ storage }: Deps, ctx: Ctx<MediaDb>, { picture_id, format, width }: Asked, reply: Reply) {
  const row = await ctx.db
    .selectFrom('pictures')
    .select(['id', 'user_id', 'prompt'])
    .where('id', '=', picture_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'done')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  const png = Buffer.concat(await (await storage.get(keyOf(row))).body.toArray())
  const { body, type, ending } = await encode(png, format, width)
  const name = nameOf(row.prompt).replace(/png$/, ending)
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
