import { type Kysely, sql } from 'kysely'

/** A connected API may be an MCP server, whose tools are kept in the place of operations. */
export async function up(db: Kysely<unknown>) {
  await sql`alter table custom_apis add column kind text not null default 'api'`.execute(db)
}
