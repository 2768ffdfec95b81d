import { type Kysely, sql } from 'kysely'

/** When an action was begun, so that one whose process died does not run for ever. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table ai_actions add column begun_at timestamptz`.execute(db)
}

export const indexes = {
  ai_actions_running: "on ai_actions (begun_at) where state = 'running'",
}
