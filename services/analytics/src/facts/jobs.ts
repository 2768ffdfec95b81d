import { forgetOld } from '@operon/contracts/analytics/events'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { AnalyticsDb } from '../schema.ts'
import { forgetOlderThan } from './retention.ts'

export function retentionJobs(rt: Runtime<AnalyticsDb, Config>) {
  rt.job(forgetOld, (ctx) => forgetOlderThan(ctx, rt.config.ANALYTICS_KEEP_DAYS), { cron: '41 3 * * *' })
}
