import type { Output } from '@operon/contracts/contract'
import type { listNotionChanges } from '@operon/contracts/integrations/notion-rows'
import { newId } from '@operon/kit/ids'
import type { Trx } from '../contacts/assert.ts'
import { kindOf, ownOf } from './kinds.ts'
import { fieldsIn } from './match.ts'
import { byField, type Fields, type LinkRow, type SyncRow, type Usable } from './schema.ts'

export type Row = Output<typeof listNotionChanges>['rows'][number]

/** The two sides of a record made one, field by field. */
export function merged(record: Fields, there: Fields, usables: Usable, base: { here: Fields; there: Fields }) {
  const [here, seen] = [{ ...base.here }, { ...base.there }]
  const [changes, conflicts]: [Fields, Fields] = [{}, {}]
  for (const [field, value] of byField(there)) {
    const own = record[field] ?? null
    const usable = usables[field]
    const level = (to: string | null) => {
      here[field] = to
      seen[field] = value
    }
    if (usable === own) level(own)
    else if (field in base.here) {
      const changedHere = own !== (base.here[field] ?? null)
      const changedThere = value !== (base.there[field] ?? null)
      if (!changedThere) continue
      if (changedHere || usable === undefined) conflicts[field] = value
      else {
        changes[field] = usable
        level(usable)
      }
    }
    // They were never level: what is empty is filled from the other side.
    else if (value === null) level(null)
    else if (own === null && usable !== undefined) {
      changes[field] = usable
      level(usable)
    } else conflicts[field] = value
  }
  return { here, there: seen, changes, conflicts }
}

/** Takes over what a row says. Unusable: no record can be found or made by it. */
export async function takeRow(trx: Trx, sync: SyncRow, row: Row): Promise<'level' | 'unusable' | 'unwanted'> {
  const kind = kindOf(sync)
  const there = fieldsIn(sync.columns, row.values)
  const link = (await linkOf(trx, sync, row.id)) ?? (await lostLink(trx, sync, row.id, there))
  if (row.gone) {
    if (link) await part(trx, link.id)
    return 'level'
  }
  const found = link ? { id: link.record_id } : await kind.find(trx, sync, there)
  if (typeof found === 'string') return found
  const own = await ownOf(trx, sync, found.id)
  if (!own) {
    if (link) await part(trx, link.id)
    return 'level'
  }
  const usable = await kind.usable(trx, sync, there, own)
  const { changes, conflicts, ...base } = merged(own, there, usable, link ?? { here: {}, there: {} })
  if (Object.keys(changes).length) await kind.change(trx, sync.user_id, found.id, changes)
  // Fields that were not read stay as they were.
  const before = byField(link?.conflicts ?? {}).filter(([field]) => !(field in there))
  const all: Fields = { ...Object.fromEntries(before), ...conflicts }
  const values = {
    here: JSON.stringify(base.here),
    there: JSON.stringify(base.there),
    conflicts: Object.keys(all).length ? JSON.stringify(all) : null,
    mark: sync.mark,
    gone: false,
  }
  if (link) await trx.updateTable('notion_links').set(values).where('id', '=', link.id).execute()
  else await insertLink(trx, sync, { record_id: found.id, page_id: row.id, version: 0, ...values })
  return 'level'
}

const linkOf = (trx: Trx, sync: SyncRow, pageId: string): Promise<LinkRow | undefined> =>
  trx.selectFrom('notion_links').selectAll().where('sync_id', '=', sync.id).where('page_id', '=', pageId).forUpdate().executeTakeFirst()

/** The link of a row that was added before, by a call whose answer was lost. */
async function lostLink(trx: Trx, sync: SyncRow, pageId: string, there: Fields): Promise<LinkRow | undefined> {
  const { adding } = sync
  if (!adding || byField(there).some(([field, value]) => value !== (adding.there[field] ?? null))) return undefined
  await added(trx, sync)
  const level = { here: JSON.stringify(adding.here), there: JSON.stringify(adding.there), conflicts: null }
  await insertLink(trx, sync, { record_id: adding.record_id, page_id: pageId, version: 0, mark: sync.mark, ...level })
  return linkOf(trx, sync, pageId)
}

/** No answer is awaited any more. */
export async function added(trx: Trx, sync: SyncRow): Promise<void> {
  if (!sync.adding) return
  sync.adding = null
  await trx.updateTable('notion_syncs').set({ adding: null }).where('id', '=', sync.id).execute()
}

type NewLink = Pick<LinkRow, 'record_id' | 'page_id' | 'version' | 'mark'> & { here: string; there: string; conflicts: string | null }
export const insertLink = (trx: Trx, { id, user_id }: SyncRow, link: NewLink) =>
  trx
    .insertInto('notion_links')
    .values({ id: newId(), user_id, sync_id: id, ...link })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Both sides stay as they are, and are not held level any more. */
export const part = (trx: Trx, linkId: string) => trx.updateTable('notion_links').set({ gone: true }).where('id', '=', linkId).execute()
