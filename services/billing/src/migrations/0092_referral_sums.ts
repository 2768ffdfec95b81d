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
    create function sum_referral() returns trigger language plpgsql as
    $$ declare
      referrer uuid := case when tg_op = 'DELETE' then old.referrer_user_id else new.referrer_user_id end;
      more integer := case tg_op when 'INSERT' then 1 when 'DELETE' then -1 else 0 end;
      cents bigint := 0;
    begin
      if tg_op <> 'DELETE' then cents := referral_earned(new); end if;
      if tg_op <> 'INSERT' then cents := cents - referral_earned(old); end if;
      if more = 0 and cents = 0 then return null; end if;
      update referral_sums set sign_ups = sign_ups + more, credit_cents = credit_cents + cents where user_id = referrer;
      if not found then
        insert into referral_sums as s (user_id, sign_ups, credit_cents)
        select referrer, count(*), coalesce(sum(referral_earned(r)), 0) from referrals r where referrer_user_id = referrer
        on conflict (user_id) do update set sign_ups = s.sign_ups + more, credit_cents = s.credit_cents + cents;
      end if;
      return null;
    end $$`.execute(db)
  await sql`create trigger sum_referral after insert or update or delete on referrals for each row execute function sum_referral()`.execute(
    db,
  )
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
