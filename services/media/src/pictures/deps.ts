import type { ByTier } from '@operon/kit/meter'
import type { Runtime } from '@operon/kit/service'
import type { Storage } from '@operon/kit/storage/storage'
import type { Config } from '../config.ts'
import type { Providers } from '../providers/providers.ts'
import type { Moderation } from '../safety/moderation.ts'
import type { MediaDb } from '../schema.ts'
import type { Progress } from './progress.ts'

export const LANE = 'pictures'

export type Deps = {
  rt: Runtime<MediaDb, Config>
  storage: Storage
  providers: Providers
  /** The budget of each plan's pictures in a period. */
  budgets: ByTier
  progress: Progress
  moderation: Moderation
}
