import { imageMade, jobFailed } from '@operon/contracts/media/events'
import { drawnPixels, FALLBACK_IMAGE_MODEL, type ImageStyle, pixelsOf } from '@operon/contracts/media/images'
import { mediaUsageRecorded } from '@operon/contracts/usage'
import { DomainError } from '@operon/kit/errors'
import { keepFile } from '@operon/kit/files/files'
import type { LaneItem } from '@operon/kit/lanes'
import { release, settle } from '@operon/kit/settle'
import { afterCommit, inTransaction, publish } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import { type Finished, finish, fitMask, preview, thumbOf } from '../pixels/pixels.ts'
import { costOf } from '../providers/models.ts'
import type { Drawn, Order, Wire } from '../providers/wire.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { sourcesOf } from './inputs.ts'
import { dropObjects, keyOf, thumbKeyOf } from './picture.ts'
import { giveBack } from './stopped.ts'

type Row = Selectable<MediaDb['pictures']>

/** A worker that died with a provider's answer in its hands lost it where no order can be found again: asked once more, and not a third time. */
const MOST_ASKED = 2

const styleWords: Record<ImageStyle, string> = {
  realistic: 'photorealistic, natural light, fine detail',
  cartoon: 'cartoon illustration, bold outlines, flat colors',
  artistic: 'painterly, expressive brush strokes',
  professional: 'clean professional studio photograph, neutral background',
  vintage: 'vintage photograph, faded warm colors, film grain',
  futuristic: 'futuristic, sleek, neon light',
}
export const promptOf = ({ prompt, style }: Pick<Row, 'prompt' | 'style'>) => (style ? `${prompt}. Style: ${styleWords[style]}` : prompt)

/** Draws one picture under its lease. What it changes, it changes only while the lease is its own. */
export async function drawPicture(deps: Deps, { id, fence, signal }: Pick<LaneItem<unknown>, 'id' | 'fence' | 'signal'>): Promise<void> {
  const row = await takeOver(deps, id, fence)
  if (!row) return
  const held = deps.progress.hold(id)
  const stop = AbortSignal.any([signal, held.signal])
  try {
    await drawBy(deps, row, stop)
  } catch (error) {
    if (signal.aborted) throw error
    if (held.signal.aborted) return
    if (!(error instanceof DomainError)) throw error
    const fallsBack =
      row.may_fall_back && row.used_model !== FALLBACK_IMAGE_MODEL && !['image_refused', 'image_unchecked'].includes(error.code)
    if (!fallsBack) return await fail(deps, row, error)
    deps.rt.log.warn(
      { err: error, requestId: id, tenant: row.user_id, model: row.used_model },
      'a model could not draw, asking the next one',
    )
    const next = await fallBack(deps, row)
    if (!next) return
    await drawBy(deps, next, stop).catch(async (again) => {
      if (signal.aborted || !(again instanceof DomainError)) throw again
      if (!held.signal.aborted) await fail(deps, next, again)
    })
  } finally {
    held.done()
  }
}

async function takeOver({ rt }: Deps, id: string, fence: number): Promise<Row | undefined> {
  return rt.db
    .updateTable('pictures')
    .set({ state: 'running', fence, started_at: sql`coalesce(started_at, now())` as never })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .where('fence', '<', fence)
    .returningAll()
    .executeTakeFirst()
}

const mine = (deps: Deps, { id, fence }: Pick<Row, 'id' | 'fence'>) =>
  deps.rt.db.updateTable('pictures').where('id', '=', id).where('fence', '=', fence).where('state', '=', 'running')

async function fallBack(deps: Deps, row: Row): Promise<Row | undefined> {
  const [width, height] = drawnPixels(FALLBACK_IMAGE_MODEL, row.size)
  const next = await mine(deps, row)
    .set({ used_model: FALLBACK_IMAGE_MODEL, provider_ref: null, asked_at: null, asked_times: 0, width, height })
    .returningAll()
    .executeTakeFirst()
  if (next) tell(deps, next, 10)
  return next
}

async function drawBy(deps: Deps, row: Row, stop: AbortSignal): Promise<void> {
  const { rt, providers } = deps
  const artist = await providers.artist(row.used_model)
  const isKnown = artist.wire.remembers && row.provider_ref !== null
  const point = await startingPoint(deps, row, artist.wire)
  await deps.moderation.check({ text: row.prompt, pictures: await Promise.all(point.sources.map((source) => smallOf(deps, source))) }, stop)
  if (row.asked_at && !isKnown) {
    if (row.asked_times >= MOST_ASKED) throw new DomainError('image_failed', { cause: new Error('its worker died each time') })
    rt.metrics.counter.inc({ service: 'media', what: 'picture_asked_again' })
    rt.log.warn(
      { requestId: row.id, tenant: row.user_id },
      'a worker died while a picture was drawn; it is asked for once more and charged once',
    )
  }
  if (!isKnown) {
    const asked = await mine(deps, row)
      .set({ asked_at: sql`now()` as never, asked_times: sql`asked_times + 1` as never, percent: 5 })
      .returning('id')
      .executeTakeFirst()
    if (!asked) return
  }
  tell(deps, row, 10)
  const deadline = AbortSignal.timeout(rt.config.MEDIA_DRAW_MS)
  const order = {
    prompt: promptOf(row),
    width: row.width,
    height: row.height,
    seed: artist.wire.takesSeed ? row.seed : null,
    userId: row.user_id,
    ...point,
    ref: row.provider_ref,
  }
  let ref = row.provider_ref
  const hears = {
    signal: AbortSignal.any([stop, deadline]),
    onPercent: (percent: number) => tell(deps, row, percent),
    onPreview: (image: Uint8Array, percent: number) => showPreview(deps, row, image, percent),
    onRef: async (found: string) => {
      ref = found
      await mine(deps, row).set({ provider_ref: found }).execute()
    },
  }
  const drawn = await artist.draw(order, hears).catch(async (error) => {
    if (stop.aborted && ref) await artist.wire.cancel?.({ ...order, ref, model: artist.upstream }).catch(() => {})
    throw error
  })
  tell(deps, row, 90)
  await keep(deps, row, drawn, { sandbox: artist.sandbox })
}

async function startingPoint(deps: Deps, row: Row, { takesSource, takesMask }: Wire): Promise<Pick<Order, 'sources' | 'mask'>> {
  // A variation may come from its prompt alone; what a person brought along or marked is never left out unsaid.
  if (!takesSource && (row.inputs.length || row.mask_key)) throw new DomainError('image_no_source')
  if (!takesMask && row.mask_key) throw new DomainError('image_no_mask')
  if (!takesSource) return { sources: [], mask: null }
  const { sources, mask } = await sourcesOf(deps, row)
  return { sources, mask: mask ? await fitMask(mask, sources[0]!) : null }
}

/** Nothing is made smaller for an engine that is not there. */
const smallOf = ({ moderation }: Deps, source: Uint8Array) => (moderation.isOn ? thumbOf(Buffer.from(source)) : source)

function showPreview(deps: Deps, row: Row, image: Uint8Array, percent: number): void {
  preview(image).then(
    (small) => tell(deps, row, percent, small),
    (err) => deps.rt.log.debug({ err }, 'a preview could not be read'),
  )
}

function tell({ progress }: Deps, { id, user_id, model, used_model }: Row, percent: number, small?: string, state = 'running') {
  progress.tell({ user_id, picture_id: id, state, percent, fell_back: model !== used_model, ...(small && { preview: small }) })
}

/** The files first, under names that a second try writes over; then row, file and charge together. */
async function keep(deps: Deps, row: Row, drawn: Drawn, { sandbox }: { sandbox: boolean }): Promise<void> {
  const { rt, providers, budgets } = deps
  const made = await finish(drawn.image, ...pixelsOf(row.size)).catch((cause) => {
    throw new DomainError('image_failed', { cause })
  })
  await deps.moderation.check({ pictures: [made.thumb] }, AbortSignal.timeout(rt.config.MEDIA_DRAW_MS)).catch((error) => {
    throw error.code === 'image_refused' ? new DomainError('image_refused', { cause: error.cause, details: DRAWN }) : error
  })
  await store(deps, row, made)
  const cost = sandbox ? 0 : costOf(row.used_model, row.size, providers.ownUsd(row.used_model))
  const kept = await inTransaction(rt.db, async (trx) => {
    const done = await trx
      .updateTable('pictures')
      .set({
        state: 'done',
        percent: 100,
        answered_by: drawn.answeredBy,
        seed: drawn.seed,
        sandbox,
        sha256: made.sha256,
        type: 'image/png',
        bytes: made.png.length,
        thumbhash: made.thumbhash,
        cost_microusd: cost,
        problem: null,
        finished_at: sql`now()` as never,
      })
      .where('id', '=', row.id)
      .where('fence', '=', row.fence)
      .where('state', '=', 'running')
      .returningAll()
      .executeTakeFirst()
    if (!done) return false
    const { id, user_id: userId, prompt, model, used_model } = done
    await keepFile(trx, {
      id,
      userId,
      key: keyOf(done),
      name: nameOf(prompt),
      bytes: made.png.length,
      type: 'image/png',
      sha256: made.sha256,
    })
    await settle(trx as never, mediaUsageRecorded, [{ id: done.reservation_id, costMicrousd: cost }], budgets)
    const [width, height] = pixelsOf(done.size)
    const duration_ms = done.finished_at!.getTime() - done.created_at.getTime()
    await publish(trx, imageMade, userId, { picture_id: id, prompt, model, used_model, width, height, cost_microusd: cost, duration_ms })
    afterCommit(trx, () => tell(deps, done, 100, undefined, 'done'))
    return true
  })
  if (!kept) await dropUnlessKept(deps, row)
}

export async function store({ storage }: Deps, row: Pick<Row, 'id' | 'user_id'>, made: Pick<Finished, 'png' | 'thumb'>): Promise<void> {
  await storage.put(keyOf(row), made.png, { contentType: 'image/png' })
  await storage.put(thumbKeyOf(row), made.thumb, { contentType: 'image/webp' })
}

/** It was stopped, or its account was erased, while the files were written. Another worker's files have the same names and stay. */
async function dropUnlessKept(deps: Deps, row: Row): Promise<void> {
  const now = await deps.rt.db.selectFrom('pictures').select('state').where('id', '=', row.id).executeTakeFirst()
  if (now && now.state !== 'cancelled' && now.state !== 'failed') return
  await dropObjects(deps, row)
}

export const nameOf = (prompt: string) =>
  `${
    prompt
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'image'
  }.png`

/** It is there and may not be shown. */
const DRAWN = { drawn: true }

/** Nothing was kept, so no image is charged. One that was drawn to be refused counts toward the month's model cost, as a stopped one does. */
export async function fail(deps: Deps, row: Pick<Row, 'id' | 'fence'>, error: DomainError): Promise<void> {
  const { rt } = deps
  await inTransaction(rt.db, async (trx) => {
    const failed = await trx
      .updateTable('pictures')
      .set({ state: 'failed', problem: error.code, finished_at: sql`now()` as never })
      .where('id', '=', row.id)
      .where('fence', '=', row.fence)
      .where('state', 'in', ['queued', 'running'])
      .returningAll()
      .executeTakeFirst()
    if (!failed) return
    if (error.details === DRAWN) await giveBack(trx, deps, failed)
    else await release(trx, { id: failed.reservation_id })
    const { id, user_id, prompt, model } = failed
    await publish(trx, jobFailed, user_id, { picture_id: id, prompt, model, code: error.code })
    afterCommit(trx, () => tell(deps, failed, failed.percent, undefined, 'failed'))
    rt.log.warn(
      { err: error.cause ?? error, requestId: id, tenant: user_id, errorCode: error.code },
      'a picture could not be made; nothing is charged',
    )
  })
}
