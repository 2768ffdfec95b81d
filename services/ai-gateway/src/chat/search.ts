import type { searchConversations as contract } from '@operon/contracts/ai-gateway/api'
import type { Input, Output } from '@operon/contracts/contract'
import { type Ctx, signedIn } from '@operon/kit/context'
import { sql } from 'kysely'
import type { AiDb } from '../schema.ts'

const MOST = 30
/** Messages, and titles, that are looked through newest first before the index of all is asked: a word that stands in everything must not read everything. */
const MOST_MESSAGES = 200
const LATELY = 1_000

/** The account's newest conversations that have all of these words. */
export async function searchConversations(ctx: Ctx<AiDb>, { query, features }: Input<typeof contract>): Promise<Output<typeof contract>> {
  const asked = wordsOf(query)
  if (!asked) return { found: [] }
  const userId = signedIn(ctx).id
  const words = sql`to_tsquery('simple', ${asked})`
  // The index holds whose title it is, so that a word in everybody's titles costs no more than the account's own.
  const mine = sql`${`'${userId}'`}::tsquery`
  const among = features ? sql`and conversation.feature = any(${features})` : sql``
  const { rows } = await sql<Output<typeof contract>['found'][number]>`
    with said_lately as (
      select id, conversation_id from (select * from ai_messages where user_id = ${userId} order by id desc limit ${MOST_MESSAGES}) message
      where state <> 'streaming' and to_tsvector('simple', left(content, 20000)) @@ ${words}
    ), said as (
      select * from said_lately union all
      (select id, conversation_id from ai_messages
        where (select count(*) from said_lately) < ${MOST_MESSAGES / 2} and user_id = ${userId} and state <> 'streaming'
          and to_tsvector('simple', left(content, 20000)) @@ ${words}
        order by id desc limit ${MOST_MESSAGES})
    ), lately as (
      select id from (select * from ai_conversations where user_id = ${userId} order by updated_at desc limit ${LATELY}) conversation
      where to_tsvector('simple', title) @@ ${words} ${among} limit ${MOST}
    ), named as (
      select id from lately union all
      (select id from ai_conversations conversation
        where (select count(*) from lately) < ${MOST} and user_id = ${userId}
          and array_to_tsvector(array[user_id::text]) || to_tsvector('simple', title) @@ (${mine} && ${words}) ${among}
        order by updated_at desc limit ${MOST})
    ), found as (
      select distinct on (conversation_id) conversation_id, message_id from (
        select conversation_id, id as message_id from said union all select id, null from named
      ) each order by conversation_id, message_id desc nulls last
    ), newest as (
      select conversation.id as conversation_id, title, feature, updated_at, message_id
      from found join ai_conversations conversation on conversation.id = found.conversation_id
      where conversation.user_id = ${userId} ${among} order by updated_at desc limit ${MOST}
    )
    select newest.*, case when message.id is null then null else ts_headline('simple', left(message.content, 20000), ${words},
      'MaxFragments=1, MaxWords=22, MinWords=8, StartSel="", StopSel=""') end as excerpt
    from newest left join ai_messages message on message.id = newest.message_id and message.user_id = ${userId}
    order by newest.updated_at desc`.execute(ctx.db)
  return { found: rows.map((row) => ({ ...row, updated_at: new Date(row.updated_at).toISOString() })) }
}

/** Each word as it is written, the last one also as the beginning of a longer one. */
export function wordsOf(query: string): string | null {
  const words = query.split(/[\s\0]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.length === 0) return null
  return words
    .slice(0, 8)
    .map((word) => `'${word.replaceAll('\\', ' ').replaceAll("'", "''")}'`)
    .join(' & ')
    .concat(':*')
}
