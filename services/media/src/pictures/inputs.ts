import { MOST_IMAGE_REFERENCES } from '@operon/contracts/media/images'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { Storage } from '@operon/kit/storage/storage'
import { sql } from 'kysely'
import { cleaned, maskOf } from '../pixels/pixels.ts'
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
  for (const bytes of pictures) {
    const key = `${inputsOf(userId)}${batch}/${inputs.length}.png`
    await storage.put(key, await cleaned(bytes), { contentType: 'image/png' })
    inputs.push(key)
  }
  if (!brought.mask) return { inputs, mask_key: null }
  const mask_key = `${inputsOf(userId)}${batch}/mask.png`
  await storage.put(mask_key, await maskOf(brought.mask), { contentType: 'image/png' })
  return { inputs, mask_key }
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

/** A day after the end of the last picture of their batch, so that a failed one can be made again. */
export async function dropInputs({ storage }: Deps, ctx: Ctx<MediaDb>, batchSize: number): Promise<void> {
  const { rows } = await sql<{ id: string; inputs: string[]; mask_key: string | null }>`
    select id, inputs, mask_key from pictures p where (inputs <> '{}' or mask_key is not null) and not inputs_gone and finished_at < now() - interval '1 day'
      and not exists (select from pictures q where q.batch_id = p.batch_id and q.user_id = p.user_id and q.finished_at is null)
    limit ${batchSize}`.execute(ctx.db)
  for (const { id, inputs, mask_key } of rows) {
    ctx.signal.throwIfAborted()
    for (const key of [...inputs, ...(mask_key ? [mask_key] : [])]) await storage.delete(key)
    await sql`update pictures set inputs_gone = true where id = ${id}`.execute(ctx.db)
  }
}
