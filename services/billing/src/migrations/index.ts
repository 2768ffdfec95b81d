import type { Migration } from 'kysely/migration'
import { up as billing } from './0001_billing.ts'
import { up as ledger } from './0002_ledger.ts'
import { up as ended } from './0003_ended.ts'
import { up as eventQueue } from './0004_event_queue.ts'
import { up as readIndexes } from './0005_read_indexes.ts'
import { up as timeOfAPerson } from './0006_time_of_a_person.ts'
import { up as budgetNotices } from './0007_budget_notices.ts'
import { up as lists } from './0008_lists.ts'
import { up as ending } from './0009_ending.ts'
import { up as rowsOfAPerson } from './0010_rows_of_a_person.ts'

export const migrations: Record<string, Migration> = {
  '0001_billing': { up: billing },
  '0002_ledger': { up: ledger },
  '0003_ended': { up: ended },
  '0004_event_queue': { up: eventQueue },
  '0005_read_indexes': { up: readIndexes },
  '0006_time_of_a_person': { up: timeOfAPerson },
  '0007_budget_notices': { up: budgetNotices },
  '0008_lists': { up: lists },
  '0009_ending': { up: ending },
  '0010_rows_of_a_person': { up: rowsOfAPerson },
}
