import { type Kysely, sql } from 'kysely'

/** Keys that a device keeps: to sign in with alone, and as a second factor. A public key opens nothing. */
export async function up(db: Kysely<unknown>) {
  await sql`
    create table passkeys (
      id uuid primary key, user_id uuid not null references users on delete cascade, credential_id text not null unique, public_key bytea not null,
      counter bigint not null, transports text[] not null, friendly_name text not null, aal text not null,
      created_at timestamptz not null default now(), last_used_at timestamptz
    )`.execute(db)
  await sql`create index passkeys_mine on passkeys (user_id, id)`.execute(db)
  await sql`
    create table passkey_challenges (
      id uuid primary key, user_id uuid references users on delete cascade, challenge text not null, expires_at timestamptz not null)`.execute(
    db,
  )
  await sql`create index passkey_challenges_expired on passkey_challenges (expires_at)`.execute(db)
  await sql`create index passkey_challenges_user on passkey_challenges (user_id) where user_id is not null`.execute(db)
  await sql`alter table factors alter column sealed_secret drop not null, add column credential jsonb`.execute(db)
  await sql`alter table factor_challenges add column challenge text`.execute(db)
}
