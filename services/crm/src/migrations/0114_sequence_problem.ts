import { type Kysely, sql } from 'kysely'

/** Why its emails do not go out although it runs, in words. `problem_step` is the email that fails. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    alter table email_sequences add column problem text, add column problem_step uuid, add column problem_at timestamptz`.execute(db)
}
