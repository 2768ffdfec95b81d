import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'
import type { Engine } from '../engine.ts'
import { address, reachable } from '../segments.ts'
import { stillIn } from '../topics.ts'
import { unhad } from './advance.ts'
import { endProblem, noteProblem } from './problem.ts'
import { lockSequence, type SequenceRow } from './rows.ts'

const STUCK =
  'People could not be moved on to their next email. It is tried again every minute. If this continues, pause the sequence, resume it, and write to support.'
const PIECE = 200
/** So many wait for the engine at most: the rest of a sequence stays due, and a pause holds few. */
const FULL = 500

/** Puts people whose wait is over among the recipients of their next email. The engine sends it. */
export async function stepSequences({ rt: { db, log } }: Pick<Engine, 'rt'>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { rows } = await sql<{ id: string; user_id: string }>`
      select id, user_id from email_sequences where state = 'running' and due_at <= now() order by due_at limit 1`.execute(db)
    const due = rows[0]
    if (!due) return
    await inTransaction(db, (trx: Trx) => stepSequence(trx, due.user_id, due.id)).catch(async (err: unknown) => {
      log.error({ err, sequence: due.id }, 'the people of a sequence could not be moved, will try again in a minute')
      await sql`update email_sequences set due_at = now() + interval '1 minute' where id = ${due.id}`.execute(db)
      await inTransaction(db, (trx: Trx) => noteProblem(trx, { id: due.id, userId: due.user_id, step: null }, STUCK))
    })
  }
}

type Due = { id: string; contact_id: string; step_id: string; email: string | null; name: string; is_here: boolean; is_reachable: boolean }

async function stepSequence(trx: Trx, userId: string, id: string): Promise<void> {
  const sequence = await lockSequence(trx, userId, id)
  if (sequence.state !== 'running') return
  const { rows: full } = await sql<{ n: number }>`
    select count(*)::int as n from (select from email_recipients r join email_campaigns c on c.id = r.campaign_id
      where c.sequence_id = ${id} and r.state = 'waiting' limit ${FULL}) held`.execute(trx)
  const room = Math.min(PIECE, FULL - full[0]!.n)
  if (room <= 0) {
    await sql`update email_sequences set due_at = now() + interval '30 seconds' where id = ${id}`.execute(trx)
    return
  }
  const { rows: due } = await sql<Due>`
    select p.id, p.contact_id, p.step_id, lower(trim(leads.email)) as email, leads.name, leads.id is not null as is_here, coalesce(${reachable} and ${stillIn(sql`${sequence.topic_id}::uuid`, address)}, false) as is_reachable
    from email_sequence_people p left join leads on leads.id = p.contact_id and leads.user_id = p.user_id
    where p.sequence_id = ${id} and p.state = 'waiting' and p.next_at <= now() order by p.next_at, p.id limit ${room} for update of p`.execute(
    trx,
  )
  const gone = due.filter(({ is_here, is_reachable }) => !is_here || !is_reachable)
  await leave(trx, gone)
  const going = due.filter((each) => !gone.includes(each))
  if (going.length) await send(trx, sequence, going)
  await endProblem(trx, id, sql`problem_step is null`)
  await sql`
    update email_sequences set due_at = (
      select min(next_at) from email_sequence_people where sequence_id = ${id} and state = 'waiting') where id = ${id}`.execute(trx)
}

const leave = (trx: Trx, gone: Due[]) =>
  sql`
    update email_sequence_people p set state = 'left', reason = g.reason
    from unnest(${gone.map(({ id }) => id)}::uuid[],
      ${gone.map(({ is_here }) => (is_here ? 'May not be emailed any more' : 'The contact was deleted or merged'))}::text[]) as g (id, reason)
    where p.id = g.id`.execute(trx)

/** An address is a recipient of an email once: the unique index holds, whatever became of its contacts. */
async function send(trx: Trx, { id, user_id }: SequenceRow, going: Due[]): Promise<void> {
  const { rows: put } = await sql<{ person: string }>`
    with going as (
      select distinct on (step_id, email) * from unnest(${going.map(({ id }) => id)}::uuid[], ${going.map(({ step_id }) => step_id)}::uuid[],
        ${going.map(({ contact_id }) => contact_id)}::uuid[], ${going.map(({ email }) => email)}::text[], ${going.map(({ name }) => name)}::text[])
        as g (person, step_id, contact_id, email, name)
      where step_id in (select c.id from email_campaigns c where c.sequence_id = ${id} and c.step is not null) order by step_id, email, person
    ), put as (
      insert into email_recipients as r (id, campaign_id, user_id, contact_id, email, name, variant, due_at)
      select uuidv7(), step_id, ${user_id}, contact_id, email, name, 'a', now() from going
      on conflict (campaign_id, email) do update set state = 'waiting', reason = null, lease_until = null, due_at = now(), contact_id = excluded.contact_id
        where r.state = 'skipped'
      returning r.id, r.campaign_id, r.email, r.xmax::text <> '0' as was_skipped
    ), moved as (
      update email_sequence_people p set state = 'sending', recipient_id = put.id
      from going g join put on put.campaign_id = g.step_id and put.email = g.email where p.id = g.person returning p.id
    ), counted as (
      update email_campaigns c set recipients = c.recipients + n.added, skipped_count = c.skipped_count - n.back, status = 'sending', next_at = now(),
        started_at = coalesce(c.started_at, now()), finished_at = null
      from (select campaign_id, (count(*) filter (where not was_skipped))::int as added, (count(*) filter (where was_skipped))::int as back from put group by 1) n
      where c.id = n.campaign_id
    )
    select id as person from moved`.execute(trx)
  const done = new Set(put.map(({ person }) => person))
  const had = going.filter(({ id }) => !done.has(id))
  // Another contact with their address has had it, or it was removed: they go on to the next one.
  await sql`
    with next as (
      select h.person, n.id, n.wait_minutes from unnest(${had.map(({ id }) => id)}::uuid[], ${had.map(({ email }) => email)}::text[]) as h (person, email)
      left join lateral (${unhad(sql`${id}::uuid`, sql`h.email`)} order by s.step limit 1) n on true
    )
    update email_sequence_people p set state = case when n.id is null then 'done' else 'waiting' end, step_id = coalesce(n.id, p.step_id),
      next_at = now() + coalesce(n.wait_minutes, 0) * interval '1 minute'
    from next n where p.id = n.person`.execute(trx)
}
