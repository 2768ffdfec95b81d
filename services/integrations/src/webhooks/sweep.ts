import { DAY_MS, now } from '@operon/kit/clock'
import { firstIdOf } from '@operon/kit/ids'
import type { Vault } from '@operon/kit/vault'
import { type Kysely, sql } from 'kysely'
import type { IntegrationsDb } from '../schema.ts'
import { openSecret, sealSecret } from './signing.ts'

const KEPT_DAYS = 30
const BATCH = 1000

/** Deliveries older than a month. Their ids rise with time, so the primary key finds them. */
export async function forgetDeliveries(db: Kysely<IntegrationsDb>, batch = BATCH, at = now()): Promise<number> {
  const before = firstIdOf(at - KEPT_DAYS * DAY_MS)
  for (let done = 0; ; ) {
    const { numAffectedRows } = await sql`
      delete from webhook_deliveries where id in (select id from webhook_deliveries where id < ${before} order by id limit ${batch})`.execute(
      db,
    )
    done += Number(numAffectedRows ?? 0)
    if (Number(numAffectedRows ?? 0) < batch) return done
  }
}

/** Reseals values of an older master key, so that the key can be removed, and deletes old secrets that sign nothing any more. */
export async function renewSecrets(db: Kysely<IntegrationsDb>, vault: Vault): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ sealed_old_secret: null, old_secret_until: null })
    .where('old_secret_until', '<', sql<Date>`now()`)
    .execute()
  if (!vault.isRotating) return
  for (const column of ['sealed_secret', 'sealed_old_secret'] as const)
    for (;;) {
      const rows = await db
        .selectFrom('webhook_endpoints')
        .select(['id', column])
        .where(column, 'not like', `${vault.prefix.replaceAll('_', '\\_')}%`)
        .limit(BATCH)
        .execute()
      for (const row of rows) {
        const sealed = (row as Record<string, string>)[column]!
        await db
          .updateTable('webhook_endpoints')
          .set({ [column]: sealSecret(vault, row.id, openSecret(vault, row.id, sealed)) })
          .where('id', '=', row.id)
          .where(column, '=', sealed)
          .execute()
      }
      if (rows.length < BATCH) break
    }
}
