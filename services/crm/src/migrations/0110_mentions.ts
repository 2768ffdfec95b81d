import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    create table note_mentions (
      id uuid primary key, user_id uuid not null, activity_id uuid not null references activities (id) on delete cascade,
      contact_id uuid, company_id uuid, deal_id uuid, starts integer not null, length integer not null,
      check (num_nonnulls(contact_id, company_id, deal_id) = 1)
    )`.execute(db)
  await sql`create index note_mentions_by_id on note_mentions (user_id, id)`.execute(db)
  await sql`create index note_mentions_in on note_mentions (activity_id)`.execute(db)
  for (const target of ['contact_id', 'company_id', 'deal_id'])
    await sql`create index ${sql.raw(`note_mentions_of_${target.slice(0, -3)}`)} on note_mentions (user_id, ${sql.ref(target)}, id)
      where ${sql.ref(target)} is not null`.execute(db)
}
