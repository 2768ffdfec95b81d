import { enlargedSize, pixelsOf } from '@operon/contracts/media/images'
import type { Picture as PictureShape } from '@operon/contracts/media/shapes'
import { type ErrorCode, errors } from '@operon/contracts/messages'
import { now } from '@operon/kit/clock'
import type { Storage } from '@operon/kit/storage/storage'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'

export type Picture = z.output<typeof PictureShape>
export type Row = Selectable<MediaDb['pictures']> & { shared: boolean }

export const keyOf = ({ user_id, id }: { user_id: string; id: string }) => `pictures/${user_id}/${id}.png`
export const thumbsOf = (userId: string) => `thumbs/${userId}/`
export const thumbKeyOf = ({ user_id, id }: { user_id: string; id: string }) => `${thumbsOf(user_id)}${id}.webp`

/** Of a picture that is not kept. */
export async function dropObjects({ storage }: Pick<Deps, 'storage'>, picture: { user_id: string; id: string }): Promise<void> {
  await storage.delete(keyOf(picture))
  await storage.delete(thumbKeyOf(picture))
}

export const select = (db: Kysely<MediaDb>) =>
  db
    .selectFrom('pictures as p')
    .selectAll('p')
    .select(sql<boolean>`exists (select from picture_shares s where s.picture_id = p.id and s.revoked_at is null)`.as('shared'))

const HOUR_S = 3600

/** The end of an address's life, at a full hour: asked again meanwhile it is the same address, and the browser keeps the file. */
const expiresInS = () => {
  const at = now() / 1000
  return Math.round((Math.floor(at / HOUR_S) + 2) * HOUR_S - at)
}

export const thumbAt = (storage: Storage, picture: { user_id: string; id: string }) =>
  storage.signedUrl(thumbKeyOf(picture), { expiresInS: expiresInS() })

export function shown({ storage, providers }: Pick<Deps, 'storage' | 'providers'>, row: Row): Picture {
  const isDone = row.state === 'done'
  const life = { expiresInS: isDone ? expiresInS() : 0 }
  const [width, height] = pixelsOf(row.size)
  return {
    id: row.id,
    batch_id: row.batch_id,
    state: row.state,
    prompt: row.prompt,
    style: row.style,
    model: row.model,
    used_model: row.used_model,
    answered_by: row.answered_by,
    size: row.size,
    width,
    height,
    seed: row.seed,
    from_id: row.from_id,
    enlarges_to: isDone && providers.enlarges ? enlargedSize(row.size) : null,
    sandbox: row.sandbox,
    percent: row.percent,
    problem: row.problem ? { code: row.problem, message: wordsOf(row.problem) } : null,
    saved: row.saved,
    shared: row.shared,
    bytes: row.bytes,
    thumbhash: row.thumbhash,
    url: isDone ? storage.signedUrl(keyOf(row), life) : null,
    thumb_url: isDone ? storage.signedUrl(thumbKeyOf(row), life) : null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

export const wordsOf = (code: string): string => (errors[code as ErrorCode] ?? errors.image_failed).message
