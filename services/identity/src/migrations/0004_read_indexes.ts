import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  // Every verifier asks once a minute who is gone: few among many.
  await sql`create index users_deleted on users (deleted_at) where deleted_at is not null`.execute(db)
  await sql`create index erasures_newest on erasures (asked_at desc, service)`.execute(db)
}
