import { FALLBACK_IMAGE_MODEL, type ImageModel, takesPictures } from '@operon/contracts/media/images'
import type { ErrorCode } from '@operon/contracts/messages'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { type Picture, select, shown, wordsOf } from './picture.ts'
import { begunBy, type Order, startPictures } from './start.ts'

/** A word of its end may be lost, so the row is looked at by itself as well. */
const LOOKS_EVERY_MS = 2_000

type Asked = Pick<Order, 'prompt' | 'model' | 'size' | 'style' | 'seed' | 'from_id'> & { fallback?: boolean }

/** One picture, waited for: kept and charged whether or not the caller still waits. */
export async function generateImage(deps: Deps, ctx: Ctx<MediaDb>, { fallback = false, ...asked }: Asked) {
  const key = ctx.idempotencyKey
  const begun = key ? await begunBy(ctx, key) : undefined
  const id =
    begun?.id ?? (await startPictures(deps, ctx, { ...asked, mayFallBack: fallback, feature: 'generate-image', requestKey: key }))[0]!.id
  return replyOf(await waitFor(deps, ctx, id))
}

/** A model that cannot see the picture would draw another one, so it is refused. */
export async function editImage(
  deps: Deps,
  ctx: Ctx<MediaDb>,
  { picture_id, prompt, model, size }: { picture_id: string } & Pick<Asked, 'prompt' | 'size'> & { model: ImageModel },
) {
  const { wire } = await deps.providers.artist(model)
  if (!takesPictures(model) || !wire.takesSource) throw new DomainError('image_no_source')
  return generateImage(deps, ctx, { prompt, model, size, from_id: picture_id })
}

export const geminiImage = (deps: Deps, ctx: Ctx<MediaDb>, { prompt, size, style }: Pick<Asked, 'prompt' | 'size' | 'style'>) =>
  generateImage(deps, ctx, { prompt, size, style, model: FALLBACK_IMAGE_MODEL })

export async function waitFor(deps: Deps, ctx: Ctx<MediaDb>, id: string): Promise<Picture> {
  const { id: userId } = signedIn(ctx)
  while (true) {
    const ended = deps.progress.ended(id, LOOKS_EVERY_MS)
    const row = await select(ctx.db as never)
      .where('p.id', '=', id)
      .where('p.user_id', '=', userId)
      .executeTakeFirst()
    if (!row) throw new DomainError('not_found')
    if (row.state === 'done') return shown(deps, row)
    if (row.state === 'cancelled') throw new DomainError('image_stopped')
    if (row.state === 'failed')
      throw new DomainError((row.problem ?? 'image_failed') as ErrorCode, { message: wordsOf(row.problem ?? 'image_failed') })
    ctx.signal.throwIfAborted()
    await ended
  }
}

function replyOf({ id, url, model, answered_by, sandbox }: Picture) {
  return { image: url!, images: [url!], data: [{ url: url! }], picture_id: id, model, answered_by: answered_by ?? '', sandbox }
}
