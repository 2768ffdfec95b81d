import { type Kysely, sql } from 'kysely'

/** Each email of a sequence is a row of `email_campaigns` that no list of campaigns shows. */
export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    create table email_sequences (
      id uuid primary key, user_id uuid not null, name text not null,
      state text not null default 'draft' check (state in ('draft', 'running', 'paused')), reason text, sender_id uuid,
      trigger_kind text not null default 'hand' check (trigger_kind in ('hand', 'form', 'tag')), trigger_of text,
      due_at timestamptz, version integer not null default 1, created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index email_sequences_by_id on email_sequences (user_id, id)`.execute(db)
  await sql`create index email_sequences_due on email_sequences (due_at) where state = 'running' and due_at is not null`.execute(db)
  await sql`
    create table email_sequence_people (
      id uuid primary key, user_id uuid not null, sequence_id uuid not null references email_sequences (id) on delete cascade,
      contact_id uuid not null, step_id uuid not null, recipient_id uuid,
      state text not null default 'waiting' check (state in ('waiting', 'sending', 'done', 'left')), reason text,
      next_at timestamptz not null, entered_at timestamptz not null default now(), unique (sequence_id, contact_id)
    )`.execute(db)
  await sql`create index email_sequence_people_by_id on email_sequence_people (user_id, id)`.execute(db)
  await sql`create index email_sequence_people_of_contact on email_sequence_people (user_id, contact_id)`.execute(db)
  await sql`create index email_sequence_people_due on email_sequence_people (sequence_id, next_at, id) where state = 'waiting'`.execute(db)
  await sql`create index email_sequence_people_in_order on email_sequence_people (sequence_id, id)`.execute(db)
  await sql`create index email_sequence_people_in_state on email_sequence_people (sequence_id, state, id)`.execute(db)
  await sql`create index email_sequence_people_at on email_sequence_people (step_id, state)`.execute(db)
  await sql`create unique index email_sequence_people_sending on email_sequence_people (recipient_id) where recipient_id is not null`.execute(
    db,
  )
  await sql`
    alter table email_campaigns add column sequence_id uuid references email_sequences (id) on delete cascade,
      add column step smallint, add column wait_minutes integer not null default 0`.execute(db)
}

export const indexes = { email_campaigns_of_sequence: 'on email_campaigns (sequence_id, step) where sequence_id is not null' }
