import type { Input, Output, Payload } from '@operon/contracts/contract'
import type { optInMail } from '@operon/contracts/crm/email/events'
import { documentOf } from '@operon/contracts/crm/email/render'
import type * as contract from '@operon/contracts/crm/email/single'
import { unlinked } from '@operon/contracts/names'
import { crmUsageRecorded } from '@operon/contracts/usage'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import type { JobRun } from '@operon/kit/jobs/jobs'
import type { Mailer } from '@operon/kit/mail/mailer'
import { takeNow } from '@operon/kit/mail/paces'
import { strangersPaces, waitForTurn } from '@operon/kit/mail/turns'
import { reserve } from '@operon/kit/meter'
import type { Runtime } from '@operon/kit/service'
import { release, settle } from '@operon/kit/settle'
import { inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { lineOf } from './letter.ts'
import { linksOf, tokenOf } from './links.ts'
import type { campaignPaces } from './pace.ts'
import { renderEmail, renderSubject } from './render.ts'
import { type Senders, senderFor } from './senders.ts'
import { readTemplate } from './templates.ts'

type Letter = Input<typeof contract.previewEmail>
/** The sender and the content; refused where it cannot be sent. */
async function readyToSend(ctx: Ctx<CrmDb>, { to, subject: given, text, document, template_id, sender_id }: Letter, senders: Senders) {
  const { id: userId } = signedIn(ctx)
  const sender = await senderFor(ctx.db, senders, userId, sender_id ?? null)
  const template = template_id ? await readTemplate(ctx.db, userId, template_id) : null
  const written = document ?? template?.document ?? (text?.trim() ? documentOf(text) : null)
  const subject = given ?? template?.subject ?? ''
  if (!written?.blocks.length || !subject.trim()) throw new DomainError('campaign_incomplete')
  const { rows: suppressed } = await sql`
    select from consents where user_id = ${userId} and channel = 'email' and address = ${to} and state in ('bounced', 'complained')
    union all (select from email_messages where user_id = ${userId} and email = ${to} and ended_at is not null limit 1)`.execute(ctx.db)
  if (suppressed.length) throw new DomainError('address_suppressed')
  return { sender, written, subject }
}

export async function previewEmail(ctx: Ctx<CrmDb>, letter: Letter, senders: Senders): Promise<Output<typeof contract.previewEmail>> {
  const { sender, written, subject } = await readyToSend(ctx, letter, senders)
  const person = { name: letter.name, email: letter.to, fields: letter.fields }
  return {
    from: `${sender.name} <${sender.email}>`,
    to: letter.to,
    subject: renderSubject(subject, person),
    text: renderEmail(written, person, { unsubscribe: '#', preferences: '#' }).text,
  }
}

/**
 * One email, as a receipt. Its row is written before the call, so a call that died is found by its key: what became of it is not known, and
 * it is not made again.
 */
export async function sendEmail(
  ctx: Ctx<CrmDb>,
  letter: Input<typeof contract.sendEmail>,
  senders: Senders,
  paces: ReturnType<typeof campaignPaces>,
): Promise<Output<typeof contract.sendEmail>> {
  const { id: userId } = signedIn(ctx)
  const { to, name, fields } = letter
  const { sender, written, subject } = await readyToSend(ctx, letter, senders)
  const key = ctx.idempotencyKey ?? null
  const id = newId()
  const begun = await inTransaction(ctx.db, async (trx) => {
    const row = { id, user_id: userId, email: to, subject: lineOf(subject), state: 'unknown', key }
    const mine = await trx
      .insertInto('email_messages')
      .values(row)
      .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!mine) return null
    const { taken } = await takeNow(trx, await paces(trx, userId), 1)
    if (taken === 0) throw new DomainError('email_pace')
    return reserve(trx, { userId, unit: 'emails', feature: 'email' })
  })
  if (!begun) {
    const known = await ctx.db
      .selectFrom('email_messages')
      .select(['id', 'state'])
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    return { email_id: known.id, state: known.state === 'sent' ? 'sent' : 'unknown' }
  }
  const person = { name, email: to, fields }
  const { unsubscribe, preferences } = linksOf(senders.rt.vault, senders.rt.kit.PUBLIC_URL, id)
  const outcome = await (await senders.carriers.of(sender)).send({
    ...{ id, from: { name: lineOf(sender.name), email: sender.email }, replyTo: sender.reply_to, to: { name: lineOf(name), email: to } },
    ...{ subject: renderSubject(subject, person), ...renderEmail(written, person, { unsubscribe, preferences }), unsubscribe: null },
  })
  if (outcome.state === 'sent' || outcome.state === 'unknown') {
    await inTransaction(ctx.db, async (trx) => {
      await trx.updateTable('email_messages').set({ state: outcome.state }).where('id', '=', id).where('user_id', '=', userId).execute()
      await settle(trx, crmUsageRecorded, [{ id: begun.id }])
    })
    return { email_id: id, state: outcome.state }
  }
  await inTransaction(ctx.db, async (trx) => {
    await trx.deleteFrom('email_messages').where('id', '=', id).where('user_id', '=', userId).execute()
    await release(trx, begun)
  })
  throw new DomainError('campaign_provider', { message: `The email provider did not take it: ${outcome.reason}` })
}

/** From the platform and not from the account: a stranger's address is asked by somebody who can be trusted to stop. */
export const sendOptInMail =
  (rt: Runtime<CrmDb, Config>, mailer: Mailer) =>
  async (ctx: Ctx<CrmDb>, { id, payload: { consent_id, user_id } }: JobRun<Payload<typeof optInMail>>): Promise<void> => {
    const asked = await ctx.db
      .selectFrom('email_opt_ins')
      .select('email')
      .where('id', '=', consent_id)
      .where('user_id', '=', user_id)
      .executeTakeFirst()
    if (!asked) return
    await waitForTurn(ctx.db, id, strangersPaces(rt.config, asked.email))
    const sender = await ctx.db
      .selectFrom('email_senders')
      .select('name')
      .where('user_id', '=', user_id)
      .orderBy('is_default', 'desc')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    const host = await ctx.db.selectFrom('hosts').select('name').where('user_id', '=', user_id).executeTakeFirst()
    const who = unlinked(lineOf(sender?.name || host?.name || '')).slice(0, 80) || 'A business'
    const home = rt.kit.PUBLIC_URL
    await mailer.send({
      id,
      to: asked.email,
      letter: {
        subject: `Do you want emails from ${who}?`,
        title: 'Confirm your subscription',
        text: `${who} asks whether it may send emails to this address.`,
        action: { label: 'Confirm', url: `${home}/mail/confirm/${tokenOf(rt.vault, 'confirm', consent_id)}` },
        after: 'If you did not expect this, ignore it. Unsubscribe, and this sender cannot ask you again.',
        stop: `${home}/mail/unsubscribe/${tokenOf(rt.vault, 'unsubscribe', consent_id)}`,
      },
    })
  }
