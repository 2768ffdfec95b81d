import { type Kysely, sql } from 'kysely'

/** The devices of an account in their order, and what the sweep looks for. Long logs are swept by their ids, which rise with time. */
export async function up(db: Kysely<unknown>) {
  await sql`create index sessions_open on sessions (user_id, id desc) where revoked_at is null`.execute(db)
  await sql`create index one_time_tokens_expired on one_time_tokens (expires_at)`.execute(db)
  await sql`create index flows_expired on flows (expires_at)`.execute(db)
  await sql`create index factor_challenges_expired on factor_challenges (expires_at)`.execute(db)
  await sql`create index factors_unverified on factors (created_at) where status = 'unverified'`.execute(db)
  await sql`create index factor_recoveries_closed on factor_recoveries (closed_at) where closed_at is not null`.execute(db)
  await sql`create index erasures_done on erasures (erased_at) where erased_at is not null`.execute(db)
  await sql`create index ai_keys_revoked on ai_keys (revoked_at) where revoked_at is not null`.execute(db)
}
