import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import { download } from '@operon/kit/storage/links'
import type { Vault } from '@operon/kit/vault'
import { sql } from 'kysely'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'
import { keyOf } from './picture.ts'

type Request = Parameters<Parameters<typeof serveRaw>[2]>[3]
type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]
type OfPicture = { picture_id: string }

const ID_BYTES = 16
const PROOF_BYTES = 16

/** The share's id with a proof of ours: nothing that opens a link is stored, and the same link can be shown again. */
export function tokensOf(vault: Vault) {
  const secret = vault.derive('picture-shares')
  const proofOf = (id: Buffer) => createHmac('sha256', secret).update(id).digest().subarray(0, PROOF_BYTES)
  return {
    of(id: string): string {
      const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
      return Buffer.concat([bytes, proofOf(bytes)]).toString('base64url')
    },
    idIn(token: string): string | null {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length !== ID_BYTES + PROOF_BYTES) return null
      const id = bytes.subarray(0, ID_BYTES)
      if (!timingSafeEqual(bytes.subarray(ID_BYTES), proofOf(id))) return null
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}

export async function sharePicture({ rt }: Deps, ctx: Ctx<MediaDb>, { picture_id }: OfPicture): Promise<{ url: string }> {
  const { id: userId } = signedIn(ctx)
  const { rows } = await sql<{ id: string }>`
    with mine as (select id from pictures where id = ${picture_id} and user_id = ${userId} and state = 'done' and deleted_at is null for share)
    insert into picture_shares (id, picture_id, user_id) select ${newId()}, id, ${userId} from mine
    on conflict (picture_id) where revoked_at is null do update set user_id = excluded.user_id returning id`.execute(ctx.db)
  if (!rows[0]) throw new DomainError('not_found')
  return { url: `${rt.kit.PUBLIC_URL}/shared/image/${tokensOf(rt.vault).of(rows[0].id)}` }
}

export async function unsharePicture(ctx: Ctx<MediaDb>, { picture_id }: OfPicture): Promise<{ revoked: boolean }> {
  const row = await ctx.db
    .updateTable('picture_shares')
    .set({ revoked_at: sql`now()` as never })
    .where('picture_id', '=', picture_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return { revoked: row !== undefined }
}

async function openShare({ rt }: Deps, { db }: Ctx<MediaDb>, token: string) {
  const id = tokensOf(rt.vault).idIn(token)
  const row = id
    ? await db
        .selectFrom('picture_shares as s')
        .innerJoin('pictures as p', 'p.id', 's.picture_id')
        .select(['s.id as share_id', 'p.id', 'p.user_id', 'p.size', 'p.thumbhash', 'p.created_at'])
        .where('s.id', '=', id)
        .where('s.revoked_at', 'is', null)
        .where('p.deleted_at', 'is', null)
        .executeTakeFirst()
    : undefined
  if (!row) throw new DomainError('link_unknown', { status: 404, message: 'This link has expired or was revoked.' })
  return row
}

export async function sharedPicture(deps: Deps, ctx: Ctx<MediaDb>, { token }: { token: string }) {
  const row = await openShare(deps, ctx, token)
  await ctx.db
    .updateTable('picture_shares')
    .set({ views: sql`views + 1` as never })
    .where('id', '=', row.share_id)
    .execute()
  const [width, height] = row.size.split('x').map(Number) as [number, number]
  return {
    url: `${deps.rt.kit.PUBLIC_URL}/files/v1/media/~shared/${token}`,
    width,
    height,
    thumbhash: row.thumbhash ?? '',
    created_at: row.created_at.toISOString(),
  }
}

/** For the page's own document: whether there is one, and its preview. */
export async function pageOf(deps: Deps, ctx: Ctx<MediaDb>, { token }: { token: string }) {
  try {
    const { size } = await openShare(deps, ctx, token)
    const [width, height] = size.split('x').map(Number) as [number, number]
    return { picture: { url: `${deps.rt.kit.PUBLIC_URL}/files/v1/media/~shared/${token}`, width, height } }
  } catch (error) {
    if (error instanceof DomainError && error.status === 404) return { picture: null }
    throw error
  }
}

/** Looked up each time it is opened, and nobody may keep a copy: a revoked link ends with the next request. */
export async function sendShared(deps: Deps, ctx: Ctx<MediaDb>, { token }: { token: string }, reply: Reply, request: Request) {
  const row = await openShare(deps, ctx, token)
  return download(deps.storage, { method: 'GET', key: keyOf(row), expires: 0, revocable: true }, request as never, reply as never)
}
