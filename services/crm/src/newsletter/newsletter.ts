import type { Input, Output } from '@operon/contracts/contract'
import type { newsletterSubscribe } from '@operon/contracts/crm/api'
import { newsletterMail } from '@operon/contracts/crm/events'
import { now } from '@operon/kit/clock'
import type { Ctx } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { forgetSlots } from '@operon/kit/mail/paces'
import { deleteInPieces } from '@operon/kit/pieces'
import type { Runtime } from '@operon/kit/service'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { CrmDb } from '../schema.ts'
import { hashOf, tokenFor } from './tokens.ts'

const CONFIRM_WITHIN_MS = 48 * 3_600_000
const MAILS_AN_HOUR = 3
const CHECK_MAIL = 'Almost there: please confirm the link that we have just sent you.'

type Rt = Runtime<CrmDb, Config>
type Result = { ok: boolean; message: string }

/** Says the same to everybody, so that nobody learns who reads the newsletter. */
export const subscribe =
  ({ cache, vault }: Rt) =>
  async (ctx: Ctx<CrmDb>, input: Input<typeof newsletterSubscribe>): Promise<Output<typeof newsletterSubscribe>> => {
    const email = input.email.toLowerCase()
    const answer = { ok: true, message: CHECK_MAIL }
    // The form must not become a way to fill a stranger's inbox.
    const { ok } = await cache.take(`newsletter:${email}`, MAILS_AN_HOUR, 3_600_000)
    if (!ok) return answer
    await inTransaction(ctx.db, async (trx) => {
      const [id, mailId] = [newId(), newId()]
      const fresh = {
        status: 'pending' as const,
        confirm_hash: hashOf(tokenFor(vault, 'confirm', mailId)),
        confirm_expires_at: new Date(now() + CONFIRM_WITHIN_MS),
      }
      const pending = await trx
        .insertInto('newsletter_subscribers')
        .values({ id, email, unsubscribe_hash: hashOf(tokenFor(vault, 'unsubscribe', id)), ...fresh })
        .onConflict((conflict) => conflict.column('email').doUpdateSet(fresh).where('newsletter_subscribers.status', '<>', 'confirmed'))
        .returning('id')
        .executeTakeFirst()
      if (pending) await enqueue(trx, newsletterMail, { subscriber_id: pending.id, template: 'confirm' }, { id: mailId })
    })
    return answer
  }

export async function confirm(ctx: Ctx<CrmDb>, token: string | undefined): Promise<Result> {
  return inTransaction(ctx.db, async (trx) => {
    const confirmed = await trx
      .updateTable('newsletter_subscribers')
      .set({ status: 'confirmed', confirmed_at: sql`now()`, confirm_hash: null, confirm_expires_at: null })
      .where('confirm_hash', '=', hashOf(token ?? ''))
      .where('status', '=', 'pending')
      .where('confirm_expires_at', '>', sql<Date>`now()`)
      .returning('id')
      .executeTakeFirst()
    if (!confirmed)
      throw new DomainError('link_used', { status: 410, message: 'This link has expired or was used already. Ask for a new one.' })
    await enqueue(trx, newsletterMail, { subscriber_id: confirmed.id, template: 'welcome' })
    return { ok: true, message: 'You are on the list. Thank you for confirming.' }
  })
}

/** Pressing twice is no mistake: the address is off the list either way. */
export async function unsubscribe(ctx: Ctx<CrmDb>, token: string | undefined): Promise<Result> {
  const gone = await ctx.db
    .updateTable('newsletter_subscribers')
    .set({ status: 'unsubscribed', unsubscribed_at: sql`coalesce(unsubscribed_at, now())`, confirm_hash: null })
    .where('unsubscribe_hash', '=', hashOf(token ?? ''))
    .returning('id')
    .executeTakeFirst()
  if (!gone) throw new DomainError('link_unknown', { status: 404, message: 'This link is not known. Use the one in our latest mail.' })
  return { ok: true, message: 'You are off the list. No more newsletters will come.' }
}

/** Addresses that nobody confirmed are not kept. */
export async function forgetUnconfirmed(ctx: Ctx<CrmDb>): Promise<void> {
  const isOver = sql<boolean>`status = 'pending' and confirm_expires_at < now() - interval '7 days'`
  await deleteInPieces(ctx.db, 'newsletter_subscribers', isOver, { signal: ctx.signal })
  await forgetSlots(ctx.db)
}
