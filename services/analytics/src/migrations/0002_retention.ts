import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create table fact_sums (user_id uuid not null, name text not null, amount bigint not null, primary key (user_id, name))`.execute(
    db,
  )
}

export const indexes = {
  facts_by_age: 'on facts (at)',
  activity_logs_by_age: 'on activity_logs (created_at)',
  notifications_by_age: 'on notifications (read_at) where read_at is not null',
}

// Nobody asks for the facts of everybody by name.
export const dropped = ['facts_by_name']
