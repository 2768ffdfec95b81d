import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/orders'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import type { serveRaw } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { download } from '@operon/kit/storage/links'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { orderOf } from './access.ts'
import { passOf, readPass } from './links.ts'

type Raw = Parameters<Parameters<typeof serveRaw>[2]>
type Rt = Pick<Runtime<MarketplaceDb, Config>, 'vault' | 'kit' | 'storage'>
const MINUTES = 5

export const orderDownload =
  ({ vault, kit }: Rt) =>
  async (
    ctx: Ctx<MarketplaceDb>,
    { file_id, ...ref }: Input<typeof contract.orderDownload>,
  ): Promise<Output<typeof contract.orderDownload>> => {
    const order = await orderOf(vault, ctx, ref)
    const bought = await boughtFile(ctx.db, order.id, file_id)
    if (!bought) throw new DomainError('not_found')
    // A refund by the rule asks whether anything was downloaded.
    await ctx.db
      .updateTable('order_lines')
      .set({ downloaded_at: sql`now()` })
      .where('order_id', '=', order.id)
      .where('item_id', '=', bought.item_id)
      .where('downloaded_at', 'is', null)
      .execute()
    const expiresS = Math.floor(now() / 1000) + MINUTES * 60
    const pass = passOf(vault, { orderId: order.id, fileId: file_id, expiresS })
    return { url: `${kit.PUBLIC_URL}/files/v1/marketplace/~orders/${pass}`, expires_at: new Date(expiresS * 1000).toISOString() }
  }

/** Each opening, and each piece of a transfer that goes on, looks whether the order still stands. */
export const openDownload =
  ({ vault, storage }: Rt) =>
  async ({ db }: Ctx<MarketplaceDb>, { pass }: { pass: string }, reply: Raw[2], request: Raw[3]) => {
    const given = readPass(vault, pass)
    if (!given || given.expiresS * 1000 <= now())
      throw new DomainError('forbidden', { message: 'This download link has ended. Open your order for a new one.' })
    const file = await boughtFile(db, given.orderId, given.fileId)
    if (!file) throw new DomainError('not_found')
    const link = { method: 'GET' as const, key: file.key, downloadAs: file.name, expires: given.expiresS, revocable: true as const }
    return download(storage, link, request, reply)
  }

/** A file of a version that was bought or taken later, as long as the order was not given back whole. */
async function boughtFile(db: Ctx<MarketplaceDb>['db'], orderId: string, fileId: string) {
  const { rows } = await sql<{ item_id: string; key: string; name: string }>`
    select l.item_id, f.key, v.name from orders o join order_lines l on l.order_id = o.id
      join version_files v on v.version_id in (l.version_id, l.kept_version_id) join files f on f.id = v.file_id
    where o.id = ${orderId} and o.state = 'delivered' and v.file_id = ${fileId} and v.scan <> 'infected' and f.scan <> 'infected'
      and f.state = 'ready' limit 1`.execute(db)
  return rows[0]
}
