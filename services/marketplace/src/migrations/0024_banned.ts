import { type Kysely, sql } from 'kysely'

/** Products of an account that an operator keeps out are off sale until it may come back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table profiles add column banned_until timestamptz`.execute(db)
  await sql`
    create or replace function item_status_in_step() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        if new.is_active then new.status := 'active'; end if;
      elsif new.status = old.status and new.is_active <> old.is_active and new.suspended_at is not distinct from old.suspended_at then
        new.status := case when new.is_active then 'active' else 'draft' end;
      end if;
      new.is_active := new.status = 'active' and new.suspended_at is null
        and not exists (select from profiles p where p.user_id = new.user_id and (p.suspended_at is not null or p.banned_until > now()));
      return new;
    end $$`.execute(db)
}

export const indexes = {
  profiles_banned: 'on profiles (banned_until) where banned_until is not null',
}
