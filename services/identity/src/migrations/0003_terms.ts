import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>) {
  await sql`alter table users add column terms_version text, add column terms_accepted_at timestamptz`.execute(db)
  // Accounts from before: they accepted with their sign-up.
  await sql`
    update users set terms_version = left(user_metadata->>'terms_version', 40), terms_accepted_at = created_at
    where user_metadata->'accept_terms' = 'true'::jsonb`.execute(db)
}
