import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'
import { address, reachable } from '../segments.ts'
import { stillIn } from '../topics.ts'
import { unhad } from './advance.ts'

/**
 * Puts contacts into sequences, each once: the unique index decides between callers at once. By hand, somebody who left comes back to the
 * first email they have not had. Returns how many have entered.
 */
async function enter(trx: Trx, userId: string, of: { which: RawBuilder<SqlBool>; contacts: string[]; byHand: boolean }): Promise<number> {
  if (of.contacts.length === 0) return 0
  const again = sql`do update set state = 'waiting', step_id = excluded.step_id, next_at = excluded.next_at, reason = null, recipient_id = null,
    entered_at = now() where p.state = 'left'`
  const { rows } = await sql<{ entered: number }>`
    with entered as (
      insert into email_sequence_people as p (id, user_id, sequence_id, contact_id, step_id, next_at)
      select uuidv7(), ${userId}, q.id, leads.id, n.id, now() + n.wait_minutes * interval '1 minute'
      from email_sequences q join leads on leads.user_id = q.user_id and leads.id = any(${of.contacts}::uuid[]) and ${reachable}
        and ${stillIn(sql`q.topic_id`, address)}
      cross join lateral (${unhad(sql`q.id`, sql`lower(trim(leads.email))`)} order by s.step limit 1) n
      where q.user_id = ${userId} and ${of.which} order by q.id, leads.id
      on conflict (sequence_id, contact_id) ${of.byHand ? again : sql`do nothing`} returning sequence_id, next_at
    ), soonest as (
      update email_sequences q set due_at = least(q.due_at, e.at)
      from (select sequence_id, min(next_at) as at from entered group by 1 order by 1) e where q.id = e.sequence_id
    )
    select count(*)::int as entered from entered`.execute(trx)
  return rows[0]!.entered
}

export const enterByHand = (trx: Trx, userId: string, sequenceId: string, contacts: string[]) =>
  enter(trx, userId, { which: sql`q.id = ${sequenceId}`, contacts, byHand: true })

/** A paused sequence takes people in too: they wait in it. */
export async function enterByTrigger(trx: Trx, userId: string, kind: 'form' | 'tag', of: string[], contacts: string[]): Promise<void> {
  if (of.length === 0) return
  const which = sql<SqlBool>`q.trigger_kind = ${kind} and q.trigger_of = any(${of}::text[]) and q.state <> 'draft'`
  await enter(trx, userId, { which, contacts, byHand: false })
}

/** Now that the owner of an address has agreed, the forms they sent before count. */
export async function enterByOptIn(trx: Trx, userId: string, email: string): Promise<void> {
  const { rows } = await sql<{ contact_id: string; form_id: string }>`
    select distinct s.contact_id, s.form_id::text from contact_emails e join lead_submissions s on s.user_id = e.user_id and s.contact_id = e.contact_id
    where e.user_id = ${userId} and e.email = ${email} and s.form_id is not null limit 50`.execute(trx)
  const forms = rows.map(({ form_id }) => form_id)
  await enterByTrigger(trx, userId, 'form', forms, [...new Set(rows.map(({ contact_id }) => contact_id))])
}

const WHY: Record<string, string> = { withdrawn: 'Unsubscribed', bounced: 'The address bounced', complained: 'Marked an email as spam' }
/** An address that gets no more emails leaves every sequence at once. */
export async function leaveSequences(db: Kysely<any>, userId: string, address: string, state: string): Promise<void> {
  await sql`
    update email_sequence_people set state = 'left', reason = ${WHY[state] ?? 'Stopped by you'}
    where user_id = ${userId} and state = 'waiting' and contact_id in (
      select contact_id from contact_emails where user_id = ${userId} and email = ${address})`.execute(db)
}
