import { sql } from 'kysely'
import type { Db } from './deps.ts'

export async function readSetting<T>(db: Db, key: string): Promise<T | null> {
  const row = await db.selectFrom('provider_settings').select('value').where('key', '=', key).executeTakeFirst()
  return (row?.value as T | undefined) ?? null
}

/** The first writer's value stays; answers what is kept. */
export async function writeSetting<T>(db: Db, key: string, value: T): Promise<T> {
  const { rows } = await sql<{ value: T }>`
    insert into provider_settings (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
    on conflict (key) do update set value = provider_settings.value returning value`.execute(db)
  return rows[0]!.value
}

export async function replaceSetting(db: Db, key: string, value: unknown): Promise<void> {
  await sql`
    insert into provider_settings (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
    on conflict (key) do update set value = excluded.value`.execute(db)
}
