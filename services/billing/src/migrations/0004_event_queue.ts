import { type Kysely, sql } from 'kysely'

/** Events are stored as they come and handled after the answer: until when one is left to whoever took it, or to its next try. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table provider_events add column next_at timestamptz not null default now()`.execute(db)
}

export const indexes = {
  provider_events_due: "on provider_events (next_at) where status <> 'done'",
}
