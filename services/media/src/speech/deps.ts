import { speechRecorded } from '@operon/contracts/media/voice'
import { type Tier, tiers } from '@operon/contracts/plans'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { type ByTier, type Reservation, reserve } from '@operon/kit/meter'
import type { Runtime } from '@operon/kit/service'
import { settle } from '@operon/kit/settle'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { MediaDb } from '../schema.ts'
import type { SpeechProviders } from './providers.ts'
import type { Sound } from './sound.ts'

export type SpeechDeps = {
  rt: Runtime<MediaDb, Config>
  providers: SpeechProviders
  /** The most that speech may cost in a period, by plan. */
  budgets: ByTier
  /** The recordings that this instance is making. */
  running: Map<string, { sound: Sound; kept: Promise<any> }>
}

export const byTier = (of: (tier: Tier) => number) => Object.fromEntries(tiers.map((tier) => [tier, of(tier)])) as ByTier

const MOST_AT_ONCE = 4

/**
 * A person has few at once, in all instances together. A few bytes can last for half an hour, and what they cost is known when they were
 * heard, so many at once would spend beyond the budget; and the places of an instance are everybody's.
 */
export function holdOne(db: Ctx<MediaDb>['db'], ask: Parameters<typeof reserve>[1], budgets: ByTier): Promise<Reservation> {
  return inTransaction(db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`speech ${ask.userId}`}, 0))`.execute(trx)
    const open = await trx
      .selectFrom('usage_reservations')
      .select('id')
      .where('user_id', '=', ask.userId)
      .where('unit', '=', 'speech')
      .where('state', '=', 'reserved')
      .where('expires_at', '>', sql<Date>`now()`)
      .limit(MOST_AT_ONCE)
      .execute()
    if (open.length >= MOST_AT_ONCE) throw new DomainError('rate_limited', { headers: { 'retry-after': '5' } })
    return reserve(trx, ask, budgets)
  })
}

export const charge = ({ rt, budgets }: SpeechDeps, { id }: Pick<Reservation, 'id'>, costMicrousd: number) =>
  inTransaction(rt.db, (trx) => settle(trx as never, speechRecorded, [{ id, costMicrousd }], budgets))
