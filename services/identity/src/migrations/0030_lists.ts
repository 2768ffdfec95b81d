import { type Kysely, sql } from 'kysely'

/** A part of an address or a name is found by its trigrams. The module comes with PostgreSQL, and the owner of a database may switch it on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create extension if not exists pg_trgm`.execute(db)
}

export const indexes = {
  users_newest: 'on users (created_at desc, id) where deleted_at is null',
  users_found: `on users using gin (email gin_trgm_ops, phone gin_trgm_ops, (user_metadata->>'name') gin_trgm_ops, (user_metadata->>'full_name') gin_trgm_ops)`,
  audit_log_of_service: "on audit_log (id desc) where actor = 'service'",
}
