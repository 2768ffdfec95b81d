import { type Kysely, sql } from 'kysely'

/** Invoices and credit notes. They are written down beside what they are about, and numbered afterwards, so that a series has no gaps. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table documents (
      id uuid primary key, kind text not null check (kind in ('invoice', 'credit_note')), year smallint not null, number integer,
      reference text not null unique, sale_id uuid references sales, user_id uuid, charge text not null, title text not null,
      currency char(3) not null, gross_cents bigint not null check (gross_cents > 0), tax_cents bigint not null check (tax_cents >= 0),
      country text, region text, buyer_tax_id text, reverse_charge boolean not null default false, at timestamptz not null,
      created_at timestamptz not null default now(), unique (kind, year, number)
    )`.execute(db)
  await sql`create index documents_unnumbered on documents (created_at, id) where number is null`.execute(db)
  await sql`create index documents_of_sale on documents (sale_id, at) where sale_id is not null`.execute(db)
  await sql`create index documents_of_person on documents (user_id, at desc) where user_id is not null`.execute(db)
  await sql`alter table sale_checkouts add column seller jsonb`.execute(db)
  await sql`alter table sales add column buyer_address text`.execute(db)
}
