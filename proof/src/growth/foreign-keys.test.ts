import { loadDefinitions } from '@operon/deploy/services'
import { testDatabase } from '@operon/kit/testing/database'
import { sql } from 'kysely'
import { expect, test } from 'vitest'

// Deleting a row looks for those that refer to it. Without an index that reads their whole table for each row: a sweep that grows by the square.

test('what refers to another row is found by an index when that row goes', { timeout: 120_000 }, async () => {
  const missing: string[] = []
  for (const definition of await loadDefinitions()) {
    const { db, drop } = await testDatabase(definition)
    const { rows } = await sql<{ at: string }>`
      select c.conrelid::regclass || '.' || a.attname as at from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      where c.contype = 'f' and c.confdeltype <> 'a' and not exists (
        select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)'))`.execute(db)
    missing.push(...rows.map(({ at }) => `${definition.name} ${at}`))
    await drop()
  }
  expect(missing).toEqual([])
})
