import { type Kysely, sql } from 'kysely'

/**
 * Changes of a seller's money by the month in which they happened, with the entries between which that month's are: kept by a trigger, so that
 * an instance of the version before counts too. Who posts holds the lock on the seller's balance. Entries of transactions that began
 * before this one are added up afterwards, in pieces; the ledger is append-only, so nothing can be marked in it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table seller_months (
      seller_id uuid not null, currency char(3) not null, month date not null, cents bigint not null, first_entry uuid not null, last_entry uuid not null,
      primary key (seller_id, month, currency)
    )`.execute(db)
  await sql`create table seller_months_fill (before xid8 not null, after uuid not null)`.execute(db)
  await sql`
    insert into seller_months_fill values (pg_current_xact_id(), '00000000-0000-0000-0000-000000000000')`.execute(db)
  await sql`
    create function add_to_seller_month() returns trigger language plpgsql as
    $$ begin
      insert into seller_months as m (seller_id, currency, month, cents, first_entry, last_entry)
      select split_part(new.account, ':', 2)::uuid, new.currency, date_trunc('month', e.occurred_at at time zone 'UTC')::date, 0 - new.amount_cents, e.id, e.id
      from ledger_entries e where e.id = new.entry_id and e.transaction >= (select before from seller_months_fill)
      on conflict (seller_id, month, currency) do update set cents = m.cents + excluded.cents,
        first_entry = least(m.first_entry, excluded.first_entry), last_entry = greatest(m.last_entry, excluded.last_entry);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger add_to_month after insert on ledger_postings for each row
    when (new.account like 'seller\\_%' and new.account not like 'seller\\_connected:%') execute function add_to_seller_month()`.execute(db)
}

const PIECE = 2_000

export async function fill(db: Kysely<unknown>): Promise<void> {
  const { rows: known } = await sql<{ known: boolean }>`select to_regclass('seller_months_fill') is not null as known`.execute(db)
  if (!known[0]!.known) return
  while (await isEarlierRunning(db)) await new Promise((done) => setTimeout(done, 100))
  while (await addPiece(db)) {}
}

/** Rows that the trigger leaves to the fill may still be written until these have ended. */
async function isEarlierRunning(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ running: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) < before as running from seller_months_fill`.execute(db)
  return rows[0]?.running === true
}

/** How far it is stands in the same statement as the sums, so that one which is cut off counts nothing twice. */
async function addPiece(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ after: string }>`
    with piece as (
      select e.id, e.occurred_at from ledger_entries e, seller_months_fill f where e.id > f.after and e.transaction < f.before order by e.id limit ${PIECE}
    ), added as (
      insert into seller_months as m (seller_id, currency, month, cents, first_entry, last_entry)
      select split_part(p.account, ':', 2)::uuid, p.currency, date_trunc('month', e.occurred_at at time zone 'UTC')::date, 0 - sum(p.amount_cents),
        min(e.id::text)::uuid, max(e.id::text)::uuid
      from piece e join ledger_postings p on p.entry_id = e.id
      where p.account like 'seller\\_%' and p.account not like 'seller\\_connected:%' group by 1, 2, 3 order by 1, 3, 2
      on conflict (seller_id, month, currency) do update set cents = m.cents + excluded.cents,
        first_entry = least(m.first_entry, excluded.first_entry), last_entry = greatest(m.last_entry, excluded.last_entry)
    )
    update seller_months_fill set after = last.id from (select id from piece order by id desc limit 1) last returning after`.execute(db)
  return rows.length > 0
}
