import { createHash } from 'node:crypto'
import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/marketplace/licences'
import type { Ctx } from '@operon/kit/context'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'
import { hashOfKey } from './keys.ts'

type Standing = Output<typeof contract.checkLicence>
type Asked = Input<typeof contract.checkLicence>
type Db = Ctx<MarketplaceDb>['db']

const unknown: Standing = { valid: false, reason: 'unknown', activation_limit: null, activations: 0 }
const machineHash = (machine: string) => createHash('sha256').update(machine).digest()

export async function checkLicence({ db }: Ctx<MarketplaceDb>, asked: Asked): Promise<Standing> {
  const key = await findKey(db, asked)
  return key ? standingOf(db, key, asked.machine) : unknown
}

/** One at a time for a key: the row is locked while its activations are counted. */
export async function activateLicence({ db }: Ctx<MarketplaceDb>, asked: Asked & { machine: string }): Promise<Standing> {
  return inTransaction(db, async (trx) => {
    const key = await findKey(trx, asked, true)
    if (!key) return unknown
    const before = await standingOf(trx, key, asked.machine)
    if (before.valid || before.reason === 'refunded') return before
    if (before.activations >= key.activation_limit) return { ...before, reason: 'limit_reached' }
    await trx
      .insertInto('activations')
      .values({ key_id: key.id, machine_hash: machineHash(asked.machine) })
      .execute()
    return { ...before, valid: true, reason: null, activations: before.activations + 1 }
  })
}

export async function deactivateLicence({ db }: Ctx<MarketplaceDb>, asked: Asked & { machine: string }): Promise<Standing> {
  const key = await findKey(db, asked)
  if (!key) return unknown
  await db.deleteFrom('activations').where('key_id', '=', key.id).where('machine_hash', '=', machineHash(asked.machine)).execute()
  return standingOf(db, key, asked.machine)
}

type Key = { id: string; activation_limit: number; refunded: boolean }

async function findKey(db: Db, { key, item_id }: Asked, lock = false): Promise<Key | undefined> {
  const { rows } = await sql<Key>`
    select k.id, k.activation_limit, o.state = 'refunded' as refunded
    from license_keys k join orders o on o.id = k.order_id
    where k.key_hash = ${hashOfKey(key)} and k.item_id = ${item_id} ${lock ? sql`for update of k` : sql``}`.execute(db)
  return rows[0]
}

async function standingOf(db: Db, { id, activation_limit, refunded }: Key, machine: string | undefined): Promise<Standing> {
  const rows = await db.selectFrom('activations').select('machine_hash').where('key_id', '=', id).execute()
  const known = { activation_limit, activations: rows.length }
  if (refunded) return { valid: false, reason: 'refunded', ...known }
  if (machine !== undefined && !rows.some(({ machine_hash }) => machine_hash.equals(machineHash(machine))))
    return { valid: false, reason: 'not_activated', ...known }
  return { valid: true, reason: null, ...known }
}
