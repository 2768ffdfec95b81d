import { mediaUsageRecorded } from '@operon/contracts/usage'
import type { KitDb } from '@operon/kit/schema'
import { release, settle } from '@operon/kit/settle'
import type { Selectable, Transaction } from 'kysely'
import { costOf } from '../providers/models.ts'
import type { MediaDb } from '../schema.ts'
import type { Deps } from './deps.ts'

type Stopped = Pick<Selectable<MediaDb['pictures']>, 'id' | 'reservation_id' | 'asked_at' | 'used_model' | 'size'>

/**
 * A stopped picture uses no image of the plan. Once the provider was asked we may have to pay for it, so its cost counts toward the month's
 * budget: otherwise somebody who starts and stops pictures in turn could spend without end.
 */
export async function giveBack(trx: Transaction<MediaDb & KitDb>, { providers, budgets }: Deps, row: Stopped): Promise<void> {
  const { sandbox } = await providers.artist(row.used_model)
  if (row.asked_at === null || sandbox) return release(trx, { id: row.reservation_id })
  const costMicrousd = costOf(row.used_model, row.size, providers.ownUsd(row.used_model))
  await trx.updateTable('pictures').set({ cost_microusd: costMicrousd }).where('id', '=', row.id).execute()
  await settle(trx, mediaUsageRecorded, [{ id: row.reservation_id, amount: 0, costMicrousd }], budgets)
}
