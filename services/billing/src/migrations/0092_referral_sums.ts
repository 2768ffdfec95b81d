import { type Kysely, sql } from 'kysely'

/**
 * Whom a person sent and what that earned, kept by triggers, so that an instance of the version before counts too. A person's row comes with
 * their first change, by counting once; who changes at the same time adds to that row, since what they changed could not be seen yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table referral_sums (user_id uuid primary key, sign_ups integer not null, credit_cents bigint not null)`.execute(db)
  await sql`
    create function referral_earned(r referrals) returns bigint language sql immutable as
    $$ select case when r.state = 'credited' and r.paid_at is not null then coalesce(r.credit_cents, 0) else 0 end::bigint $$`.execute(db)
  await sql`
    create function sum_referrals(of_user uuid, more integer, cents bigint) returns void language plpgsql as
    $$ begin
      update referral_sums set sign_ups = sign_ups + more, credit_cents = credit_cents + cents where user_id = of_user;
      if not found then
        insert into referral_sums as s (user_id, sign_ups, credit_cents)
        select of_user, count(*), coalesce(sum(referral_earned(r)), 0) from referrals r where referrer_user_id = of_user
        on conflict (user_id) do update set sign_ups = s.sign_ups + more, credit_cents = s.credit_cents + cents;
      end if;
    end $$`.execute(db)
  // A statement's rows at once: its first row would count all of them, and the others add themselves again. People in order, since two
  // statements that meet the same people in different orders would wait for each other.
  for (const [what, changed] of [
    ['insert', 'select referrer_user_id as of_user, 1 as more, referral_earned(n) as cents from added n'],
    ['delete', 'select referrer_user_id as of_user, -1 as more, -referral_earned(o) as cents from gone o'],
    [
      'update',
      `select referrer_user_id as of_user, 0 as more, referral_earned(n) as cents from added n
       union all select referrer_user_id, 0, -referral_earned(o) from gone o`,
    ],
  ] as const) {
    const named = sql.raw(`referrals_summed_at_${what}`)
    await sql`
      create function ${named}() returns trigger language plpgsql as
      $$ begin
        perform sum_referrals(of_user, more, cents) from (
          select of_user, sum(more)::integer as more, sum(cents)::bigint as cents from (${sql.raw(changed)}) rows
          group by of_user having sum(more) <> 0 or sum(cents) <> 0 order by of_user) sums;
        return null;
      end $$`.execute(db)
    const rows = [what !== 'delete' && 'new table as added', what !== 'insert' && 'old table as gone'].filter(Boolean).join(' ')
    await sql`
      create trigger ${named} after ${sql.raw(what)} on referrals referencing ${sql.raw(rows)}
      for each statement execute function ${named}()`.execute(db)
  }
}

const PIECE = 200

/** People from before, some at a time: one who has a row is counted. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with recursive people(user_id, n) as (
        (select referrer_user_id, 1 from referrals where referrer_user_id > ${after}::uuid order by referrer_user_id limit 1)
        union all
        select (select r.referrer_user_id from referrals r where r.referrer_user_id > p.user_id order by r.referrer_user_id limit 1), n + 1
        from people p where p.user_id is not null and n < ${PIECE}
      ), counted as (
        insert into referral_sums (user_id, sign_ups, credit_cents)
        select p.user_id, count(*), coalesce(sum(referral_earned(r)), 0) from people p join referrals r on r.referrer_user_id = p.user_id
        group by p.user_id order by p.user_id on conflict (user_id) do nothing
      ) select max(user_id::text) as last from people`.execute(db)
    after = rows[0]?.last ?? undefined
  }
}
