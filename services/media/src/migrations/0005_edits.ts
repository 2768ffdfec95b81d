import type { Migration } from '@operon/kit/migrate'
import { type Kysely, sql } from 'kysely'

/** The pictures and the mask that a person brought along: keys of files that go a day after the picture ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table pictures add column inputs text[] not null default '{}', add column mask_key text, add column inputs_gone boolean not null default false
  `.execute(db)
}

export const indexes: Migration['indexes'] = {
  pictures_with_inputs: "on pictures (finished_at) where (inputs <> '{}' or mask_key is not null) and not inputs_gone",
}
