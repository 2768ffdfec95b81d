import { type Kysely, sql } from 'kysely'

/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index ai_conversations_by_id on ai_conversations (user_id, id)`.execute(db)
  await sql`create index ai_comparisons_by_id on ai_comparisons (user_id, id)`.execute(db)
  await sql`create index ai_prompts_by_id on ai_prompts (user_id, id)`.execute(db)
  await sql`create index ai_actions_by_id on ai_actions (user_id, id)`.execute(db)
  await sql`create index ai_usage_by_id on ai_usage (user_id, id)`.execute(db)
}
