import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'

import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { type Format, smallerPicture } from './smaller.ts'

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]

const LARGEST = 10 * 1024 * 1024
/** Types that a browser shows and that run nothing. */
const SHOWN = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']

export const isShown = ({ type, bytes }: { type: string | null; bytes: number | string }) =>
  SHOWN.includes(type ?? '') && Number(bytes) <= LARGEST

/** Only a file of a seller's own in a product that is on sale or of their storefront, or of a buyer's own in a review: an id opens nothing else of what people keep. */
export const sendPicture =
  ({ storage }: Pick<Runtime<MarketplaceDb>, 'storage'>) =>
  async (
    { db }: Ctx<MarketplaceDb>,
    { picture, w, f = 'webp' }: { picture: string; w?: string | undefined; f?: Format | undefined },
    reply: Reply,
  ) => {
    const file = await db
      .selectFrom('files as f')
      .select(['f.key', 'f.type'])
      .where('f.id', '=', picture)
      .where('f.state', '=', 'ready')
      .where('f.scan', '!=', 'infected')
      .where('f.type', 'in', SHOWN)
      .where('f.bytes', '<=', LARGEST)
      .where(
        sql<boolean>`(exists (select from items i where i.is_active and i.image_ids @> array[${picture}]::uuid[] and i.user_id = f.user_id)
          or exists (select from profiles p where p.user_id = f.user_id and p.picture_id = f.id and p.marketplace_slug is not null)
          or exists (select from reviews r where r.photo_ids <> '{}' and r.photo_ids @> array[${picture}]::uuid[] and r.buyer_id = f.user_id
            and r.hidden_at is null))`,
      )
      .executeTakeFirst()
    if (!file) throw new DomainError('not_found')
    const small = w ? await smallerPicture(storage, file, { width: Number(w), format: f }) : null
    return reply
      .headers({
        'content-type': small ? `image/${f}` : file.type!,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-disposition': 'inline',
      })
      .send(small ?? (await storage.get(file.key)).body)
  }
