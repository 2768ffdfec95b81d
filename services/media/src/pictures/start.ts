import {
  drawnPixels,
  enlargedSize,
  FALLBACK_IMAGE_MODEL,
  type ImageStyle,
  isDrawer,
  type PictureModel,
  type PictureSize,
  takesSeed,
  UPSCALER,
} from '@operon/contracts/media/images'
import { type Tier, tiers } from '@operon/contracts/plans'
import { DAY_MS } from '@operon/kit/clock'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { addToLane } from '@operon/kit/lanes'
import { type ByTier, reserveMany } from '@operon/kit/meter'
import { afterCommit, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import { costOf } from '../providers/models.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { LANE } from './deps.ts'
import { type Brought, deleteInputs, dropOlderInputs, type Inputs, keepInputs } from './inputs.ts'
import { type Picture, select, shown } from './picture.ts'

export type Order = {
  prompt: string
  model: PictureModel
  size: PictureSize
  style?: ImageStyle | null | undefined
  seed?: number | null | undefined
  from_id?: string | null | undefined
  /** Another batch's, made again. */
  again?: Inputs | undefined
  brought?: Brought | undefined
  count?: number
  mayFallBack: boolean
  feature: string
  requestKey?: string | undefined
}

/** A day: longer than any picture takes, and each hold has a picture that settles it or gives it back. */
const HOLD_MS = DAY_MS

/** Holds the units and what they may cost, and puts the pictures into the lane: all of it or nothing. */
export async function startPictures(deps: Deps, ctx: Ctx<MediaDb>, order: Order): Promise<Picture[]> {
  const actor = signedIn(ctx)
  if (actor.anonymous) throw new DomainError('anonymous_no_models')
  const { prompt, model, size, style = null, seed = null, from_id = null, count = 1, mayFallBack, feature, requestKey = null } = order
  const most = mostOf(deps, { model, size, mayFallBack })
  const [width, height] = drawnPixels(model, size)
  const batch = newId()
  if (order.brought?.mask && !from_id && !order.brought.reference_ids?.length && !order.brought.files?.length)
    throw new DomainError('invalid', { message: 'A mask needs a picture to change.' })
  const given = order.again ?? (order.brought ? await keepInputs(deps, ctx, batch, order.brought) : { inputs: [], mask_key: null })
  const costs = Object.fromEntries(tiers.map((tier) => [tier, most])) as ByTier
  return inTransaction(ctx.db, async (trx) => {
    if (from_id) await refuseUnlessMine(trx as never, actor.id, from_id)
    const holds = await reserveMany(
      trx,
      Array.from({ length: count }, () => ({ userId: actor.id, unit: 'images' as const, feature, holdMs: HOLD_MS, costs })),
      deps.budgets,
    )
    const rows = holds.map((hold, at) => ({
      id: newId(),
      user_id: actor.id,
      batch_id: batch,
      // Of the first, by which the others of its batch are found.
      request_key: at === 0 ? requestKey : null,
      prompt,
      style,
      model,
      used_model: model,
      size,
      width,
      height,
      // A seed of one's own makes one picture; the others of the batch follow it.
      seed: takesSeed(model) ? ((seed ?? randomSeed()) + at) % 2_147_483_647 : null,
      from_id,
      ...given,
      may_fall_back: mayFallBack && model !== FALLBACK_IMAGE_MODEL,
      reservation_id: hold.id,
    }))
    await trx.insertInto('pictures').values(rows).execute()
    for (const { id } of rows) await addToLane(trx, LANE, actor.id, {}, { id })
    if (given.inputs.length || given.mask_key) afterCommit(trx, () => tidy(deps, ctx, actor.id))
    const ids = rows.map(({ id }) => id)
    const stored = await select(trx as never)
      .where('p.id', 'in', ids)
      .where('p.user_id', '=', actor.id)
      .orderBy('p.id')
      .execute()
    return stored.map((row) => shown(deps, row))
  }).catch(async (error) => {
    // Before anything is held they are outside of every quota.
    if (order.brought) await deleteInputs(deps.storage, given)
    throw error
  })
}

const tidy = (deps: Deps, ctx: Ctx<MediaDb>, userId: string) =>
  dropOlderInputs(deps, { ...ctx, db: deps.rt.db }, userId).catch((err: unknown) =>
    deps.rt.log.debug({ err }, 'what was brought to older pictures goes with the next ones'),
  )

const randomSeed = () => Math.floor(Math.random() * 2_147_483_647)

/** Where a fallback may draw, whichever of the two is dearer. */
function mostOf({ providers }: Deps, { model, size, mayFallBack }: Pick<Order, 'model' | 'size' | 'mayFallBack'>): number {
  const each = mayFallBack ? [model, FALLBACK_IMAGE_MODEL] : [model]
  return Math.max(...each.map((name) => costOf(name, size, providers.ownUsd(name))))
}

/** The same picture, larger: of the one model that can, and never drawn by another. */
export async function upscalePicture(deps: Deps, ctx: Ctx<MediaDb>, { picture_id }: { picture_id: string }): Promise<Picture> {
  if (!deps.providers.enlarges) throw new DomainError('image_no_upscale')
  const from = await ctx.db
    .selectFrom('pictures')
    .select(['prompt', 'style', 'size'])
    .where('id', '=', picture_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'done')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!from) throw new DomainError('image_variation')
  const size = enlargedSize(from.size)
  if (!size) throw new DomainError('image_no_upscale')
  const { prompt, style } = from
  const order = { prompt, style, size, model: UPSCALER, from_id: picture_id, mayFallBack: false, feature: 'upscale-image' } as const
  const [larger] = await startPictures(deps, ctx, order)
  return larger!
}

async function refuseUnlessMine(db: Ctx<MediaDb>['db'], userId: string, id: string): Promise<void> {
  const found = await db
    .selectFrom('pictures')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('state', '=', 'done')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!found) throw new DomainError('image_variation')
}

/** Begins what failed or was stopped again, as a picture of its own. */
export async function retryPicture(deps: Deps, ctx: Ctx<MediaDb>, { picture_id }: { picture_id: string }): Promise<Picture> {
  const { id: userId } = signedIn(ctx)
  const row = await ctx.db.selectFrom('pictures').selectAll().where('id', '=', picture_id).where('user_id', '=', userId).executeTakeFirst()
  if (!row) throw new DomainError('not_found')
  if (row.state !== 'failed' && row.state !== 'cancelled') throw new DomainError('image_not_retried')
  // Without what was brought along it would be another picture.
  if (row.inputs_gone) throw new DomainError('image_variation')
  const { prompt, model, size, style, seed, from_id, inputs, mask_key } = row
  const order = {
    prompt,
    model,
    size,
    style,
    seed,
    from_id,
    again: { inputs, mask_key },
    mayFallBack: isDrawer(model),
    feature: 'image-studio',
  }
  const [again] = await startPictures(deps, ctx, order)
  return again!
}

/** By the caller's key, what a call that died has begun. */
export async function begunBy(ctx: Ctx<MediaDb>, key: string): Promise<{ id: string; batch_id: string } | undefined> {
  return ctx.db
    .selectFrom('pictures')
    .select(['id', 'batch_id'])
    .where('user_id', '=', signedIn(ctx).id)
    .where('request_key', '=', key)
    .where(sql<boolean>`created_at > now() - interval '90 days'`)
    .executeTakeFirst()
}
/** The same for a batch. */
export async function batchBegunBy(deps: Deps, ctx: Ctx<MediaDb>, key: string): Promise<Picture[]> {
  const begun = await begunBy(ctx, key)
  if (!begun) return []
  const rows = await select(ctx.db as never)
    .where('p.user_id', '=', signedIn(ctx).id)
    .where('p.batch_id', '=', begun.batch_id)
    .orderBy('p.id')
    .execute()
  return rows.map((row) => shown(deps, row))
}
export type { Tier }
