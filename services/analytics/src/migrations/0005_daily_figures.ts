import { type Kysely, sql } from 'kysely'

/**
 * What the figures count, added up by day as the facts come: a trigger does it, so that an instance of the version before counts too.
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
  await sql`
    create function add_to_fact_days() returns trigger language plpgsql as
    $$ begin
      insert into fact_days (user_id, name, day, amount)
      select user_id, name, (at at time zone 'UTC')::date, sum(fact_amount(name, payload)) from fresh
      where user_id is not null and fact_amount(name, payload) is not null group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, name, day) do update set amount = fact_days.amount + excluded.amount;
      return null;
    end $$`.execute(db)
  await sql`lock table facts in share row exclusive mode`.execute(db)
  await sql`
    create trigger add_to_days after insert on facts referencing new table as fresh for each statement execute function add_to_fact_days()`.execute(
    db,
  )
  // What is no longer kept has no day any more.
  await sql`
    insert into fact_days (user_id, name, day, amount)
    select user_id, name, day, sum(amount) from (
      select user_id, name, (at at time zone 'UTC')::date as day, fact_amount(name, payload) as amount from facts
      where user_id is not null and fact_amount(name, payload) is not null
      union all
      select user_id, name, date '2000-01-01', amount from fact_sums
    ) as known group by user_id, name, day`.execute(db)
}
