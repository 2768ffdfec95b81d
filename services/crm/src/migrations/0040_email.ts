import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>) {
  await sql`
    alter table email_campaigns
      add column subject text not null default '',
      add column document jsonb not null
        default '{"version":1,"preview":"","theme":{"accent":"#456a00","font":"sans","frame":"panel"},"blocks":[]}', add column sender_id uuid, add column segment_id uuid,
      add column segment jsonb not null default '{"match":"all","conditions":[]}', add column ab jsonb,
      add column winner text check (winner in ('a', 'b')), add column decide_at timestamptz, add column scheduled_at timestamptz,
      add column reader_hour smallint, add column reason text, add column recipients integer not null default 0,
      add column unknown_count integer not null default 0, add column failed_count integer not null default 0,
      add column skipped_count integer not null default 0, add column delivered_count integer not null default 0,
      add column opened_count integer not null default 0, add column machine_count integer not null default 0,
      add column clicked_count integer not null default 0, add column bounced_count integer not null default 0,
      add column complained_count integer not null default 0, add column unsubscribed_count integer not null default 0,
      add column complaints_seen integer not null default 0, add column reservation_id uuid, add column started_at timestamptz,
      add column finished_at timestamptz, add column served_at timestamptz not null default 'epoch',
      add column next_at timestamptz not null default now(), add column version integer not null default 1`.execute(db)
  await sql`
    create table email_recipients (
      id uuid primary key, campaign_id uuid not null references email_campaigns (id) on delete cascade, user_id uuid not null, contact_id uuid,
      email text not null, name text not null default '', variant text check (variant in ('a', 'b')),
      state text not null default 'waiting' check (state in ('waiting', 'sending', 'sent', 'unknown', 'failed', 'skipped')),
      due_at timestamptz not null default now(), lease_until timestamptz, attempts smallint not null default 0, provider_id text, reason text,
      look_at timestamptz, looks smallint not null default 0, sent_at timestamptz, delivered_at timestamptz, opened_at timestamptz,
      machine_opened_at timestamptz, clicked_at timestamptz, bounced_at timestamptz, soft_bounced_at timestamptz, complained_at timestamptz,
      unsubscribed_at timestamptz, replied_at timestamptz, unique (campaign_id, email)
    )`.execute(db)
  await sql`create index email_recipients_due on email_recipients (campaign_id, due_at, id) where state = 'waiting' and variant is not null`.execute(
    db,
  )
  await sql`create index email_recipients_leased on email_recipients (lease_until) where state = 'sending'`.execute(db)
  await sql`create index email_recipients_to_look_for on email_recipients (look_at) where state = 'unknown' and look_at is not null`.execute(
    db,
  )
  await sql`create index email_recipients_in_state on email_recipients (campaign_id, state, id)`.execute(db)
  await sql`create index email_recipients_in_order on email_recipients (campaign_id, id)`.execute(db)
  await sql`create index email_recipients_of_contact on email_recipients (campaign_id, contact_id)`.execute(db)
  await sql`create index email_recipients_by_id on email_recipients (user_id, id)`.execute(db)
  await sql`create index email_recipients_soft on email_recipients (user_id, email) where soft_bounced_at is not null`.execute(db)
  for (const what of ['opened', 'clicked', 'bounced', 'unsubscribed'])
    await sql`create index ${sql.raw(`email_recipients_${what}`)} on email_recipients (campaign_id, id) where ${sql.raw(`${what}_at`)} is not null`.execute(
      db,
    )
  await sql`
    create table email_segments (
      id uuid primary key, user_id uuid not null, name text not null, tree jsonb not null, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table email_senders (
      id uuid primary key, user_id uuid not null, provider text not null check (provider in ('mailersend', 'smtp', 'sandbox')), name text not null,
      email text not null, reply_to text, domain text not null, connection_id uuid, smtp_host text, smtp_port integer, smtp_secure boolean,
      smtp_user text, smtp_password text, dkim_selector text, dkim_public text, dkim_private text, webhook_secret text,
      checks jsonb not null default '{"spf":"unchecked","dkim":"unchecked","dmarc":"unchecked"}', checked_at timestamptz,
      is_default boolean not null default false, version integer not null default 1, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create unique index email_senders_default on email_senders (user_id) where is_default`.execute(db)
  await sql`
    create table email_events (
      id uuid primary key, user_id uuid not null, campaign_id uuid not null references email_campaigns (id) on delete cascade,
      recipient_id uuid not null, kind text not null, machine boolean not null default false, url text not null default '',
      at timestamptz not null default now()
    )`.execute(db)
  // A recipient has one row for each link, however often it is followed.
  await sql`create unique index email_events_once on email_events (recipient_id, kind, machine, md5(url))`.execute(db)
  await sql`create index email_events_of on email_events (campaign_id, kind, at)`.execute(db)
  await sql`create table email_hints (id text primary key, at timestamptz not null default now())`.execute(db)
  await sql`create index email_hints_old on email_hints (at)`.execute(db)
  await sql`
    create table email_opt_ins (
      id uuid primary key, user_id uuid not null, email text not null, asked_at timestamptz not null default now(), confirmed_at timestamptz,
      unique (user_id, email)
    )`.execute(db)
  await sql`
    create table email_messages (
      id uuid primary key, user_id uuid not null, email text not null, subject text not null, state text not null, key text,
      created_at timestamptz not null default now(), unique (user_id, key)
    )`.execute(db)
  for (const table of ['email_segments', 'email_senders', 'email_events', 'email_opt_ins', 'email_messages'])
    await sql`create index ${sql.raw(`${table}_by_id`)} on ${sql.table(table)} (user_id, id)`.execute(db)
}

export const indexes = {
  email_campaigns_at_work: "on email_campaigns (served_at) where status = 'sending'",
  email_campaigns_at_work_of: "on email_campaigns (user_id) where status = 'sending'",
  email_campaigns_to_decide: "on email_campaigns (decide_at) where status = 'sending' and decide_at is not null",
  email_campaigns_scheduled: "on email_campaigns (scheduled_at) where status = 'scheduled'",
  consents_suppressed: "on consents (user_id, id) where channel = 'email' and state <> 'given'",
}
