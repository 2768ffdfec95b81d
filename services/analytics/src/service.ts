import { erasesPeople } from '@operon/kit/erasure'
import type { ServiceDefinition } from '@operon/kit/service'
import { activityRoutes } from './activity/routes.ts'
import { Config } from './config.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { erasure } from './erasure.ts'
import { factConsumers } from './facts/consumers.ts'
import { retentionJobs } from './facts/jobs.ts'
import * as facts from './migrations/0001_facts.ts'
import * as retention from './migrations/0002_retention.ts'
import * as states from './migrations/0003_states.ts'
import * as activityLinks from './migrations/0004_activity_links.ts'
import * as dailyFigures from './migrations/0005_daily_figures.ts'
import * as dailyFiguresDone from './migrations/0005_daily_figures_done.ts'
import * as rowsOfAPerson from './migrations/0006_rows_of_a_person.ts'
import * as leadCount from './migrations/0010_lead_count.ts'
import * as readIndexes from './migrations/0107_read_indexes.ts'
import * as allTime from './migrations/0108_all_time.ts'
import * as unreadInOrder from './migrations/0109_unread_in_order.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { previewed } from './previewed.ts'
import type { AnalyticsDb } from './schema.ts'

export const analyticsService: ServiceDefinition<AnalyticsDb, Config> = {
  name: 'analytics',
  config: Config,
  previewed,
  migrations: {
    '0001_facts': facts,
    '0002_retention': retention,
    '0003_states': states,
    '0004_activity_links': activityLinks,
    '0005_daily_figures': dailyFigures,
    '0005_daily_figures_done': dailyFiguresDone,
    '0006_rows_of_a_person': rowsOfAPerson,
    '0010_lead_count': leadCount,
    '0107_read_indexes': readIndexes,
    '0108_all_time': allTime,
    '0109_unread_in_order': unreadInOrder,
  },
  setup(rt) {
    factConsumers(rt)
    retentionJobs(rt)
    activityRoutes(rt)
    notificationRoutes(rt)
    dashboardRoutes(rt)
    erasesPeople(rt, erasure)
  },
}
