import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create table service_tokens (one boolean primary key default true check (one), good_since timestamptz not null)`.execute(db)
}
