import { type Kysely, sql } from 'kysely'

/**
 * The figures of the dashboard of all time, beside its days: added by the trigger that adds the days, so that an instance of the version before
 * counts too. A sum comes with the first change, by counting the days once; changes at the same time are added to that row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table fact_all_time (user_id uuid not null, name text not null, amount bigint not null, primary key (user_id, name))`.execute(
    db,
  )
  await sql`
    create function add_to_all_time(of_user uuid, of_name text, more bigint) returns void language plpgsql as
    $$ begin
      update fact_all_time set amount = amount + more where user_id = of_user and name = of_name;
      if not found then
        insert into fact_all_time as a (user_id, name, amount)
        select of_user, of_name, coalesce(sum(amount), 0) from fact_days where user_id = of_user and name = of_name
        on conflict (user_id, name) do update set amount = a.amount + more;
      end if;
    end $$`.execute(db)
  await sql`
    create or replace function add_to_fact_days() returns trigger language plpgsql as
    $$ begin
      insert into fact_days (user_id, name, day, amount)
      select user_id, name, (at at time zone 'UTC')::date, sum(fact_amount(name, payload)) from these
      where user_id is not null and fact_amount(name, payload) is not null group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, name, day) do update set amount = fact_days.amount + excluded.amount;
      perform add_to_all_time(user_id, name, more) from (
        select user_id, name, sum(fact_amount(name, payload))::bigint as more from these
        where user_id is not null and fact_amount(name, payload) is not null group by 1, 2 order by 1, 2) sums;
      return null;
    end $$`.execute(db)
}

const PIECE = 500

/** People from before, some at a time: a sum that is there is whole. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with recursive people(user_id, n) as (
        (select user_id, 1 from fact_days where user_id > ${after}::uuid order by user_id limit 1)
        union all
        select (select d.user_id from fact_days d where d.user_id > p.user_id order by d.user_id limit 1), n + 1
        from people p where p.user_id is not null and n < ${PIECE}
      ), named as (select distinct d.user_id, d.name from people p join fact_days d using (user_id) order by 1, 2),
      counted as (select add_to_all_time(user_id, name, 0) from named)
      select max(user_id::text) as last, (select count(*) from counted) from people`.execute(db)
    after = rows[0]?.last ?? undefined
  }
}
