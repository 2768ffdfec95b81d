import { type Tier, tiers } from '@operon/contracts/plans'
import type { ByTier } from '@operon/kit/meter'
import type { Runtime } from '@operon/kit/service'
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
