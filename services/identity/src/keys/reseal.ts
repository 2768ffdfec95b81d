import { type Kysely, sql } from 'kysely'
import type { AuthCtx } from '../deps.ts'

/** The sealed values, and the row each is bound to. Flows are left out: they are gone within a day. */
const SEALED = [
  { table: 'signing_keys', column: 'sealed_private', context: sql<string>`'signing_keys:' || kid` },
  { table: 'factors', column: 'sealed_secret', context: sql<string>`'factors:' || id || ':' || user_id` },
]
const BATCH = 200

/** While the master key is being rotated: what an older one sealed is sealed with the newest, so that the older one can go. */
export async function resealAll(ctx: AuthCtx): Promise<void> {
  const { vault } = ctx.deps.rt
  if (!vault.isRotating) return
  const db = ctx.db as Kysely<any>
  let done = 0
  for (const { table, column, context } of SEALED)
    for (;;) {
      const rows = await db
        .selectFrom(table)
        .select([context.as('context'), sql.ref<string>(column).as('sealed')])
        .where(column, 'not like', `${vault.prefix.replaceAll('_', '\\_')}%`)
        .limit(BATCH)
        .execute()
      for (const row of rows) {
        const sealed = vault.seal(vault.open(row.sealed, row.context), row.context)
        await db
          .updateTable(table)
          .set({ [column]: sealed })
          .where(column, '=', row.sealed)
          .execute()
      }
      done += rows.length
      if (rows.length < BATCH) break
    }
  if (done) ctx.log.info({ done }, 'resealed secrets with the newest master key')
}
