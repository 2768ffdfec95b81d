import { type Kysely, sql } from 'kysely'

/**
 * The figures, added up by day as facts arrive: a trigger does it, so that an instance of the version before counts too. Facts
 * from before are marked as not counted: they are counted in pieces, or as they leave.
 * Rows are added in order, since two batches that meet the same days in different orders would wait for each other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table fact_days (user_id uuid not null, name text not null, day date not null, amount bigint not null, primary key (user_id, name, day))`.execute(
    db,
  )
  await sql`create view fact_totals as select user_id, name, sum(amount)::bigint as amount from fact_days group by user_id, name`.execute(
    db,
  )
  await sql`
    create function fact_amount(name text, payload jsonb) returns bigint language sql immutable as
    $$ select case name when 'crm.campaign_sent' then (payload ->> 'sent')::bigint
      when 'crm.lead_created' then 1 when 'crm.appointment_booked' then 1 when 'crm.campaign_created' then 1 end $$`.execute(db)
  const add = (which: ReturnType<typeof sql>) => sql`
    returns trigger language plpgsql as
    $$ begin
      insert into fact_days (user_id, name, day, amount)
      select user_id, name, (at at time zone 'UTC')::date, sum(fact_amount(name, payload)) from these
      where user_id is not null and fact_amount(name, payload) is not null ${which} group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, name, day) do update set amount = fact_days.amount + excluded.amount;
      return null;
    end $$`
  await sql`create function add_to_fact_days() ${add(sql``)}`.execute(db)
  await sql`create function add_uncounted_to_fact_days() ${add(sql`and not counted`)}`.execute(db)
  // Both are quick: the rows that are there are not written again.
  await sql`alter table facts add column counted boolean not null default false`.execute(db)
  await sql`alter table facts alter column counted set default true`.execute(db)
  await sql`
    create trigger add_to_days after insert on facts referencing new table as these for each statement execute function add_to_fact_days()`.execute(
    db,
  )
  await sql`
    create trigger add_uncounted after delete on facts referencing old table as these
    for each statement execute function add_uncounted_to_fact_days()`.execute(db)
  // Deleted facts no longer count for any day.
  await sql`
    insert into fact_days (user_id, name, day, amount)
    select user_id, name, date '2000-01-01', amount from fact_sums`.execute(db)
}

const PIECE = 5_000

export async function fill(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_attribute where attrelid = 'facts'::regclass and attname = 'counted'`.execute(db)
  if (!rows.length) return
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after) after = await countPiece(db, after)
}

/** A fact is marked and counted in one statement, so one that is cut off or begins again counts none twice. */
async function countPiece(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ event_id: string }>`
    with piece as (select event_id from facts where event_id > ${after} order by event_id limit ${PIECE}),
    marked as (
      update facts set counted = true from piece where facts.event_id = piece.event_id
        and not counted and user_id is not null and fact_amount(name, payload) is not null
      returning user_id, name, at, payload
    ), added as (
      insert into fact_days (user_id, name, day, amount)
      select user_id, name, (at at time zone 'UTC')::date, sum(fact_amount(name, payload)) from marked group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, name, day) do update set amount = fact_days.amount + excluded.amount
    )
    select event_id from piece order by event_id desc limit 1`.execute(db)
  return rows[0]?.event_id
}
