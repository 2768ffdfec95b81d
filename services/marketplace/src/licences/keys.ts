import { createHash, randomBytes } from 'node:crypto'
import { newId } from '@operon/kit/ids'
import type { KitDb } from '@operon/kit/schema'
import type { Runtime } from '@operon/kit/service'
import type { Transaction } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

type Trx = Transaction<MarketplaceDb & KitDb>
type Vault = Pick<Runtime<MarketplaceDb>, 'vault'>['vault']

const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** 130 random bits in signs that nobody confuses. */
function newKey(): string {
  const signs = Array.from(randomBytes(26), (byte) => SIGNS[byte % 32]!).join('')
  return signs.match(/.{1,5}/g)!.join('-')
}

/** However it was typed. */
export const hashOfKey = (key: string) =>
  createHash('sha256')
    .update(key.toUpperCase().replace(/[^0-9A-Z]/g, ''))
    .digest()

/** In the delivery's transaction, where the version that was bought has keys. Twice is as good as once. */
export async function issueKey(
  trx: Trx,
  vault: Vault,
  { order_id, item_id, version_id, seller_id }: { order_id: string; item_id: string; version_id: string | null; seller_id: string },
): Promise<void> {
  if (!version_id) return
  const version = await trx.selectFrom('item_versions').select('activation_limit').where('id', '=', version_id).executeTakeFirst()
  if (!version?.activation_limit) return
  const [id, key] = [newId(), newKey()]
  await trx
    .insertInto('license_keys')
    .values({
      ...{ id, order_id, item_id, seller_id, activation_limit: version.activation_limit },
      ...{ key_hash: hashOfKey(key), sealed: vault.seal(key, `license_keys:${id}`) },
    })
    .onConflict((conflict) => conflict.columns(['order_id', 'item_id']).doNothing())
    .execute()
}

/** For whoever may see the order. */
export const openKey = (vault: Vault, { id, sealed }: { id: string; sealed: string }) => vault.open(sealed, `license_keys:${id}`)
