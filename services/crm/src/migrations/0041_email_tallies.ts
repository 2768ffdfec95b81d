import { type Kysely, sql } from 'kysely'

/** The counts of a report by hour and by link, kept as they happen, so that reading them costs the same for a campaign of any size. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table email_tallies (
      campaign_id uuid not null references email_campaigns (id) on delete cascade, user_id uuid not null, what text not null, of text not null,
      n integer not null default 0, primary key (campaign_id, what, of)
    )`.execute(db)
  // Rises with each claim: whoever was overtaken cannot begin to send.
  await sql`alter table email_recipients add column fence integer not null default 0`.execute(db)
  await sql`create index email_tallies_by_count on email_tallies (campaign_id, what, n desc)`.execute(db)
  await sql`create index email_tallies_of_user on email_tallies (user_id)`.execute(db)
}
