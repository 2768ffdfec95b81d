import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<any>) {
  await sql`
    create table erasures (
      user_id uuid not null, service text not null, asked_at timestamptz not null default now(), last_asked_at timestamptz not null default now(),
      due_at timestamptz not null, erased_at timestamptz, report jsonb, primary key (user_id, service)
    )`.execute(db)
  await sql`create index erasures_open on erasures (due_at) where erased_at is null`.execute(db)
}
