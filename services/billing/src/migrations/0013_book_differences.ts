import { type Kysely, sql } from 'kysely'

/** The result of the last comparison with the provider: where the books and it do not agree. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table book_differences (
      id uuid primary key, account text not null, subject text not null, currency char(3) not null, ours_cents bigint not null,
      theirs_cents bigint not null, rows jsonb not null, found_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index book_differences_order on book_differences (account, subject)`.execute(db)
}
