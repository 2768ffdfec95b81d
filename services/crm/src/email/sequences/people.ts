import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/sequences'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../../schema.ts'
import { placeIn } from '../campaigns.ts'
import { address, reachable } from '../segments.ts'
import { LEFT_TOPIC, stillIn } from '../topics.ts'
import { unhad } from './advance.ts'
import { takeOut } from './ends.ts'
import { enterByHand } from './enter.ts'
import { lockSequence, readSequence, stepsOf } from './rows.ts'

type Call = Ctx<CrmDb>
const REMOVED = 'Removed by you'

export async function previewSequenceEntry(
  ctx: Call,
  { sequence_id, contact_ids }: Input<typeof contract.previewSequenceEntry>,
): Promise<Output<typeof contract.previewSequenceEntry>> {
  const { id: userId } = signedIn(ctx)
  const { name, state, topic_id } = await readSequence(ctx.db, userId, sequence_id)
  const { rows } = await sql<{ reason: string | null; people: number }>`
    select case when p.state in ('waiting', 'sending') then 'Already in it' when p.state = 'done' then 'Got all of its emails'
        when leads.email is null or leads.email not like '%@%' then 'No email address'
        when c.state <> 'given' then 'Unsubscribed, bounced or stopped' when not ${reachable} then 'Has not agreed to get emails'
        when not ${stillIn(sql`${topic_id}::uuid`, address)} then ${LEFT_TOPIC}
        when n.id is null then 'No email left for them' end as reason, count(*)::int as people
    from leads left join email_sequence_people p on p.sequence_id = ${sequence_id} and p.contact_id = leads.id
      left join consents c on c.user_id = leads.user_id and c.channel = 'email' and c.address = lower(trim(leads.email))
      left join lateral (${unhad(sql`${sequence_id}::uuid`, sql`lower(trim(leads.email))`)} order by s.step limit 1) n on true
    where leads.user_id = ${userId} and leads.id = any(${contact_ids}::uuid[]) group by 1 order by 2 desc`.execute(ctx.db)
  const [first] = await stepsOf(ctx.db, userId, sequence_id)
  const at = state === 'running' && first ? new Date(Date.now() + first.wait_minutes * 60_000).toISOString() : null
  return {
    ...{ name, enters: rows.find(({ reason }) => reason === null)?.people ?? 0 },
    left_out: rows.flatMap(({ reason, people }) => (reason === null ? [] : [{ reason, people }])),
    first: first ? { subject: first.subject, at } : null,
  }
}

export async function addToSequence(
  ctx: Call,
  { sequence_id, contact_ids }: Input<typeof contract.addToSequence>,
): Promise<Output<typeof contract.addToSequence>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await lockSequence(trx, userId, sequence_id)
    if ((await stepsOf(trx, userId, sequence_id)).length === 0) throw new DomainError('sequence_incomplete')
    const added = await enterByHand(trx, userId, sequence_id, contact_ids)
    return { added, left_out: new Set(contact_ids).size - added }
  })
}

export async function removeFromSequence(
  ctx: Call,
  { sequence_id, contact_ids }: Input<typeof contract.removeFromSequence>,
): Promise<Output<typeof contract.removeFromSequence>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await lockSequence(trx, userId, sequence_id)
    return { removed_ids: await takeOut(trx, userId, sequence_id, contact_ids, REMOVED) }
  })
}

/** Their wait went on meanwhile. Of an email that had gone out, the one after it comes next. */
export async function returnToSequence(
  ctx: Call,
  { sequence_id, removed_ids }: Input<typeof contract.returnToSequence>,
): Promise<Output<typeof contract.returnToSequence>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    await lockSequence(trx, userId, sequence_id)
    const { rows } = await sql`
      update email_sequence_people set state = 'waiting', reason = null
      where sequence_id = ${sequence_id} and user_id = ${userId} and contact_id = any(${removed_ids}::uuid[]) and state = 'left' and reason = ${REMOVED}
      returning id`.execute(trx)
    await sql`
      update email_sequences set due_at = (select min(next_at) from email_sequence_people where sequence_id = ${sequence_id} and state = 'waiting')
      where id = ${sequence_id} and user_id = ${userId}`.execute(trx)
    return { returned: rows.length }
  })
}

export async function listSequencePeople(
  ctx: Call,
  { sequence_id, state, limit, cursor }: Input<typeof contract.listSequencePeople>,
): Promise<Output<typeof contract.listSequencePeople>> {
  const { id: userId } = signedIn(ctx)
  await readSequence(ctx.db, userId, sequence_id)
  const place = placeIn(cursor)
  const rows = await ctx.db
    .selectFrom('email_sequence_people as p')
    .leftJoin('leads', (join) => join.onRef('leads.id', '=', 'p.contact_id').onRef('leads.user_id', '=', 'p.user_id'))
    .select(['p.id', 'p.contact_id', 'leads.name', 'leads.email', 'p.state', 'p.step_id', 'p.next_at', 'p.reason', 'p.entered_at'])
    .where('p.sequence_id', '=', sequence_id)
    .where('p.user_id', '=', userId)
    .$if(state !== undefined, (of) => of.where('p.state', '=', state!))
    .$if(place !== null, (of) => of.where('p.id', '<', place!))
    .orderBy('p.id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  return {
    people: shown.map(({ id, next_at, entered_at, ...row }) => ({
      ...row,
      next_at: row.state === 'waiting' ? next_at.toISOString() : null,
      entered_at: entered_at.toISOString(),
    })),
    cursor: rows.length > limit ? shown.at(-1)!.id : null,
  }
}
