import type { Input, Output } from '@operon/contracts/contract'
import type { TemplateManifest } from '@operon/contracts/marketplace/manifest'
import type * as contract from '@operon/contracts/marketplace/templates'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { download } from '@operon/kit/storage/links'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { cursorOf, isAfter, microsOf } from '../places.ts'
import type { MarketplaceDb } from '../schema.ts'
import { columns, offerOf, type Row, wordsOf } from '../storefront/offers.ts'

const PAGE = 24
type Manifest = z.output<typeof TemplateManifest>
type Found = Row & { kind: 'template' | 'prompt_pack'; manifest: Manifest | null; files: number; at: string }

/** One catalogue with the storefronts: the same rows, narrowed to what can be installed or used as prompts. */
export async function templateLibrary(
  { db }: Ctx<MarketplaceDb>,
  { category, q, after }: Input<typeof contract.templateLibrary>,
): Promise<Output<typeof contract.templateLibrary>> {
  const words = wordsOf(q)
  const listedAt = sql`coalesce(i.published_at, i.created_at)`
  const from = isAfter(after, listedAt, sql`i.id`)
  const narrowed: RawBuilder<unknown>[] = [
    sql`i.is_active and i.kind in ('template', 'prompt_pack')`,
    sql`p.deleted_at is null and p.marketplace_slug is not null`,
  ]
  if (category !== 'All') narrowed.push(sql`i.category = ${category}`)
  if (words) narrowed.push(sql`i.words @@ to_tsquery('simple', ${words})`)
  if (from) narrowed.push(from)
  const { rows } = await sql<Found>`
    select ${columns}, i.kind, ${microsOf(listedAt)} as at,
      (select v.manifest from item_versions v where v.id = i.current_version_id) as manifest,
      (select count(*)::int from version_files f where f.version_id = i.current_version_id) as files
    from items i join profiles p on p.user_id = i.user_id
    where ${sql.join(narrowed, sql` and `)} order by ${listedAt} desc, i.id desc limit ${PAGE + 1}`.execute(db)
  const last = rows.length > PAGE ? rows[PAGE - 1] : undefined
  return {
    templates: rows.slice(0, PAGE).map(({ kind, manifest, files, ...row }) => ({
      ...offerOf(row),
      kind,
      steps: (manifest?.graph.nodes ?? []).map(({ id, type }) => ({ id, type })),
      connections: (manifest?.slots ?? []).map(({ app }) => app),
      free_path: row.price_cents === 0 && files ? `/files/v1/marketplace/~free/${row.id}` : null,
    })),
    next: last ? cursorOf(last) : null,
  }
}

type Reply = Parameters<Parameters<typeof serveRaw>[2]>[2]
type Request = Parameters<Parameters<typeof serveRaw>[2]>[3]

/** Only what is on sale for nothing: no order is needed, and nobody is asked for an address. */
export const sendFree =
  ({ storage }: Pick<Runtime<MarketplaceDb>, 'storage'>) =>
  async ({ db }: Ctx<MarketplaceDb>, { item }: { item: string }, reply: Reply, request: Request) => {
    const file = await db
      .selectFrom('items as i')
      .innerJoin('item_versions as v', 'v.id', 'i.current_version_id')
      .innerJoin('version_files as l', 'l.version_id', 'v.id')
      .innerJoin('files as f', 'f.id', 'l.file_id')
      .select(['f.key', 'l.name'])
      .where('i.id', '=', item)
      .where('i.is_active', '=', true)
      .where('v.price_cents', '=', 0)
      .where('f.scan', '!=', 'infected')
      .orderBy('l.position')
      .limit(1)
      .executeTakeFirst()
    if (!file) throw new DomainError('not_found')
    const link = { method: 'GET' as const, key: file.key, downloadAs: file.name, expires: 0, revocable: true as const }
    return download(storage, link, request as never, reply as never)
  }
