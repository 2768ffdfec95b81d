import { type Kysely, sql } from 'kysely'

/** Every row is counted: nothing needs to tell them apart any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger count_picture on pictures`.execute(db)
  await sql`
    create or replace function count_picture() returns trigger language plpgsql as
    $$ begin
      if tg_op <> 'INSERT' and old.state = 'done' and old.deleted_at is null then
        update picture_months set shown = shown - 1, saved = saved - old.saved::int
        where user_id = old.user_id and month = date_trunc('month', old.created_at at time zone 'UTC')::date;
      end if;
      if tg_op = 'DELETE' then return old; end if;
      if new.state = 'done' and new.deleted_at is null then
        insert into picture_months as m (user_id, month, shown, saved)
        values (new.user_id, date_trunc('month', new.created_at at time zone 'UTC')::date, 1, new.saved::int)
        on conflict (user_id, month) do update set shown = m.shown + 1, saved = m.saved + excluded.saved;
      end if;
      return new;
    end $$`.execute(db)
  await sql`alter table pictures drop column counted`.execute(db)
  await sql`
    create trigger count_picture before insert or delete or update of state, saved, deleted_at on pictures
    for each row execute function count_picture()`.execute(db)
}
