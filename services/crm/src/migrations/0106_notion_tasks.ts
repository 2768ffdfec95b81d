import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table notion_syncs add kind text not null default 'contacts', add statuses jsonb, add adding jsonb`.execute(db)
  // A row an account and kind: the constraint's lock is a short one.
  await sql`
    alter table notion_syncs drop constraint notion_syncs_user_id_key,
      add constraint notion_syncs_of_kind unique (user_id, kind)`.execute(db)
  await sql`alter table notion_links rename contact_id to record_id`.execute(db)
}

/** Ids of Notion are written with dashes and without. */
export const indexes = { notion_syncs_of_database: "unique on notion_syncs (user_id, replace(database_id, '-', ''))" }
