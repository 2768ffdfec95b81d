import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`create extension if not exists btree_gist`.execute(db)
  await sql`
    create table hosts (
      user_id uuid primary key, slug text, slug_version integer not null default 0, name text not null default '',
      name_version integer not null default 0
    )`.execute(db)
  await sql`
    create table schedules (
      user_id uuid primary key, zone text not null, hours jsonb not null, exceptions jsonb not null default '[]',
      version integer not null default 1
    )`.execute(db)
  await sql`
    create table event_types (
      id uuid primary key, user_id uuid not null, slug text not null, title text not null, description text not null default '',
      minutes integer not null check (minutes between 5 and 720), step_minutes integer not null check (step_minutes between 5 and 720),
      before_minutes integer not null default 0 check (before_minutes between 0 and 240),
      after_minutes integer not null default 0 check (after_minutes between 0 and 240),
      notice_minutes integer not null default 240 check (notice_minutes between 0 and 43200),
      days_ahead integer not null default 60 check (days_ahead between 1 and 365),
      remind_minutes integer not null default 1440 check (remind_minutes between 0 and 10080),
      place_kind text not null default 'phone' check (place_kind in ('phone', 'link', 'address')), place text not null default '',
      questions jsonb not null default '[]', needs_approval boolean not null default false, active boolean not null default true,
      version integer not null default 1, created_at timestamptz not null default now(), unique (user_id, slug)
    )`.execute(db)
  await sql`
    create table bookings (
      id uuid primary key, user_id uuid not null, event_type_id uuid references event_types (id) on delete set null, title text not null,
      starts_at timestamptz not null, ends_at timestamptz not null, during tstzrange not null,
      state text not null check (state in ('pending', 'confirmed', 'declined', 'cancelled', 'no_show')), blocks boolean not null default true,
      guest_name text, guest_email text, guest_phone text, guest_zone text, answers jsonb not null default '[]', place text not null default '',
      notes text not null default '', reason text not null default '', version integer not null default 1, remind_at timestamptz,
      created_at timestamptz not null default now(), check (ends_at > starts_at),
      constraint bookings_apart exclude using gist (user_id with =, during with &&) where (blocks and state in ('pending', 'confirmed', 'no_show'))
    )`.execute(db)
  // Not unique: an address that one person left and another took may be told of in either order.
  await sql`create index hosts_by_slug on hosts (slug)`.execute(db)
  await sql`create index bookings_by_start on bookings (user_id, starts_at)`.execute(db)
  await sql`create index bookings_by_id on bookings (user_id, id)`.execute(db)
  await sql`create index event_types_by_id on event_types (user_id, id)`.execute(db)
  await sql`create index bookings_of_type on bookings (event_type_id) where event_type_id is not null`.execute(db)
  await sql`create index bookings_to_remind on bookings (remind_at) where remind_at is not null`.execute(db)
  // Appointments from before had no end. They show for half an hour and block nothing, so that two at one time do no harm here.
  await sql`
    insert into bookings (id, user_id, title, starts_at, ends_at, during, state, blocks, created_at)
    select id, user_id, title, starts_at, starts_at + interval '30 minutes', tstzrange(starts_at, starts_at + interval '30 minutes'),
      case when status in ('pending', 'confirmed', 'cancelled') then status else 'confirmed' end, false, created_at
    from appointments`.execute(db)
}
