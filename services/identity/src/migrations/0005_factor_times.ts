import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // Every verifier asks once a minute who added a second factor within the life of a token.
  await sql`create index factors_verified on factors (updated_at) where status = 'verified'`.execute(db)
}
