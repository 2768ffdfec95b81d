import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create table fact_sums (user_id uuid not null, name text not null, amount bigint not null, primary key (user_id, name))`.execute(
    db,
  )
  await sql`create index facts_by_age on facts (at)`.execute(db)
  await sql`create index activity_logs_by_age on activity_logs (created_at)`.execute(db)
  await sql`create index notifications_by_age on notifications (read_at) where read_at is not null`.execute(db)
  // Nobody asks for the facts of everybody by name.
  await sql`drop index facts_by_name`.execute(db)
}
