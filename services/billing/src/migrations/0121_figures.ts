import { type Kysely, sql } from 'kysely'

/**
 * Which figure of the subscriptions counts an account, and how many each counts by plan and day: accounts queue as they change, by triggers, so that
 * an instance of the version before queues them too, and a sweep counts them anew. Each change is a row of its own, since one that two
 * transactions shared could be taken before the later one is seen.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table figures_unsummed (id bigint generated always as identity primary key, user_id uuid not null)`.execute(db)
  await sql`
    create table account_figures (
      user_id uuid not null, figure text not null, plan text not null, period text not null, day date not null, primary key (user_id, figure)
    )`.execute(db)
  await sql`create index account_figures_by_day on account_figures (figure, day desc, user_id desc)`.execute(db)
  await sql`
    create table figure_counts (
      figure text not null, plan text not null, period text not null, day date not null, accounts integer not null,
      primary key (figure, day, plan, period)
    )`.execute(db)
  await sql`create index figure_counts_empty on figure_counts (day) where accounts = 0`.execute(db)
  await sql`
    create function queue_for_figures() returns trigger language plpgsql as
    $$ begin insert into figures_unsummed (user_id) values (new.user_id); return null; end $$`.execute(db)
  for (const [table, when] of [
    ['subscriptions', 'after insert or update on subscriptions for each row'],
    [
      'accounts',
      `after update on accounts for each row when (old.trial_used_at is distinct from new.trial_used_at
      or old.provider_ahead_s <> new.provider_ahead_s)`,
    ],
    ['ledger_entries', "after insert on ledger_entries for each row when (new.kind = 'charge' and new.user_id is not null)"],
  ] as const)
    await sql`create trigger ${sql.raw(`${table}_queue_for_figures`)} ${sql.raw(when)} execute function queue_for_figures()`.execute(db)
}

const PIECE = 5_000

/** Accounts from before. One that queues twice is counted once. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after; ) {
    const { rows }: { rows: { user_id: string }[] } = await sql<{ user_id: string }>`
      with piece as (select user_id from subscriptions where user_id > ${after}::uuid order by user_id limit ${PIECE}),
      queued as (insert into figures_unsummed (user_id) select user_id from piece)
      select user_id from piece order by user_id desc limit 1`.execute(db)
    after = rows[0]?.user_id
  }
}
