import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>) {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table users (
    id uuid primary key, email text, phone text, password_hash text,
    email_confirmed_at timestamptz, email_proven boolean not null default false, phone_confirmed_at timestamptz, invited_at timestamptz,
    confirmation_sent_at timestamptz, recovery_sent_at timestamptz,
    email_change text, email_change_sent_at timestamptz, email_change_confirmed integer not null default 0,
    phone_change text, phone_change_sent_at timestamptz, reauthentication_sent_at timestamptz, last_sign_in_at timestamptz,
    app_metadata jsonb not null default '{}', user_metadata jsonb not null default '{}', is_anonymous boolean not null default false,
    banned_until timestamptz, deleted_at timestamptz, version integer not null default 1,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now())`,
  'create unique index users_email on users (email)',
  'create unique index users_phone on users (phone)',
  'create index users_created on users (created_at desc, id)',
  'create index users_banned on users (banned_until) where banned_until is not null',
  `create table identities (
    id uuid primary key, user_id uuid not null references users on delete cascade, provider text not null, provider_id text not null,
    identity_data jsonb not null default '{}', last_sign_in_at timestamptz,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now(), unique (provider, provider_id))`,
  'create index identities_user on identities (user_id)',
  `create table sessions (
    id uuid primary key, user_id uuid not null references users on delete cascade, counter integer not null default 0,
    aal text not null default 'aal1', amr jsonb not null default '[]', factor_id uuid, user_agent text not null default '', ip text not null default '',
    created_at timestamptz not null default now(), refreshed_at timestamptz not null default now(), revoked_at timestamptz)`,
  'create index sessions_user on sessions (user_id, created_at desc)',
  'create index sessions_revoked on sessions (revoked_at) where revoked_at is not null',
  `create table factors (
    id uuid primary key, user_id uuid not null references users on delete cascade, friendly_name text not null default '', factor_type text not null,
    status text not null default 'unverified', sealed_secret text not null, last_step bigint not null default 0, last_challenged_at timestamptz,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now())`,
  `create unique index factors_name on factors (user_id, friendly_name) where friendly_name <> ''`,
  'create index factors_user on factors (user_id)',
  `create table factor_challenges (
    id uuid primary key, factor_id uuid not null references factors on delete cascade, ip text not null, expires_at timestamptz not null,
    used_at timestamptz, attempts integer not null default 0)`,
  `create table recovery_codes (
    user_id uuid not null references users on delete cascade, code_hash text not null, used_at timestamptz,
    created_at timestamptz not null default now(), primary key (user_id, code_hash))`,
  `create table flows (
    id uuid primary key, kind text not null, method text not null, provider text, user_id uuid references users on delete cascade,
    link_user_id uuid references users on delete cascade, redirect_to text not null, code_challenge text, code_challenge_method text, code_hash text unique,
    sealed_verifier text, browser_hash text, sealed_provider_tokens text, expires_at timestamptz not null, used_at timestamptz, created_at timestamptz not null default now())`,
  `create table one_time_tokens (
    id uuid primary key, user_id uuid not null references users on delete cascade, type text not null, relates_to text not null,
    token_hash text not null unique, code_hash text not null, attempts integer not null default 0, flow_id uuid references flows on delete set null,
    expires_at timestamptz not null, created_at timestamptz not null default now(), unique (user_id, type))`,
  'create index one_time_tokens_address on one_time_tokens (relates_to)',
  `create table signing_keys (kid text primary key, alg text not null, public_jwk jsonb not null, sealed_private text not null, created_at timestamptz not null default now())`,
  `create table user_roles (user_id uuid primary key references users on delete cascade, role text not null check (role in ('seller', 'buyer')), created_at timestamptz not null default now())`,
  `create table sign_up_records (user_id uuid primary key references users on delete cascade, record jsonb not null, created_at timestamptz not null default now())`,
  `create table audit_log (
    id uuid primary key, user_id uuid, action text not null, actor text not null, ip text not null default '', user_agent text not null default '',
    detail jsonb not null default '{}', at timestamptz not null default now())`,
  'create index audit_log_user on audit_log (user_id, id desc)',
]
