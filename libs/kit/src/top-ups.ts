import { topUpChanged } from '@operon/contracts/billing/top-ups'
import { type TopUpUnit, topUpUnits } from '@operon/contracts/plans'
import { closedBy, drawnBy, meteredBy, type TopUpMeter } from '@operon/contracts/top-ups'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { usageOf } from './allowance.ts'
import type { Ask, ByTier, Metered } from './meter.ts'
import type { KitDb } from './schema.ts'
import type { Runtime } from './service.ts'
import { inTransaction, publish } from './tx.ts'

// Units that are bought beside a plan. Once the period's own allowance does not cover a request, the units it lacks move from the oldest top-up into
// the period's counter, with the model cost that comes with them. Counters are locked before top-ups, everywhere.

type TopUp = Selectable<KitDb['usage_top_ups']>
type Counter = Selectable<KitDb['usage_counters']>

/** Moves what a request lacks into its period. False where nothing of the person's covers it. */
export async function draw(db: Transaction<any>, { userId, unit, amount = 1, costs }: Omit<Ask, 'feature'>, budgets: ByTier | null) {
  if (!isTopUpUnit(unit)) return false
  const trx = db as Transaction<KitDb>
  const { periodStart } = await usageOf(trx, userId, unit, budgets)
  await lockCounter(trx, userId, unit, periodStart)
  await giveBack(trx, await lockEarlier(trx, userId, unit, periodStart))
  const { tier, ...now } = await usageOf(trx, userId, unit, budgets)
  const room = roomIn(now.limit, now.extra, now.used + now.reserved)
  const costRoom = roomIn(now.budgetMicrousd, now.extraMicrousd, now.costMicrousd + now.costReservedMicrousd)
  let units = Math.max(0, amount - Math.max(0, room))
  let cost = Math.max(0, (costs?.[tier] ?? 0) - Math.max(0, costRoom))
  const drawn: TopUp[] = []
  // A plan that was larger when this was used, earlier in the period, is not made up for with what was bought since.
  let [extra, extraCost] = [Math.max(0, -room), Math.max(0, -costRoom)]
  for (const topUp of await openTopUps(trx, userId, unit)) {
    const lacking = Math.max(units, Math.ceil(cost / topUp.unit_microusd))
    if (lacking <= 0) break
    const taken = Math.min(lacking, topUp.units - topUp.drawn)
    drawn.push({ ...topUp, drawn: topUp.drawn + taken })
    units -= taken
    cost -= taken * topUp.unit_microusd
    extra += taken
    extraCost += taken * topUp.unit_microusd
  }
  if (units > 0 || cost > 0) return false
  for (const topUp of drawn) await keepDrawn(trx, topUp)
  const plan = { extra_max: now.limit, extra_budget: now.budgetMicrousd }
  await trx
    .updateTable('usage_counters')
    .set({ extra: now.extra + extra, extra_cost: now.extraMicrousd + extraCost, ...plan })
    .where('user_id', '=', userId)
    .where('unit', '=', unit)
    .where('period_start', '=', periodStart)
    .execute()
  return true
}

const roomIn = (limit: number | null, extra: number, taken: number) => (limit === null ? Number.POSITIVE_INFINITY : limit + extra - taken)
const isTopUpUnit = (unit: Metered): unit is TopUpUnit => topUpUnits.some((each) => each === unit)

/** Asked without a lock, so that a refusal costs one read. What earlier periods took and did not use is there, too. */
export async function hasTopUp(db: Kysely<any>, userId: string, unit: Metered): Promise<boolean> {
  if (!isTopUpUnit(unit)) return false
  const { rows } = await sql`
    select from usage_top_ups t where user_id = ${userId} and unit = ${unit} and state = 'open' and (drawn < units or exists (
      select from usage_counters c where c.user_id = t.user_id and c.unit = t.unit and extra > 0
        and (extra_max is null or used + reserved < extra_max + extra)
        and (extra_budget is null or cost_used + cost_reserved < extra_budget + extra_cost)))
    limit 1`.execute(db)
  return rows.length > 0
}

const lockCounter = (trx: Transaction<KitDb>, user_id: string, unit: TopUpUnit, period_start: Date) =>
  trx
    .insertInto('usage_counters')
    .values({ user_id, unit, period_start })
    .onConflict((conflict) => conflict.columns(['user_id', 'unit', 'period_start']).doUpdateSet({ unit }))
    .execute()

/** Those of earlier periods that hold units of top-ups. One that somebody else has in hand is left for the next time. */
const lockEarlier = (trx: Transaction<KitDb>, userId: string, unit: TopUpUnit, before: Date) =>
  trx
    .selectFrom('usage_counters')
    .selectAll()
    .where('user_id', '=', userId)
    .where('unit', '=', unit)
    .where('period_start', '<>', before)
    .where('extra', '>', 0)
    .forUpdate()
    .skipLocked()
    .execute()

/** All that hold units of top-ups. */
const lockCounters = (trx: Transaction<KitDb>, userId: string, unit: TopUpUnit) =>
  trx
    .selectFrom('usage_counters')
    .selectAll()
    .where('user_id', '=', userId)
    .where('unit', '=', unit)
    .orderBy('period_start')
    .where('extra', '>', 0)
    .forUpdate()
    .execute()

const openTopUps = (trx: Transaction<KitDb>, userId: string, unit: TopUpUnit) =>
  trx
    .selectFrom('usage_top_ups')
    .selectAll()
    .where('user_id', '=', userId)
    .where('unit', '=', unit)
    .where('state', '=', 'open')
    .orderBy('bought_at')
    .orderBy('id')
    .forUpdate()
    .execute()

/** Units that a period took and did not use go back to the newest top-up that gave some. What runs still counts as used. */
async function giveBack(trx: Transaction<KitDb>, counters: Counter[], to?: TopUp): Promise<void> {
  for (const counter of counters) {
    const { user_id: userId, unit, period_start, extra, extra_cost: extraCost } = counter
    let units = spare(extra, counter.extra_max, counter.used + counter.reserved)
    let cost = spare(extraCost, counter.extra_budget, counter.cost_used + counter.cost_reserved)
    const lenders = to ? [to] : (await openTopUps(trx, userId, unit as TopUpUnit)).reverse()
    let [back, backCost] = [0, 0]
    for (const topUp of lenders) {
      const returned = Math.min(units, Math.floor(cost / topUp.unit_microusd), topUp.drawn)
      if (returned <= 0) continue
      topUp.drawn -= returned
      await keepDrawn(trx, topUp)
      units -= returned
      cost -= returned * topUp.unit_microusd
      back += returned
      backCost += returned * topUp.unit_microusd
    }
    if (back > 0)
      await trx
        .updateTable('usage_counters')
        .set({ extra: extra - back, extra_cost: extraCost - backCost })
        .where('user_id', '=', userId)
        .where('unit', '=', unit)
        .where('period_start', '=', period_start)
        .execute()
  }
}
/** The part of what was added to a limit that stayed unused above it. */
const spare = (added: number, limit: number | null, used: number) =>
  limit === null ? added : Math.min(added, Math.max(0, limit + added - used))

async function keepDrawn(trx: Transaction<KitDb>, { id, user_id, unit, drawn }: TopUp): Promise<void> {
  const { draws } = await trx
    .updateTable('usage_top_ups')
    .set({ drawn, draws: sql`draws + 1` })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .returning('draws')
    .executeTakeFirstOrThrow()
  await publish(trx, drawnBy[meteredBy[unit as TopUpUnit]], user_id, { top_up_id: id, drawn, version: draws })
}

/** Keeps the top-ups of the units that this service meters, and ends one when billing is about to give its money back. */
export function metersTopUps(rt: Runtime<any, any>, service: TopUpMeter): void {
  rt.on(topUpChanged, 'project-top-ups', async (trx, { user_id, payload }) => {
    if (!user_id || meteredBy[payload.unit] !== service) return
    const { top_up_id: id, unit, units, unit_microusd, state, version, bought_at } = payload
    await trx
      .insertInto('usage_top_ups')
      .values({ id, user_id, unit, units, unit_microusd, state, version, bought_at: new Date(bought_at) })
      .onConflict((conflict: any) =>
        conflict
          .column('id')
          .doUpdateSet({ state, version })
          .where('usage_top_ups.version', '<', version)
          .where('usage_top_ups.state', '<>', 'closed'),
      )
      .execute()
  })
  rt.answer(closedBy[service] as (typeof closedBy)['media'], ({ db }, { top_up_id: id, user_id: userId, unit, units, unit_microusd }) =>
    inTransaction(db as Kysely<KitDb>, async (trx) => {
      const counters = await lockCounters(trx, userId, unit)
      const asked = { id, user_id: userId, unit, units, unit_microusd }
      // News of the purchase may still be under way: what comes after this is late.
      await trx
        .insertInto('usage_top_ups')
        .values({ ...asked, state: 'open', version: 0, bought_at: sql`now()` })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
      const topUp = await trx
        .selectFrom('usage_top_ups')
        .selectAll()
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .forUpdate()
        .executeTakeFirst()
      if (!topUp) return { left: 0 }
      if (topUp.state !== 'closed') {
        await giveBack(trx, counters, topUp)
        await trx.updateTable('usage_top_ups').set({ state: 'closed' }).where('id', '=', id).where('user_id', '=', userId).execute()
      }
      return { left: topUp.units - topUp.drawn }
    }),
  )
}
