import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>): Promise<void> {
  await sql`alter table event_types add column sms_minutes integer not null default 0`.execute(db)
  await sql`
    alter table bookings add column sms_to text, add column sms_at timestamptz, add column texted_at timestamptz, add column sms_state text`.execute(
    db,
  )
}

export const indexes = {
  bookings_to_text: 'on bookings (sms_at) where sms_at is not null',
  bookings_texted: 'on bookings (user_id, texted_at) where texted_at is not null',
  bookings_texted_to: 'on bookings (sms_to, texted_at) where texted_at is not null',
}
