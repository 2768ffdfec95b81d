import type { Input, Output } from '@operon/contracts/contract'
import type * as contract from '@operon/contracts/crm/email/sequences'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { CrmDb } from '../../schema.ts'
import { type Senders, senderFor } from '../senders.ts'
import { noProblem } from './problem.ts'
import { lockSequence, readSequence } from './rows.ts'
import { demandReady } from './sequences.ts'

type Call = Ctx<CrmDb>

/** People who were added to a draft wait from its start on. Someone who resumes has seen the complaints up to then. */
export async function startSequence(
  ctx: Call,
  { sequence_id }: Input<typeof contract.startSequence>,
  senders: Senders,
): Promise<Output<typeof contract.startSequence>> {
  const { id: userId } = signedIn(ctx)
  const { sender_id } = await readSequence(ctx.db, userId, sequence_id)
  const sender = await senderFor(ctx.db, senders, userId, sender_id)
  return inTransaction(ctx.db, async (trx) => {
    const { state } = await lockSequence(trx, userId, sequence_id)
    if (state === 'running') throw new DomainError('sequence_state')
    await demandReady(trx, userId, sequence_id)
    if (state === 'draft')
      await sql`
        update email_sequence_people p set next_at = now() + c.wait_minutes * interval '1 minute' from email_campaigns c
        where p.sequence_id = ${sequence_id} and p.user_id = ${userId} and p.state = 'waiting' and c.id = p.step_id`.execute(trx)
    await sql`
      update email_campaigns set sender_id = ${sender.id}, complaints_seen = complained_count, next_at = now()
      where sequence_id = ${sequence_id} and user_id = ${userId}`.execute(trx)
    await sql`
      update email_sequences set state = 'running', reason = null, ${noProblem}, version = version + 1, due_at = (
        select min(next_at) from email_sequence_people where sequence_id = ${sequence_id} and state = 'waiting')
      where id = ${sequence_id} and user_id = ${userId}`.execute(trx)
    return { state: 'running' as const }
  })
}

/** The state of its row alone stops it: the engine looks at that before it claims. */
export async function pauseSequence(
  ctx: Call,
  { sequence_id }: Input<typeof contract.pauseSequence>,
): Promise<Output<typeof contract.pauseSequence>> {
  const { id: userId } = signedIn(ctx)
  const row = await ctx.db
    .updateTable('email_sequences')
    .set({ state: 'paused', reason: 'You paused it.', version: sql`version + 1` })
    .where('id', '=', sequence_id)
    .where('user_id', '=', userId)
    .where('state', '=', 'running')
    .returning('id')
    .executeTakeFirst()
  if (row) return { state: 'paused' }
  await readSequence(ctx.db, userId, sequence_id)
  throw new DomainError('sequence_state')
}
