import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create index trial_cards_user on trial_cards (user_id)`.execute(db)
  // Staff look an account up by id, e-mail or customer, whichever they have.
  await sql`create index accounts_user_text on accounts ((user_id::text))`.execute(db)
}
