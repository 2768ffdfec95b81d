import { type Kysely, sql } from 'kysely'

/** Every entry from before is added up: from here on each posting counts, whatever the number of its transaction. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function add_to_seller_month() returns trigger language plpgsql as
    $$ begin
      insert into seller_months as m (seller_id, currency, month, cents, first_entry, last_entry)
      select split_part(new.account, ':', 2)::uuid, new.currency, date_trunc('month', e.occurred_at at time zone 'UTC')::date, 0 - new.amount_cents, e.id, e.id
      from ledger_entries e where e.id = new.entry_id
      on conflict (seller_id, month, currency) do update set cents = m.cents + excluded.cents,
        first_entry = least(m.first_entry, excluded.first_entry), last_entry = greatest(m.last_entry, excluded.last_entry);
      return null;
    end $$`.execute(db)
  await sql`drop table seller_months_fill`.execute(db)
}
