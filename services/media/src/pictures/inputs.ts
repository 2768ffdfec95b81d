import { MOST_IMAGE_REFERENCES } from '@operon/contracts/media/images'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Storage } from '@operon/kit/storage/storage'
import { sql } from 'kysely'
import { cleaned, maskOf } from '../pixels/pixels.ts'
import { cleaning } from '../pixels/turns.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { keyOf } from './picture.ts'

/** The pictures that one is drawn from, beside its prompt. */
export type Brought = {
  /** Uploads of the person's own, by their ids. */
  reference_ids?: string[] | undefined
  /** PNG: what is transparent is drawn anew. */
  mask?: Uint8Array | undefined
  /** Pictures as they came with the call. */
  files?: Uint8Array[] | undefined
}
export type Inputs = { inputs: string[]; mask_key: string | null }

export const inputsOf = (userId: string) => `inputs/${userId}/`

/** Encoded anew before anything else sees them: no EXIF, nothing behind the pixels, and no more of them than can be unpacked. */
export async function keepInputs({ storage }: Deps, ctx: Ctx<MediaDb>, batch: string, brought: Brought): Promise<Inputs> {
  const { id: userId } = signedIn(ctx)
  const pictures = [...(brought.files ?? []), ...(await uploadsOf(storage, ctx, userId, brought.reference_ids ?? []))]
  if (pictures.length > MOST_IMAGE_REFERENCES)
    throw new DomainError('invalid', { message: `At most ${MOST_IMAGE_REFERENCES} pictures can be drawn from.` })
  const inputs: string[] = []
  const mask_key = brought.mask ? `${inputsOf(userId)}${batch}/mask.png` : null
  try {
    for (const bytes of pictures) {
      const key = `${inputsOf(userId)}${batch}/${inputs.length}.png`
      await storage.put(key, await cleaning(userId, () => cleaned(bytes)), { contentType: 'image/png' })
      inputs.push(key)
    }
    if (mask_key) await storage.put(mask_key, await cleaning(userId, () => maskOf(brought.mask!)), { contentType: 'image/png' })
  } catch (error) {
    await deleteInputs(storage, { inputs, mask_key })
    throw error
  }
  return { inputs, mask_key }
}

/** Of an order that came to nothing: no row names them. */
export async function deleteInputs(storage: Storage, { inputs, mask_key }: Inputs): Promise<void> {
  for (const key of [...inputs, ...(mask_key ? [mask_key] : [])]) await storage.delete(key)
}

/** The bytes of uploads of a person's own, in the asked order. */
export async function uploadsOf(storage: Storage, ctx: Ctx<MediaDb>, userId: string, ids: string[]): Promise<Buffer[]> {
  if (ids.length === 0) return []
  const files = await ctx.db
    .selectFrom('files')
    .select(['id', 'key', 'bytes'])
    .where('id', 'in', ids)
    .where('user_id', '=', userId)
    .where('state', '=', 'ready')
    .where('scan', '!=', 'infected')
    .execute()
  const byId = new Map(files.map((file) => [file.id, file]))
  return Promise.all(
    ids.map(async (id) => {
      const file = byId.get(id)
      if (!file) throw new DomainError('image_variation')
      if (file.bytes > LARGEST_REFERENCE) throw new DomainError('too_large')
      return Buffer.concat(await (await storage.get(file.key)).body.toArray())
    }),
  )
}
const LARGEST_REFERENCE = 25 * 1024 * 1024

type Row = { id: string; user_id: string; from_id: string | null; inputs: string[]; mask_key: string | null }

/** The bytes to draw from: the earlier picture first, then what was brought. */
export async function sourcesOf({ rt, storage }: Deps, row: Row): Promise<{ sources: Uint8Array[]; mask: Uint8Array | null }> {
  const read = async (key: string) => Buffer.concat(await (await storage.get(key)).body.toArray())
  const earlier = row.from_id
    ? await rt.db
        .selectFrom('pictures')
        .select(['id', 'user_id'])
        .where('id', '=', row.from_id)
        .where('user_id', '=', row.user_id)
        .executeTakeFirst()
    : undefined
  const sources = await Promise.all([...(earlier ? [keyOf(earlier)] : []), ...row.inputs].map(read))
  return { sources, mask: row.mask_key && sources.length ? await read(row.mask_key) : null }
}

type Kept = Inputs & { id: string; user_id: string }
const HAS_INPUTS = sql<boolean>`(p.inputs <> '{}' or p.mask_key is not null) and not p.inputs_gone`
/** Neither its batch nor one that was made again of it is still to be drawn. */
const HAS_ENDED = sql<boolean>`p.finished_at is not null and not exists (select from pictures q where q.user_id = p.user_id and q.finished_at is null
  and (q.batch_id = p.batch_id or q.inputs && p.inputs or q.mask_key = p.mask_key))`

/** A day after the end of the last picture of their batch, so that a failed one can be made again. */
export async function dropInputs(deps: Deps, ctx: Ctx<MediaDb>, batchSize: number): Promise<void> {
  const { rows } = await sql<Kept>`
    select id, user_id, inputs, mask_key from pictures p where ${HAS_INPUTS} and finished_at < now() - interval '1 day' and ${HAS_ENDED}
    limit ${batchSize}`.execute(ctx.db)
  await drop(deps, ctx, rows)
}

/** As many ended pictures of a person keep theirs. Otherwise whoever starts and stops pictures in turn could store without end. */
const MOST_ENDED = 40
export async function dropOlderInputs(deps: Deps, ctx: Ctx<MediaDb>, userId: string): Promise<void> {
  const { rows } = await sql<Kept>`
    select id, user_id, inputs, mask_key from pictures p where user_id = ${userId} and ${HAS_INPUTS} and ${HAS_ENDED}
    order by finished_at desc offset ${MOST_ENDED} limit ${MOST_ENDED}`.execute(ctx.db)
  await drop(deps, ctx, rows)
}

async function drop({ storage }: Deps, ctx: Ctx<MediaDb>, rows: Kept[]): Promise<void> {
  for (const row of rows) {
    ctx.signal.throwIfAborted()
    await deleteInputs(storage, row)
    await sql`
      update pictures set inputs_gone = true where user_id = ${row.user_id} and (id = ${row.id} or inputs && ${row.inputs}::text[] or mask_key = ${row.mask_key})`.execute(
      ctx.db,
    )
  }
}
