import { type Kysely, sql } from 'kysely'

/**
 * How many contacts an account has, kept by triggers, so that an instance of the version before counts too. An account's row comes with its
 * first change, by counting once; who changes at the same time adds to that row, since what they changed could not be seen yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table contact_counts (user_id uuid primary key, contacts integer not null, with_email integer not null)`.execute(db)
  await sql`
    create function count_contacts(of_user uuid, more integer, more_with_email integer) returns void language plpgsql as
    $$ begin
      update contact_counts set contacts = contacts + more, with_email = with_email + more_with_email where user_id = of_user;
      if not found then
        insert into contact_counts as c (user_id, contacts, with_email)
        select of_user, count(*), count(email) from leads where user_id = of_user
        on conflict (user_id) do update set contacts = c.contacts + more, with_email = c.with_email + more_with_email;
      end if;
    end $$`.execute(db)
  // Rows of several accounts in order, since two that meet the same accounts in different orders would wait for each other.
  for (const [what, sign] of [
    ['insert', ''],
    ['delete', '-'],
  ] as const) {
    const changed = `contacts_counted_at_${what}`
    await sql`
      create function ${sql.raw(changed)}() returns trigger language plpgsql as
      $$ begin
        perform count_contacts(user_id, ${sql.raw(sign)}contacts, ${sql.raw(sign)}with_email) from (
          select user_id, count(*)::integer as contacts, count(email)::integer as with_email from changed group by user_id order by user_id) sums;
        return null;
      end $$`.execute(db)
    await sql`
      create trigger ${sql.raw(changed)} after ${sql.raw(what)} on leads referencing ${sql.raw(what === 'insert' ? 'new' : 'old')} table as changed
      for each statement execute function ${sql.raw(changed)}()`.execute(db)
  }
  await sql`
    create function contacts_counted_at_update() returns trigger language plpgsql as
    $$ begin
      perform count_contacts(new.user_id, 0, case when old.email is null then 1 else -1 end);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger contacts_counted_at_update after update of email on leads for each row
    when ((old.email is null) <> (new.email is null)) execute function contacts_counted_at_update()`.execute(db)
}

const PIECE = 200

/** Accounts from before, some at a time: one that has a row is counted. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with recursive users(user_id, n) as (
        (select user_id, 1 from leads where user_id > ${after}::uuid order by user_id limit 1)
        union all
        select (select l.user_id from leads l where l.user_id > u.user_id order by l.user_id limit 1), n + 1 from users u
        where u.user_id is not null and n < ${PIECE}
      ), counted as (
        insert into contact_counts (user_id, contacts, with_email)
        select l.user_id, count(*), count(l.email) from users u join leads l using (user_id) group by l.user_id order by l.user_id
        on conflict (user_id) do nothing
      ) select max(user_id::text) as last from users`.execute(db)
    after = rows[0]?.last ?? undefined
  }
}
