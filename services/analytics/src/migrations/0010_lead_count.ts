import { type Kysely, sql } from 'kysely'

/** Imports, deletions and their undo change how many leads there are, each by a number of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function fact_amount(name text, payload jsonb) returns bigint language sql immutable as
    $$ select case name when 'crm.campaign_sent' then (payload ->> 'sent')::bigint
      when 'crm.lead_count_changed' then (payload ->> 'change')::bigint
      when 'crm.lead_created' then 1 when 'crm.appointment_booked' then 1 when 'crm.campaign_created' then 1 end $$`.execute(db)
}
