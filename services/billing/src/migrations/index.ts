import type { Migration } from 'kysely/migration'
import { up as billing } from './0001_billing.ts'
import { up as ledger } from './0002_ledger.ts'
import { up as ended } from './0003_ended.ts'

export const migrations: Record<string, Migration> = {
  '0001_billing': { up: billing },
  '0002_ledger': { up: ledger },
  '0003_ended': { up: ended },
}
