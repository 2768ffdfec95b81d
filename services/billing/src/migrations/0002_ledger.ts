import { type Kysely, sql } from 'kysely'
import { chart } from '../ledger/chart.ts'

export async function up(db: Kysely<unknown>) {
  await sql`
    create table ledger_accounts (
      code text primary key, kind text not null check (kind in ('asset', 'liability', 'income', 'expense')), owner uuid,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table ledger_entries (
      id uuid primary key, reference text not null unique, kind text not null, user_id uuid, description text not null,
      occurred_at timestamptz not null, booked_at timestamptz not null default now(), transaction xid8 not null default pg_current_xact_id()
    )`.execute(db)
  await sql`create index ledger_entries_user on ledger_entries (user_id, occurred_at)`.execute(db)
  await sql`
    create table ledger_postings (
      entry_id uuid not null references ledger_entries, line smallint not null, account text not null references ledger_accounts,
      currency char(3) not null check (currency = lower(currency)), amount_cents bigint not null check (amount_cents <> 0), primary key (entry_id, line)
    )`.execute(db)
  await sql`create index ledger_postings_account on ledger_postings (account, currency)`.execute(db)
  // Debits are positive, credits negative; what an account holds is never stored, only added up.
  await sql`
    create view ledger_balances as
    select account, currency, sum(amount_cents)::bigint as amount_cents from ledger_postings group by account, currency`.execute(db)

  await sql`
    create function ledger_is_append_only() returns trigger language plpgsql as
    $$ begin raise exception 'the ledger is append-only: % on % is refused', tg_op, tg_table_name using errcode = 'integrity_constraint_violation'; end $$`.execute(
    db,
  )
  for (const table of ['ledger_accounts', 'ledger_entries', 'ledger_postings']) {
    await sql`create trigger no_change before update or delete on ${sql.table(table)} for each row execute function ledger_is_append_only()`.execute(
      db,
    )
    await sql`create trigger no_truncate before truncate on ${sql.table(table)} for each statement execute function ledger_is_append_only()`.execute(
      db,
    )
  }
  await sql`
    create function ledger_entry_is_open() returns trigger language plpgsql as
    $$ begin
      if (select transaction from ledger_entries where id = new.entry_id) is distinct from pg_current_xact_id() then
        raise exception 'ledger entry % is closed', new.entry_id using errcode = 'integrity_constraint_violation';
      end if;
      return new;
    end $$`.execute(db)
  await sql`create trigger only_with_its_entry before insert on ledger_postings for each row execute function ledger_entry_is_open()`.execute(
    db,
  )
  await sql`
    create function ledger_entry_balances() returns trigger language plpgsql as
    $$ begin
      if (select count(*) from ledger_postings where entry_id = new.id) < 2
        or exists (select from ledger_postings where entry_id = new.id group by currency having sum(amount_cents) <> 0) then
        raise exception 'ledger entry % does not balance', new.reference using errcode = 'integrity_constraint_violation';
      end if;
      return null;
    end $$`.execute(db)
  // At commit, when all its lines are there.
  await sql`
    create constraint trigger balances after insert on ledger_entries deferrable initially deferred
    for each row execute function ledger_entry_balances()`.execute(db)
  for (const [code, kind] of Object.entries(chart))
    await sql`insert into ledger_accounts (code, kind) values (${code}, ${kind})`.execute(db)
}
