import { type Kysely, sql } from 'kysely'

const PIECE = 1_000

/** Results of the four former kinds of action stay readable beside their answers. The former table goes with the next release. */
export async function fill(db: Kysely<unknown>): Promise<void> {
  let after: string | undefined = '00000000-0000-0000-0000-000000000000'
  while (after) after = await copyPiece(db, after)
}

async function copyPiece(db: Kysely<unknown>, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with piece as (select * from ai_actions where id > ${after} order by id limit ${PIECE}),
    copied as (
      insert into ai_approvals (id, user_id, message_id, title, steps, hash, state, origin, prompts, created_at, expires_at, ended_at)
      select id, user_id, message_id, title, jsonb_build_array(jsonb_build_object(
        'action', case kind when 'generate_content' then 'write-content' when 'suggest_names' then 'suggest-names' when 'search' then 'search-web' else 'open-page' end,
        'title', title, 'effect', case kind when 'navigate' then 'reads' else 'spends' end, 'unit', case kind when 'navigate' then null else 'prompts' end,
        'does', description, 'input', input, 'preview', null, 'state', 'done', 'reply', jsonb_build_object('result', result), 'error', null, 'undo_until', null
      )), '', 'done', 'assistant', prompts, created_at, now() + interval '1 day', created_at
      from piece where state = 'done' and message_id is not null
      on conflict do nothing
    )
    select id from piece order by id desc limit 1`.execute(db)
  return rows[0]?.id
}
