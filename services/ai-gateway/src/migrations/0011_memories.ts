import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table ai_memories (id uuid primary key, user_id uuid not null, content text not null, created_at timestamptz not null default now(), updated_at timestamptz not null default now())`.execute(
    db,
  )
  await sql`create index ai_memories_by_id on ai_memories (user_id, id)`.execute(db)
  // A row: this person wants nothing kept in mind.
  await sql`create table ai_memory_off (user_id uuid primary key)`.execute(db)
}
