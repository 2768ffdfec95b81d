import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create table people (user_id uuid primary key, email text, version integer not null)`.execute(db)
  // Earlier accounts are filled from their sign-up; the next change of the account corrects them.
  await sql`insert into people (user_id, email, version) select user_id, email, 0 from sign_up_records`.execute(db)
}
