import { type Kysely, sql } from 'kysely'

/** When a rule is looked at next: one that waits for its connection is not found by every turn. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table ad_rules add column check_at timestamptz not null default now()`.execute(db)
}

export const indexes = { ad_rules_due: "on ad_rules (check_at) where state = 'watching'" }
export const dropped = ['ad_rules_to_check']
