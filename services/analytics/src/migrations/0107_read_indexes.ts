import { type Kysely, sql } from 'kysely'

/** A fact is there once, by its own id, and its line with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table activity_logs drop constraint if exists activity_logs_event_id_key`.execute(db)
}

/** Of a person's facts only those are read by time that the figures count. */
export const indexes = {
  facts_counted: `on facts (user_id, name, at) where name in ('crm.lead_created', 'crm.lead_count_changed', 'crm.appointment_booked',
    'crm.campaign_created', 'crm.campaign_sent')`,
}

export const dropped = ['facts_of_user']
