import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'

export type Moved = { id: string; state: string; reason: string | null }

/** The emails of a sequence that an address has not had, in their order. One that was skipped was never sent. */
export const unhad = (sequenceId: RawBuilder<unknown>, email: RawBuilder<unknown>) => sql`
  select s.id, s.wait_minutes, s.step, s.subject from email_campaigns s where s.sequence_id = ${sequenceId} and s.step is not null
    and not exists (select from email_recipients had where had.campaign_id = s.id and had.email = ${email} and had.state <> 'skipped')`

/**
 * The way from one email to the next, in the transaction that settles the one: each person moves once, since the recipient is theirs until
 * then. An email whose answer was lost is not sent again, and the next one follows it. Nobody goes back to an email before.
 */
export async function advance(
  trx: Trx,
  campaign: { id: string; sequence_id: string | null; step: number | null },
  all: Moved[],
): Promise<void> {
  const { sequence_id, step } = campaign
  const moved = all.filter(({ state }) => state !== 'waiting')
  if (moved.length === 0) return
  await sql`
    with moved as (
      select m.id, m.left_early, m.reason, r.email from unnest(${moved.map(({ id }) => id)}::uuid[],
        ${moved.map(({ state }) => state === 'failed' || state === 'skipped')}::boolean[], ${moved.map(({ reason }) => reason)}::text[]) as m (id, left_early, reason)
      join email_recipients r on r.id = m.id
    ), next as (
      select moved.*, n.id as step_id, n.wait_minutes from moved
      left join lateral (${unhad(sql`${sequence_id}::uuid`, sql`moved.email`)} and s.step > ${step ?? -1} order by s.step limit 1) n on true
    ), after as (
      update email_sequence_people p set recipient_id = null, reason = case when n.left_early then n.reason end,
        state = case when n.left_early then 'left' when n.step_id is null then 'done' else 'waiting' end,
        step_id = case when n.left_early then p.step_id else coalesce(n.step_id, p.step_id) end,
        next_at = case when n.left_early or n.step_id is null then p.next_at else now() + n.wait_minutes * interval '1 minute' end
      from next n where p.recipient_id = n.id and p.state = 'sending' returning p.state, p.next_at
    )
    update email_sequences set due_at = least(due_at, (select min(next_at) from after where state = 'waiting'))
    where id = ${sequence_id} and exists (select from after where state = 'waiting')`.execute(trx)
}
