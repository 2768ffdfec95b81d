import { sequenceEnds } from '@operon/contracts/crm/email/sequences'
import type { ActivityKind } from '@operon/contracts/crm/heat'
import { sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'
import { lockSequence } from './rows.ts'

type End = (typeof sequenceEnds)[number]
const WHY: Record<End, string> = { reply: 'Answered an email', sale: 'Bought something', booking: 'Booked an appointment' }

/** An answer, a sale or a booking takes its contact out of the sequences that end with it. One from before they entered does not. */
export async function endSequences(trx: Trx, userId: string, { contactId, kind, at }: { contactId: string; kind: ActivityKind; at: Date }) {
  const end = sequenceEnds.find((each) => each === kind)
  if (!end) return
  const { rows } = await sql<{ id: string }>`
    select q.id from email_sequence_people p join email_sequences q on q.id = p.sequence_id
    where p.user_id = ${userId} and p.contact_id = ${contactId} and p.state in ('waiting', 'sending') and p.entered_at <= ${at}
      and q.ends_on @> array[${end}] order by q.id`.execute(trx)
  for (const { id } of rows) {
    await lockSequence(trx, userId, id)
    await takeOut(trx, userId, id, [contactId], WHY[end])
  }
}

/** Of a sequence that is locked. Of an email that is on its way only the row of the person goes on: it arrives, and nothing follows it. */
export async function takeOut(trx: Trx, userId: string, sequenceId: string, contacts: string[], reason: string): Promise<string[]> {
  const { rows } = await sql<{ contact_id: string }>`
    with gone as (
      update email_sequence_people p set state = 'left', reason = ${reason}, recipient_id = null
      where p.sequence_id = ${sequenceId} and p.user_id = ${userId} and p.contact_id = any(${contacts}::uuid[]) and p.state in ('waiting', 'sending')
      returning p.contact_id, old.recipient_id
    ), skipped as (
      update email_recipients r set state = 'skipped', reason = ${reason} from gone
      where r.id = gone.recipient_id and r.state = 'waiting' returning r.campaign_id
    ), counted as (
      update email_campaigns c set skipped_count = c.skipped_count + n.n
      from (select campaign_id, count(*)::int as n from skipped group by 1) n where c.id = n.campaign_id
    )
    select contact_id from gone`.execute(trx)
  return rows.map(({ contact_id }) => contact_id)
}
