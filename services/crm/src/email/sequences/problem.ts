import { sequenceFailing } from '@operon/contracts/crm/email/events'
import { now } from '@operon/kit/clock'
import { publish } from '@operon/kit/tx'
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'
import type { CampaignRow } from '../campaigns.ts'

/** A server that says "later" once or twice says so to everybody it does not know yet. */
const TRIES = 3
type Email = Pick<CampaignRow, 'id' | 'user_id' | 'sequence_id' | 'step'>

/** Why the emails of a running sequence do not go out, for its owner to see. They are told when it begins. */
export async function noteProblem(trx: Trx, of: { id: string; userId: string; step: string | null }, problem: string): Promise<void> {
  const { rows } = await sql<{ name: string; is_new: boolean }>`
    update email_sequences set problem = ${problem}, problem_step = ${of.step},
      problem_at = case when problem is null then now() else problem_at end
    where id = ${of.id} and user_id = ${of.userId} and state = 'running' returning name, old.problem is null as is_new`.execute(trx)
  const at = new Date(now()).toISOString()
  for (const { name, is_new } of rows) if (is_new) await publish(trx, sequenceFailing, of.userId, { sequence_id: of.id, name, problem, at })
}

export const noProblem = sql`problem = null, problem_step = null, problem_at = null`
export const endProblem = (trx: Trx, id: string, where: RawBuilder<unknown>) =>
  sql`update email_sequences set ${noProblem} where id = ${id} and problem is not null and ${where}`.execute(trx)

/** Keeps or ends a problem by the outcome of one batch. An address that does not exist is a matter of its contact alone. */
export async function noteOutcome(
  trx: Trx,
  { id, user_id, sequence_id, step }: Email,
  all: { id: string; state: string; hard?: boolean }[],
): Promise<void> {
  if (!sequence_id) return
  const ids = all.filter(({ hard }) => !hard).map((each) => each.id)
  const { rows } = await sql<{ state: string; reason: string | null; attempts: number }>`
    select state, reason, attempts from email_recipients where id = any(${ids}::uuid[]) order by attempts desc`.execute(trx)
  if (rows.some(({ state }) => state === 'sent')) {
    await endProblem(trx, sequence_id, sql`problem_step = ${id}`)
    return
  }
  const email = step ? `Email ${step}` : 'An email'
  const note = (problem: string) => noteProblem(trx, { id: sequence_id, userId: user_id, step: id }, problem)
  const failed = rows.find(({ state }) => state === 'failed')
  if (failed)
    return note(
      `${email} was not sent: ${sentence(failed.reason)} The people it was for left the sequence. Check the email and its sender. If you add them again, they continue with the next email.`,
    )
  const stuck = rows.find(({ state, attempts, reason }) => state === 'waiting' && attempts >= TRIES && reason)
  if (stuck)
    await note(`${email} is not going out: ${sentence(stuck.reason)} It is tried again automatically. If this continues, check the sender.`)
}

const sentence = (words: string | null) => `${(words ?? 'The provider refused it').trim().replace(/\.$/, '')}.`
