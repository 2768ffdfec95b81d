import type { Tier } from '@operon/contracts/plans'
import type { Pace } from '@operon/kit/mail/paces'
import { type Kysely, sql } from 'kysely'
import type { Config } from '../config.ts'

/** Emails of campaigns that an account may send an hour, by its plan: half of them at once, the rest evenly. */
const perHour: Record<Tier, number> = { none: 100, trial: 600, basic: 3_000, pro: 9_000, enterprise: 30_000 }

export const campaignPaces =
  (config: Pick<Config, 'LIMIT_CAMPAIGN_PLATFORM_PER_HOUR' | 'LIMIT_CAMPAIGN_ACCOUNT_PERCENT'>) =>
  async (db: Kysely<any>, userId: string): Promise<Pace[]> => {
    const { rows } = await sql<{ tier: Tier }>`select tier from entitlements where user_id = ${userId}`.execute(db)
    const share = config.LIMIT_CAMPAIGN_ACCOUNT_PERCENT / 100
    return [
      { scope: `campaigns of ${userId}`, perHour: Math.max(1, Math.round((perHour[rows[0]?.tier ?? 'none'] ?? perHour.none) * share)) },
      { scope: 'campaigns platform', perHour: config.LIMIT_CAMPAIGN_PLATFORM_PER_HOUR },
    ]
  }
