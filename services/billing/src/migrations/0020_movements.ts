import { type Kysely, sql } from 'kysely'

/** The provider's movements of our balance, each held against its entries once; and what staff are told of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table provider_movements (
      id text primary key, source text not null, type text not null, currency char(3) not null, net_cents bigint not null,
      fee_cents bigint not null, moved_at timestamptz not null, matched boolean not null default false
    )`.execute(db)
  await sql`create index provider_movements_source on provider_movements (source)`.execute(db)
  await sql`create index provider_movements_open on provider_movements (source, currency) where not matched`.execute(db)
  await sql`
    create table staff_matters (
      id uuid primary key, matter text not null, subject text not null, title text not null, body text not null,
      opened_at timestamptz not null default now(), told_at timestamptz, closed_at timestamptz
    )`.execute(db)
  await sql`create unique index staff_matters_open on staff_matters (matter, subject) where closed_at is null`.execute(db)
  await sql`create index staff_matters_newest on staff_matters (opened_at desc) where closed_at is null`.execute(db)
}
