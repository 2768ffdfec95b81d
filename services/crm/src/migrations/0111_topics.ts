import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    create table email_topics (
      id uuid primary key, user_id uuid not null, title text not null, description text not null default '', created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index email_topics_by_id on email_topics (user_id, id)`.execute(db)
  await sql`create unique index email_topics_once on email_topics (user_id, lower(title))`.execute(db)
  await sql`
    create table email_topic_leavers (
      id uuid primary key, user_id uuid not null, topic_id uuid not null references email_topics (id) on delete cascade,
      email text not null check (email = lower(email)), at timestamptz not null default now(), unique (topic_id, email)
    )`.execute(db)
  await sql`create index email_topic_leavers_by_id on email_topic_leavers (user_id, id)`.execute(db)
  await sql`create index email_topic_leavers_of on email_topic_leavers (user_id, email)`.execute(db)
  await sql`alter table email_campaigns add column topic_id uuid`.execute(db)
  await sql`alter table email_sequences add column topic_id uuid`.execute(db)
}
