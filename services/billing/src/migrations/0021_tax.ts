import { type Kysely, sql } from 'kysely'

/** Tax that was collected and given back, by where it is owed. Together it is what the books call `sales_tax_payable`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sales add column tax_country text, add column tax_state text, add column buyer_tax_id text,
      add column reverse_charge boolean not null default false`.execute(db)
  await sql`
    create table tax_lines (
      reference text primary key, charge text, country text not null, state text, currency char(3) not null, taxable_cents bigint not null,
      tax_cents bigint not null, reverse_charge boolean not null, at timestamptz not null
    )`.execute(db)
  await sql`create index tax_lines_of_charge on tax_lines (charge) where charge is not null`.execute(db)
  await sql`create index tax_lines_by_time on tax_lines (at)`.execute(db)
}
