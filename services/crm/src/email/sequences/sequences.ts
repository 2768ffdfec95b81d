import type { Input, Output } from '@operon/contracts/contract'
import { EmailDocument } from '@operon/contracts/crm/email/document'
import { documentOf } from '@operon/contracts/crm/email/render'
import * as contract from '@operon/contracts/crm/email/sequences'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Trx } from '../../contacts/assert.ts'
import type { CrmDb } from '../../schema.ts'
import { readTemplate } from '../templates.ts'
import { refuseUnlessTopic } from '../topics.ts'
import { lockSequence, type SequenceRow, stepsOf } from './rows.ts'

type Call = Ctx<CrmDb>
type Trigger = Output<typeof contract.listSequences>['sequences'][number]['trigger']
type Given = NonNullable<Input<typeof contract.updateSequence>['steps']>[number]

export async function createSequence(
  ctx: Call,
  { name, sender_id, topic_id, trigger, ends_on, steps }: Input<typeof contract.createSequence>,
): Promise<Output<typeof contract.createSequence>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const kept = await trx.selectFrom('email_sequences').select('id').where('user_id', '=', userId).limit(contract.MOST_SEQUENCES).execute()
    if (kept.length >= contract.MOST_SEQUENCES) throw new DomainError('sequences_full')
    await refuseUnlessMine(trx, userId, { sender_id, trigger })
    await refuseUnlessTopic(trx as Trx, userId, topic_id)
    const id = newId()
    await trx
      .insertInto('email_sequences')
      .values({
        ...{ id, user_id: userId, name, sender_id: sender_id ?? null, topic_id: topic_id ?? null, ends_on },
        ...triggerColumns(trigger),
      })
      .execute()
    await writeSteps(trx, { id, user_id: userId, name, sender_id: sender_id ?? null, state: 'draft' }, steps)
    return { sequence_id: id }
  })
}

async function refuseUnlessMine(
  trx: Trx,
  userId: string,
  { sender_id, trigger }: { sender_id?: string | null | undefined; trigger?: Trigger | undefined },
) {
  const isMine = async (table: 'email_senders' | 'lead_forms', id: string) =>
    trx.selectFrom(table).select('id').where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()
  if (sender_id && !(await isMine('email_senders', sender_id))) throw new DomainError('not_found')
  if (trigger?.kind === 'form' && !(await isMine('lead_forms', trigger.form_id))) throw new DomainError('not_found')
}

const triggerColumns = (trigger: Trigger) => ({
  trigger_kind: trigger.kind,
  trigger_of: trigger.kind === 'form' ? trigger.form_id : trigger.kind === 'tag' ? trigger.tag : null,
})
export const triggerOf = ({ trigger_kind: kind, trigger_of: of }: SequenceRow): Trigger =>
  kind === 'form' ? { kind, form_id: of! } : kind === 'tag' ? { kind, tag: of! } : { kind: 'hand' }

export async function updateSequence(
  ctx: Call,
  { sequence_id, version, name, sender_id, topic_id, trigger, ends_on, steps }: Input<typeof contract.updateSequence>,
): Promise<Output<typeof contract.updateSequence>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const before = await lockSequence(trx, userId, sequence_id)
    if (version !== undefined && version !== before.version) throw new DomainError('conflict')
    await refuseUnlessMine(trx, userId, { sender_id, trigger })
    await refuseUnlessTopic(trx as Trx, userId, topic_id)
    const row = await trx
      .updateTable('email_sequences')
      .set({
        ...{
          ...(name !== undefined && { name }),
          ...(sender_id !== undefined && { sender_id }),
          ...(topic_id !== undefined && { topic_id }),
          ...(trigger && triggerColumns(trigger)),
          ...(ends_on && { ends_on }),
        },
        // Whoever changes it has seen the problem. If it is still there, it is told again.
        ...{ problem: null, problem_step: null, problem_at: null },
        version: sql`version + 1`,
      })
      .where('id', '=', sequence_id)
      .where('user_id', '=', userId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await writeSteps(
      trx,
      row,
      steps ?? (await stepsOf(trx, userId, sequence_id)).map(({ id, wait_minutes }) => ({ step_id: id, wait_minutes })),
    )
    return { sequence_id, version: row.version }
  })
}

type Of = Pick<SequenceRow, 'id' | 'user_id' | 'name' | 'sender_id' | 'state'>
/** The whole list in its new order. While people move, an email can only be added after the last. */
async function writeSteps(trx: Trx, { id, user_id, name, sender_id, state }: Of, steps: Given[]): Promise<void> {
  const before = await stepsOf(trx, user_id, id)
  const kept = steps.flatMap(({ step_id }) => step_id ?? [])
  if (new Set(kept).size < kept.length || kept.some((each) => !before.some((of) => of.id === each))) throw new DomainError('not_found')
  const isLonger = before.every((of, at) => steps[at]?.step_id === of.id)
  if (state === 'running' && !isLonger) throw new DomainError('sequence_running')
  const removed = before.filter((of) => !kept.includes(of.id))
  const sender = sender_id ?? (await defaultSender(trx, user_id))
  for (const [at, { step_id, wait_minutes, ...given }] of steps.entries()) {
    const content = await contentOf(trx, user_id, given, !step_id)
    const values = { ...content, name: `${name}, email ${at + 1}`, sender_id: sender, step: at + 1, wait_minutes }
    if (step_id)
      await trx
        .updateTable('email_campaigns')
        // Whoever writes on its text meanwhile is not in the way of a wait or a place.
        .set({ ...values, ...(Object.keys(content).length > 0 && { version: sql`version + 1` }) } as never)
        .where('id', '=', step_id)
        .where('user_id', '=', user_id)
        .execute()
    else
      await trx
        .insertInto('email_campaigns')
        .values({ id: newId(), user_id, sequence_id: id, status: 'sent', ...values } as never)
        .execute()
  }
  if (state === 'running' && steps.length > before.length) await demandReady(trx, user_id, id)
  for (const of of removed)
    await removeStep(trx, user_id, of.id, before.slice(before.indexOf(of) + 1).find((next) => kept.includes(next.id))?.id)
}

/** The engine sends by an id. Where there is none yet, starting the sequence finds one. */
async function defaultSender(trx: Trx, userId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('email_senders')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

async function contentOf(
  trx: Trx,
  userId: string,
  { subject, text, document, template_id }: Omit<Given, 'step_id' | 'wait_minutes'>,
  isNew: boolean,
) {
  const template = template_id ? await readTemplate(trx, userId, template_id) : null
  const blank = isNew ? EmailDocument.parse({ blocks: [] }) : undefined
  const written = document ?? template?.document ?? (text?.trim() ? documentOf(text) : blank)
  const line = subject ?? template?.subject ?? (isNew ? '' : undefined)
  return { ...(line !== undefined && { subject: line }), ...(written && { document: JSON.stringify(written) }) }
}

/** People who wait for it go on to the next one. Once sent to somebody it stays as a row, since the links in it go on to work. */
async function removeStep(trx: Trx, userId: string, stepId: string, nextId: string | undefined): Promise<void> {
  await sql`
    update email_recipients set state = 'skipped', reason = 'The email was removed from the sequence'
    where campaign_id = ${stepId} and user_id = ${userId} and state = 'waiting'`.execute(trx)
  await sql`
    update email_sequence_people p set recipient_id = null, step_id = ${nextId ?? stepId}, state = ${nextId ? 'waiting' : 'done'}
    where p.step_id = ${stepId} and p.user_id = ${userId} and (p.state = 'waiting' or (p.state = 'sending' and exists (
      select from email_recipients r where r.id = p.recipient_id and r.state = 'skipped')))`.execute(trx)
  await sql`
    update email_campaigns c set step = null, skipped_count = (select count(*) from email_recipients r where r.campaign_id = c.id and r.state = 'skipped')
    where c.id = ${stepId} and c.user_id = ${userId}`.execute(trx)
  await sql`
    delete from email_campaigns c where c.id = ${stepId} and c.user_id = ${userId}
      and not exists (select from email_recipients r where r.campaign_id = c.id and r.state <> 'skipped')`.execute(trx)
}

export async function demandReady(trx: Trx, userId: string, sequenceId: string): Promise<void> {
  const steps = await stepsOf(trx, userId, sequenceId)
  if (steps.length === 0 || steps.some(({ subject, document }) => !subject.trim() || document.blocks.length === 0))
    throw new DomainError('sequence_incomplete')
}

export async function deleteSequence(
  ctx: Call,
  { sequence_id }: Input<typeof contract.deleteSequence>,
): Promise<Output<typeof contract.deleteSequence>> {
  const { id: userId } = signedIn(ctx)
  return inTransaction(ctx.db, async (trx) => {
    const { state } = await lockSequence(trx, userId, sequence_id)
    if (state === 'running') throw new DomainError('sequence_state')
    const { rows: sending } = await sql`
      select from email_campaigns c join email_recipients r on r.campaign_id = c.id and r.state = 'sending'
      where c.sequence_id = ${sequence_id} and c.user_id = ${userId} limit 1`.execute(trx)
    if (sending.length) throw new DomainError('sequence_sending')
    await trx.deleteFrom('email_sequences').where('id', '=', sequence_id).where('user_id', '=', userId).execute()
    return { deleted: true }
  })
}
