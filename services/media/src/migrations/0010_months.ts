import { type Kysely, sql } from 'kysely'

/**
 * How many finished pictures an account has, by the month they were ordered in: added up as rows change, by a trigger, so that an instance of
 * the version before counts too. Rows from before carry no mark until they are counted, in pieces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table picture_months (
      user_id uuid not null, month date not null, shown integer not null default 0, saved integer not null default 0, primary key (user_id, month)
    )`.execute(db)
  await sql`alter table pictures add column counted boolean not null default false`.execute(db)
  await sql`alter table pictures alter column counted set default true`.execute(db)
  // A picture that leaves only changes a month that is there: an erased account gets none again.
  await sql`
    create function count_picture() returns trigger language plpgsql as
    $$ begin
      if tg_op <> 'INSERT' and old.counted and old.state = 'done' and old.deleted_at is null then
        update picture_months set shown = shown - 1, saved = saved - old.saved::int
        where user_id = old.user_id and month = date_trunc('month', old.created_at at time zone 'UTC')::date;
      end if;
      if tg_op = 'DELETE' then return old; end if;
      if new.state = 'done' and new.deleted_at is null then
        insert into picture_months as m (user_id, month, shown, saved)
        values (new.user_id, date_trunc('month', new.created_at at time zone 'UTC')::date, 1, new.saved::int)
        on conflict (user_id, month) do update set shown = m.shown + 1, saved = m.saved + excluded.saved;
      end if;
      new.counted := true;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger count_picture before insert or delete or update of state, saved, deleted_at, counted on pictures
    for each row execute function count_picture()`.execute(db)
}

const PIECE = 2_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Marking a row has the trigger count it. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  const { rows: known } = await sql`select from pg_attribute where attrelid = 'pictures'::regclass and attname = 'counted'`.execute(db)
  if (!known.length) return
  for (let after: string | undefined = FIRST; after; ) {
    const { rows }: { rows: { id: string }[] } = await sql<{ id: string }>`
      with piece as (select id from pictures where id > ${after} order by id limit ${PIECE}),
      marked as (update pictures p set counted = true from piece where p.id = piece.id and not p.counted)
      select id from piece order by id desc limit 1`.execute(db)
    after = rows[0]?.id
  }
}
