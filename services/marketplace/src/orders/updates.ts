import { tellOfVersion, versionLetter } from '@operon/contracts/marketplace/orders'
import type { Ctx } from '@operon/kit/context'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { hasUpdate } from './show.ts'

const PIECE = 500

/** The buyers of older versions, some at a time: a product with many takes many short turns. */
export async function tellBuyers(
  { db }: Ctx<MarketplaceDb>,
  { version_id, after }: { version_id: string; after: string | null },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ order_id: string; tells: boolean }>`
      select p.order_id, exists (select from orders o where o.id = p.order_id and ${hasUpdate}) as tells from (
        select l.order_id from item_versions v join items i on i.current_version_id = v.id join order_lines l on l.item_id = i.id
        where v.id = ${version_id} ${after ? sql`and l.order_id > ${after}` : sql``} order by l.order_id limit ${PIECE}) p`.execute(trx)
    for (const { order_id, tells } of rows) if (tells) await enqueue(trx, versionLetter, { order_id, version_id })
    const last = rows.length === PIECE ? rows.at(-1)!.order_id : null
    if (last) await enqueue(trx, tellOfVersion, { version_id, after: last })
  })
}
