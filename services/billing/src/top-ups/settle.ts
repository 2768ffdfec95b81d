import { topUpBought, topUpChanged } from '@operon/contracts/billing/top-ups'
import type { TopUpUnit } from '@operon/contracts/plans'
import { REFUND_WINDOW_DAYS } from '@operon/contracts/plans'
import { isUuid } from '@operon/kit/ids'
import { publish } from '@operon/kit/tx'
import type { Selectable } from 'kysely'
import type { Trx } from '../deps.ts'
import type { BillingDb } from '../schema.ts'
import type { ProviderCharge } from '../stripe-shapes.ts'
import { addDays } from '../subscriptions/entitlement.ts'

export type TopUpRow = Selectable<BillingDb['top_ups']>

/** The purchase that a payment is for. Another amount, currency or purchase is not one of ours, and a purchase is paid once. */
export async function topUpOfCharge(trx: Trx, { id, topUp, amountCents, currency, tax }: ProviderCharge): Promise<TopUpRow | null> {
  if (!isUuid(topUp)) return null
  const row = await trx.selectFrom('top_ups').selectAll().where('id', '=', topUp).forUpdate().executeTakeFirst()
  if (!row || row.price_cents + (tax?.cents ?? 0) !== amountCents || row.currency !== currency) return null
  return row.charge === null || row.charge === id ? row : null
}

/** The state of a purchase, from all that is known of its payment. Who meters the unit hears what changed. */
export async function keepTopUp(trx: Trx, row: TopUpRow, charge: ProviderCharge): Promise<void> {
  const { id, amountCents, tax, createdAt, refunds, disputes } = charge
  const returned = refunds.filter(({ state }) => state === 'sent').reduce((sum, { amountCents }) => sum + amountCents, 0)
  const isPaid = row.charge !== null
  const state = stateOf(row, charge, returned)
  const isChanged = !isPaid || state !== row.state
  await trx
    .updateTable('top_ups')
    .set({
      ...{ state, charge: id, gross_cents: amountCents, tax_cents: tax?.cents ?? 0, paid_at: row.paid_at ?? createdAt, url: null },
      returned_cents: Math.min(amountCents, returned + sum(disputes.filter(({ status }) => status === 'lost'))),
      version: row.version + (isChanged ? 1 : 0),
    })
    .where('id', '=', row.id)
    .execute()
  if (!isChanged) return
  const { unit, units, unit_microusd } = row
  const told = { top_up_id: row.id, unit: unit as TopUpUnit, units }
  await publish(trx, topUpChanged, row.user_id, {
    ...{ ...told, unit_microusd, version: row.version + 1, bought_at: createdAt.toISOString() },
    state: state === 'paid' ? 'open' : state === 'closed' ? 'closed' : 'held',
  })
  if (isPaid) return
  const refundable_until = addDays(createdAt, REFUND_WINDOW_DAYS).toISOString()
  const paid = { amount_cents: amountCents, currency: row.currency, refundable_until }
  await publish(trx, topUpBought, row.user_id, { ...told, ...paid })
}

/** In proportion, of what has not gone back already; rounded down, so that no order of refunds comes to more than was paid. */
export const shareOf = ({ gross_cents, returned_cents, units }: TopUpRow, left: number): number =>
  Math.min(Math.floor((gross_cents! * left) / units), gross_cents! - returned_cents)

function stateOf(row: TopUpRow, { amountCents, disputes }: ProviderCharge, returned: number): TopUpRow['state'] {
  const { state, returned_cents, refund_units } = row
  if (state === 'closed') return 'closed'
  if (returned >= amountCents || disputes.some(({ status }) => status === 'lost')) return 'closed'
  // The refund that was begun here is there. A smaller one is somebody else's, and leaves it to be sent.
  if (state === 'refunding') {
    const begun = refund_units === null ? null : shareOf(row, refund_units)
    return begun !== null && returned - returned_cents >= begun ? 'closed' : 'refunding'
  }
  return disputes.some(({ status }) => status === 'open') ? 'held' : 'paid'
}
const sum = (disputes: ProviderCharge['disputes']) => disputes.reduce((all, { amountCents }) => all + amountCents, 0)
