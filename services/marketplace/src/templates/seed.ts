import { createHash } from 'node:crypto'
import { newId } from '@operon/kit/ids'
import type { Runtime } from '@operon/kit/service'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { type Entry, readLibrary } from './library.ts'

type Rt = Pick<Runtime<MarketplaceDb, Config>, 'db' | 'storage' | 'kit'>

/** Nobody signs in as this seller. */
export const LIBRARY_SELLER = '00000000-0000-7000-8000-00000a11b5a7'
/** Sellers' own templates come before it. */
const PUBLISHED_AT = '2026-01-01T00:00:00Z'

/** Puts what this version brings into the catalogue; what is there already stays as it is, and another content makes the next version. */
export async function seedLibrary(rt: Rt): Promise<void> {
  await rt.db
    .insertInto('profiles')
    .values({
      ...{
        user_id: LIBRARY_SELLER,
        display_name: `${rt.kit.PRODUCT_NAME} Library`,
        marketplace_slug: 'library',
        version: 1,
        deleted_at: null,
      },
      business_description: 'Free workflow templates and prompt packs to begin with. Take them, change them, use them at work.',
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  for (const entry of await readLibrary()) await seed(rt, entry)
}

async function seed({ db, storage }: Rt, entry: Entry): Promise<void> {
  const { slug, title, category, summary, description, kind, file } = entry
  const id = idOf(slug)
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('marketplace.library'))`.execute(trx)
    const { rows } = await sql<{ sha256: string }>`
      select f.sha256 from items i join version_files f on f.version_id = i.current_version_id where i.id = ${id}`.execute(trx)
    const texts = { title, category, summary, description }
    if (rows.some(({ sha256 }) => sha256 === file.sha256)) {
      await trx.updateTable('items').set(texts).where('id', '=', id).execute()
      return
    }
    const [fileId, versionId] = [newId(), newId()]
    const key = `library/${slug}/${fileId}`
    await storage.put(key, file.bytes, { contentType: file.type })
    await trx
      .insertInto('files')
      .values({
        ...{ id: fileId, user_id: LIBRARY_SELLER, key, name: file.name, bytes: file.bytes.length, received: file.bytes.length },
        ...{ said_type: file.type, type: file.type, sha256: file.sha256, scan: 'clean', state: 'ready' },
      })
      .execute()
    await trx
      .insertInto('items')
      .values({
        id,
        user_id: LIBRARY_SELLER,
        ...texts,
        kind,
        slug,
        price_cents: 0,
        item_type: kind === 'template' ? 'workflow' : 'prompts',
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(texts))
      .execute()
    const last = await trx
      .selectFrom('item_versions')
      .select(({ fn }) => fn.max('number').as('number'))
      .where('item_id', '=', id)
      .executeTakeFirst()
    const manifest = entry.manifest && JSON.stringify(entry.manifest)
    await trx
      .insertInto('item_versions')
      .values({
        id: versionId,
        item_id: id,
        number: (last?.number ?? 0) + 1,
        price_cents: 0,
        currency: 'usd',
        activation_limit: null,
        manifest,
      })
      .execute()
    await trx
      .insertInto('version_files')
      .values({
        ...{ version_id: versionId, file_id: fileId, name: file.name, bytes: file.bytes.length, sha256: file.sha256, type: file.type },
        ...{ scan: 'clean', position: 0 },
      })
      .execute()
    await trx.updateTable('item_versions').set({ published_at: sql<Date>`now()` }).where('id', '=', versionId).execute()
    await trx
      .updateTable('items')
      .set({ status: 'active', current_version_id: versionId, published_at: new Date(PUBLISHED_AT) })
      .where('id', '=', id)
      .execute()
  })
}

/** The same product in every installation and after every start. */
function idOf(slug: string): string {
  const hash = createHash('sha256').update(`library/${slug}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-7${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
