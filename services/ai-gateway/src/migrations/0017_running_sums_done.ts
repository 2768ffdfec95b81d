import { type Kysely, sql } from 'kysely'

/** Every row is counted: nothing needs to tell them apart any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function count_written() returns trigger language plpgsql as
    $$ begin
      if exists (select from ai_conversations where id = new.conversation_id and feature = 'content') then
        insert into ai_written as w (user_id, month, pieces, words, finished)
        values (new.user_id, date_trunc('month', new.created_at at time zone 'UTC')::date, 1,
          cardinality(regexp_split_to_array(btrim(new.content), '\\s+')), (new.state = 'complete')::int)
        on conflict (user_id, month) do update set pieces = w.pieces + 1, words = w.words + excluded.words, finished = w.finished + excluded.finished;
      end if;
      return new;
    end $$`.execute(db)
  await sql`alter table ai_usage drop column if exists summed`.execute(db)
  await sql`alter table ai_messages drop column if exists summed`.execute(db)
}
