import type { Input, Output } from '@operon/contracts/contract'
import { COUNTED_PEOPLE } from '@operon/contracts/crm/email/counted'
import type { listSequences as listContract, showSequence as showContract } from '@operon/contracts/crm/email/sequences'
import { type Ctx, signedIn } from '@operon/kit/context'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CrmDb } from '../../schema.ts'
import { isReady, readSequence, type SequenceRow, stepsOf } from './rows.ts'
import { triggerOf } from './sequences.ts'

/** No more rows are read than are counted. */
const people = (where: RawBuilder<SqlBool>) =>
  sql<number>`(select count(*)::int from (select from email_sequence_people p where ${where} limit ${COUNTED_PEOPLE}) counted)`

const sequenceOf = (row: SequenceRow) => ({
  topic_id: row.topic_id,
  ...{ sequence_id: row.id, name: row.name, state: row.state, reason: row.reason, trigger: triggerOf(row) },
  problem:
    row.state !== 'running' || row.problem === null
      ? null
      : { text: row.problem, step_id: row.problem_step, since: row.problem_at!.toISOString() },
  created_at: row.created_at.toISOString(),
})

export async function showSequence(ctx: Ctx<CrmDb>, { sequence_id }: Input<typeof showContract>): Promise<Output<typeof showContract>> {
  const { id: userId } = signedIn(ctx)
  const row = await readSequence(ctx.db, userId, sequence_id)
  const steps = await stepsOf(ctx.db, userId, sequence_id)
  const { rows: counts } = await sql<{ id: string; waiting: number; left: number }>`
    select c.id, ${people(sql`p.step_id = c.id and p.state in ('waiting', 'sending')`)} as waiting,
      ${people(sql`p.step_id = c.id and p.state = 'left'`)} as left
    from email_campaigns c where c.sequence_id = ${sequence_id} and c.user_id = ${userId} and c.step is not null`.execute(ctx.db)
  const of = (state: RawBuilder<SqlBool>) => people(sql`p.sequence_id = ${sequence_id} and ${state}`)
  const { rows: all } = await sql<Output<typeof showContract>['people']>`
    select ${of(sql`p.state in ('waiting', 'sending')`)} as in_it, ${of(sql`p.state = 'done'`)} as done, ${of(sql`p.state = 'left'`)} as left`.execute(
    ctx.db,
  )
  return {
    sequence: { ...sequenceOf(row), sender_id: row.sender_id, ends_on: row.ends_on, version: row.version },
    steps: steps.map((step) => {
      const { waiting = 0, left = 0 } = counts.find(({ id }) => id === step.id) ?? {}
      return {
        ...{ step_id: step.id, subject: step.subject, wait_minutes: step.wait_minutes, ready: isReady(step), waiting, left },
        ...{ sent: step.sent_count, opened: step.opened_count, clicked: step.clicked_count },
      }
    }),
    people: all[0]!,
  }
}

export async function listSequences(ctx: Ctx<CrmDb>): Promise<Output<typeof listContract>> {
  const { rows } = await sql<SequenceRow & Record<'steps' | 'in_it' | 'sent' | 'opened' | 'clicked', number>>`
    select q.*, f.*, ${people(sql`p.sequence_id = q.id and p.state in ('waiting', 'sending')`)} as in_it
    from email_sequences q cross join lateral (
      select (count(*) filter (where c.step is not null))::int as steps, coalesce(sum(c.sent_count), 0)::int as sent,
        coalesce(sum(c.opened_count), 0)::int as opened, coalesce(sum(c.clicked_count), 0)::int as clicked
      from email_campaigns c where c.sequence_id = q.id) f
    where q.user_id = ${signedIn(ctx).id} order by q.id desc`.execute(ctx.db)
  return {
    sequences: rows.map((row) => {
      const { steps, in_it, sent, opened, clicked } = row
      return { ...sequenceOf(row), steps, in_it, sent, opened, clicked }
    }),
  }
}
