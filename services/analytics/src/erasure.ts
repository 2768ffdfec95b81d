import type { Eraser } from '@operon/kit/erasure'
import { sql } from 'kysely'
import { forgetPerson } from './facts/forget.ts'
import type { AnalyticsDb } from './schema.ts'

export const erasure: Eraser<AnalyticsDb> = {
  // The sample events of a demo are deleted by `forgetPerson`.
  long: [
    { table: 'activity_logs' },
    { table: 'notifications' },
    { table: 'facts', where: sql`not payload @> '{"demo": true}'`, becomes: null },
  ],
  erase: forgetPerson,
  holds: [
    { table: 'facts', key: 'event_id' },
    { table: 'fact_all_time', as: 'figures', key: null },
    { table: 'activity_logs' },
    { table: 'notifications' },
    { table: 'plans', key: null },
    { table: 'states', key: null },
  ],
}
