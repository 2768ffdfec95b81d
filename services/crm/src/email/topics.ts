import type { Input, Output } from '@operon/contracts/contract'
import * as contract from '@operon/contracts/crm/email/topics'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Trx } from '../contacts/assert.ts'
import type { CrmDb } from '../schema.ts'

type Call = Ctx<CrmDb>

/** Holds for whoever has not left this topic, and where there is none. */
export const stillIn = (topicId: RawBuilder<unknown>, email: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (select from email_topic_leavers o where o.topic_id = ${topicId} and o.email = ${email})`

export const LEFT_TOPIC = 'Left its topic'

export async function listEmailTopics(ctx: Call): Promise<Output<typeof contract.listEmailTopics>> {
  const { rows } = await sql<Output<typeof contract.listEmailTopics>['topics'][number]>`
    select id as topic_id, title, description, (
      select count(*)::int from (select from email_topic_leavers o where o.topic_id = t.id limit ${contract.COUNTED_LEAVERS}) counted) as left
    from email_topics t where user_id = ${signedIn(ctx).id} order by id`.execute(ctx.db)
  return { topics: rows }
}

export async function saveEmailTopic(
  ctx: Call,
  { topic_id, title, description }: Input<typeof contract.saveEmailTopic>,
): Promise<Output<typeof contract.saveEmailTopic>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    if (topic_id) {
      const changed = await trx
        .updateTable('email_topics')
        .set({ title, description })
        .where('id', '=', topic_id)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst()
        .catch(asTaken)
      if (!changed) throw new DomainError('not_found')
      return { topic_id }
    }
    // One at a time for a person, so that the count holds.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`topics ${userId}`}, 0))`.execute(trx)
    const kept = await trx.selectFrom('email_topics').select('id').where('user_id', '=', userId).limit(contract.MOST_TOPICS).execute()
    if (kept.length >= contract.MOST_TOPICS) throw new DomainError('topics_full')
    const id = newId()
    await trx.insertInto('email_topics').values({ id, user_id: userId, title, description }).execute().catch(asTaken)
    return { topic_id: id }
  })
}
const asTaken = (error: { code?: string }) => {
  throw error.code === '23505' ? new DomainError('topic_exists') : error
}

/** Not while emails go out under it: whoever left it would get them after all. */
export async function deleteEmailTopic(
  ctx: Call,
  { topic_id }: Input<typeof contract.deleteEmailTopic>,
): Promise<Output<typeof contract.deleteEmailTopic>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await refuseUnlessTopic(trx as unknown as Trx, userId, topic_id)
    const { rows: used } = await sql`
      select from email_campaigns where user_id = ${userId} and topic_id = ${topic_id} and status in ('scheduled', 'sending', 'paused')
      union all select from email_sequences where user_id = ${userId} and topic_id = ${topic_id} and state <> 'draft' limit 1`.execute(trx)
    if (used.length) throw new DomainError('topic_in_use')
    await sql`update email_campaigns set topic_id = null where user_id = ${userId} and topic_id = ${topic_id}`.execute(trx)
    await sql`update email_sequences set topic_id = null where user_id = ${userId} and topic_id = ${topic_id}`.execute(trx)
    await trx.deleteFrom('email_topics').where('id', '=', topic_id).where('user_id', '=', userId).execute()
    return { deleted: true }
  })
}

/** Locked, so that it is not deleted while something is given it. */
export async function refuseUnlessTopic(trx: Trx, userId: string, topicId: string | null | undefined): Promise<void> {
  if (!topicId) return
  const { rows } = await sql`select from email_topics where id = ${topicId} and user_id = ${userId} for share`.execute(trx)
  if (!rows.length) throw new DomainError('not_found')
}

export type ReadersTopic = { id: string; title: string; description: string; left: boolean }
/** The topics of an account as one reader has them. */
export async function topicsOf(db: Kysely<any>, userId: string, email: string): Promise<ReadersTopic[]> {
  const { rows } = await sql<ReadersTopic>`
    select t.id, t.title, t.description, o.id is not null as left from email_topics t
      left join email_topic_leavers o on o.topic_id = t.id and o.email = ${email}
    where t.user_id = ${userId} order by t.id`.execute(db)
  return rows
}

/** The sequences of a topic are left at once. What waits in a campaign is looked at again before it goes out. */
export async function leaveTopics(trx: Trx, userId: string, email: string, topicIds: string[]): Promise<void> {
  await sql`
    insert into email_topic_leavers (id, user_id, topic_id, email)
    select uuidv7(), ${userId}, id, ${email} from email_topics where user_id = ${userId} and id = any(${topicIds}::uuid[])
    on conflict (topic_id, email) do nothing`.execute(trx)
  await sql`
    update email_sequence_people p set state = 'left', reason = ${LEFT_TOPIC} from email_sequences q
    where q.id = p.sequence_id and q.topic_id = any(${topicIds}::uuid[]) and p.user_id = ${userId} and p.state = 'waiting' and p.contact_id in (
      select contact_id from contact_emails where user_id = ${userId} and email = ${email})`.execute(trx)
}

/** The owner of the address has agreed to all emails again. */
export async function rejoinTopics(trx: Trx, userId: string, email: string): Promise<void> {
  await trx.deleteFrom('email_topic_leavers').where('user_id', '=', userId).where('email', '=', email).execute()
}
