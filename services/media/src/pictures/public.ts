import { createHash } from 'node:crypto'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { keepFile } from '@operon/kit/files/files'
import type { serveRaw } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { cleaned, lookAt, onWhite, thumbOf } from '../pixels/pixels.ts'
import { unpacking } from '../pixels/turns.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { nameOf } from './draw.ts'
import { readFile } from './files.ts'
import { uploadsOf } from './inputs.ts'

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]
type Asked = { picture_id?: string | undefined; file_id?: string | undefined }

/** As wide as an email or an ad shows it on a sharp screen. */
const WIDTH = 1200
const ALT = 300

export const publicOf = (userId: string) => `public/${userId}/`

/** A copy with an address that stays: what was sent to others must not lose its picture with the gallery's. JPEG, since mail programs read nothing newer. */
export async function publishPicture(deps: Deps, ctx: Ctx<MediaDb>, asked: Asked) {
  const { rt, storage, moderation } = deps
  const { id: userId, anonymous } = signedIn(ctx)
  if (anonymous) throw new DomainError('anonymous_no_address')
  const source_id = asked.picture_id ?? asked.file_id!
  const { png, alt } = await sourceOf(deps, ctx, asked)
  const known = await publicCopy(ctx, userId, source_id)
  if (known) return replyOf(rt.kit.PUBLIC_URL, known, alt)
  await moderation.check({ pictures: [await thumbOf(png)] }, AbortSignal.timeout(rt.config.MEDIA_DRAW_MS))
  const body = await unpacking(userId, () => onWhite(png, WIDTH))
  const { width, height } = lookAt(body)
  // A second try writes over the first one's, so that none is left without a row.
  const key = `${publicOf(userId)}${source_id}.jpg`
  await storage.put(key, body, { contentType: 'image/jpeg' })
  const id = newId()
  const made = await inTransaction(ctx.db, async (trx) => {
    const sha256 = createHash('sha256').update(body).digest('hex')
    const name = nameOf(alt).replace(/\.png$/, ' (public).jpg')
    await keepFile(trx, { id, userId, key, name, bytes: body.length, type: 'image/jpeg', sha256 })
    return trx
      .insertInto('public_pictures')
      .values({ id, user_id: userId, source_id, width, height })
      .returningAll()
      .executeTakeFirstOrThrow()
  }).catch(async (error) => {
    const other = await publicCopy(ctx, userId, source_id)
    if (other && (error as { code?: string }).code === UNIQUE) return other
    // Without a row it would stay for ever, outside of every quota.
    if (!other) await storage.delete(key)
    throw error
  })
  return replyOf(rt.kit.PUBLIC_URL, made, alt)
}
const UNIQUE = '23505'

const publicCopy = (ctx: Ctx<MediaDb>, userId: string, sourceId: string) =>
  ctx.db.selectFrom('public_pictures').selectAll().where('user_id', '=', userId).where('source_id', '=', sourceId).executeTakeFirst()

async function sourceOf({ storage }: Deps, ctx: Ctx<MediaDb>, { picture_id, file_id }: Asked): Promise<{ png: Buffer; alt: string }> {
  if (picture_id) {
    const png = await readFile(storage, ctx, picture_id)
    const { prompt } = await ctx.db
      .selectFrom('pictures')
      .select('prompt')
      .where('id', '=', picture_id)
      .where('user_id', '=', signedIn(ctx).id)
      .executeTakeFirstOrThrow()
    return { png, alt: prompt.slice(0, ALT) }
  }
  const [bytes] = await uploadsOf(storage, ctx, signedIn(ctx).id, [file_id!])
  return { png: await unpacking(signedIn(ctx).id, () => cleaned(bytes!)), alt: '' }
}

const replyOf = (publicUrl: string, { id, width, height }: { id: string; width: number; height: number }, alt: string) => ({
  file_id: id,
  url: `${publicUrl}/files/v1/media/~public/${id}.jpg`,
  width,
  height,
  alt,
})

const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jpg$/

export async function sendPublic({ storage }: Deps, { db }: Ctx<MediaDb>, { name }: { name: string }, reply: Reply) {
  const id = NAME.exec(name)?.[1]
  const file = id
    ? await db
        .selectFrom('public_pictures as p')
        .innerJoin('files as f', 'f.id', 'p.id')
        .select('f.key')
        .where('p.id', '=', id)
        .where('f.scan', '!=', 'infected')
        .executeTakeFirst()
    : undefined
  if (!file) throw new DomainError('not_found')
  const { body } = await storage.get(file.key)
  return reply
    .headers({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
    })
    .send(body)
}
