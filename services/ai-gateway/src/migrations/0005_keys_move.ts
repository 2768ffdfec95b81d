import { type Kysely, sql } from 'kysely'

/** Keys belong to identity. The rows stay until it has taken them over; what each has used of its own limit is counted here. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table ai_keys add column moved_at timestamptz, add column moved_ended boolean not null default false`.execute(db)
  await sql`create table ai_key_use (key_id uuid primary key, user_id uuid not null, month timestamptz not null, prompts integer not null)`.execute(
    db,
  )
  await sql`create index ai_key_use_mine on ai_key_use (user_id)`.execute(db)
  await sql`
    insert into ai_key_use (key_id, user_id, month, prompts)
    select id, user_id, month, month_prompts from ai_keys where month is not null and monthly_prompts is not null`.execute(db)
}

export const indexes = {
  ai_keys_to_move: 'on ai_keys (id) where moved_at is null or (revoked_at is not null and not moved_ended)',
}
