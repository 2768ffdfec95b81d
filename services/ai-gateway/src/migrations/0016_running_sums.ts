import { type Kysely, sql } from 'kysely'

/**
 * Use of an account by day, and its writing by month, added up as rows come: by triggers, so that an instance of the version before
 * counts too. Rows from before carry no mark until they are counted, in pieces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ai_usage_days (
      user_id uuid not null, day date not null, model text not null, feature text not null, answers bigint not null, prompt_tokens bigint not null,
      completion_tokens bigint not null, cost_microusd bigint not null, duration_ms bigint not null, primary key (user_id, day, model, feature)
    )`.execute(db)
  await sql`
    create table ai_written (
      user_id uuid not null, month date not null, pieces bigint not null, words bigint not null, finished bigint not null, primary key (user_id, month)
    )`.execute(db)
  await sql`
    create function add_to_ai_usage_days() returns trigger language plpgsql as
    $$ begin
      ${sql.raw(addUsage('these'))};
      return null;
    end $$`.execute(db)
  await sql`
    create function count_written() returns trigger language plpgsql as
    $$ begin
      if exists (select from ai_conversations where id = new.conversation_id and feature = 'content') then
        ${sql.raw(addWritten('(select new.user_id, new.created_at, new.content, new.state) as piece'))};
        new.summed := true;
      end if;
      return new;
    end $$`.execute(db)
  // Quick: the rows that are there are not written again.
  await sql`alter table ai_usage add column summed boolean not null default false`.execute(db)
  await sql`alter table ai_usage alter column summed set default true`.execute(db)
  await sql`alter table ai_messages add column summed boolean`.execute(db)
  await sql`
    create trigger add_to_days after insert on ai_usage referencing new table as these
    for each statement execute function add_to_ai_usage_days()`.execute(db)
  await sql`create trigger count_written before insert on ai_messages for each row when (${sql.raw(written('new'))}) execute function count_written()`.execute(
    db,
  )
  await sql`
    create trigger count_finished before update of state on ai_messages for each row
    when (old.state = 'streaming' and ${sql.raw(written('new'))}) execute function count_written()`.execute(db)
}

const written = (row: string) => `${row}.role = 'assistant' and ${row}.state in ('complete', 'cut', 'stopped') and ${row}.content <> ''`

/** Rows are added in order, since two that meet the same sums in different orders would wait for each other. */
const addUsage = (rows: string) => `
  insert into ai_usage_days as d (user_id, day, model, feature, answers, prompt_tokens, completion_tokens, cost_microusd, duration_ms)
  select user_id, (created_at at time zone 'UTC')::date, model, feature, count(*) filter (where status <> 'failed'),
    sum(prompt_tokens), sum(completion_tokens), sum(cost_microusd), sum(duration_ms)
  from ${rows} group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (user_id, day, model, feature) do update set answers = d.answers + excluded.answers,
    prompt_tokens = d.prompt_tokens + excluded.prompt_tokens, completion_tokens = d.completion_tokens + excluded.completion_tokens,
    cost_microusd = d.cost_microusd + excluded.cost_microusd, duration_ms = d.duration_ms + excluded.duration_ms`

const addWritten = (rows: string) => `
  insert into ai_written as w (user_id, month, pieces, words, finished)
  select user_id, date_trunc('month', created_at at time zone 'UTC')::date, count(*),
    sum(cardinality(regexp_split_to_array(btrim(content), '\\s+'))), count(*) filter (where state = 'complete')
  from ${rows} group by 1, 2 order by 1, 2
  on conflict (user_id, month) do update set pieces = w.pieces + excluded.pieces, words = w.words + excluded.words, finished = w.finished + excluded.finished`

const PIECE = 2_000
const FIRST = '00000000-0000-0000-0000-000000000000'

export async function fill(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_attribute where attrelid = 'ai_usage'::regclass and attname = 'summed'`.execute(db)
  if (!rows.length) return
  for (const count of [countUsage, countWritten]) {
    let after: string | undefined = FIRST
    while (after) after = await count(db, after)
  }
}

/** Marked and counted in one statement, so that one which is cut off or begins again counts nothing twice. */
async function countUsage(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with piece as (select id from ai_usage where id > ${after} order by id limit ${PIECE}),
    marked as (update ai_usage set summed = true from piece where ai_usage.id = piece.id and not summed returning ai_usage.*),
    added as (${sql.raw(addUsage('marked'))})
    select id from piece order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

async function countWritten(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with piece as (select id from ai_conversations where id > ${after} and feature = 'content' order by id limit ${PIECE / 10}),
    marked as (
      update ai_messages m set summed = true from piece
      where m.conversation_id = piece.id and m.summed is null and ${sql.raw(written('m'))} returning m.*),
    added as (${sql.raw(addWritten('marked'))})
    select id from piece order by id desc limit 1`.execute(db)
  return rows[0]?.id
}
