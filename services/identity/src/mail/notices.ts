import * as identity from '@operon/contracts/identity'
import { now } from '@operon/kit/clock'
import { enqueue } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import type { Trx } from '../users/users.ts'
import type { Template } from './templates.ts'

type Notice = Extract<
  Template,
  | 'password_changed'
  | 'email_changed'
  | 'phone_changed'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_codes_created'
  | 'recovery_code_used'
>

/** Tells the owner by mail what became of the account and from where, in the transaction of the change: once, and never in its way. */
export async function notify(trx: Trx, ctx: AuthCtx, userId: string, template: Notice, more: Record<string, string> = {}): Promise<void> {
  const owner = await trx.selectFrom('users').select('email').where('id', '=', userId).where('deleted_at', 'is', null).executeTakeFirst()
  if (owner?.email) await notifyAt(trx, ctx, userId, owner.email, template, more)
}

/** The same for an address that is, or was, the account's. */
export async function notifyAt(trx: Trx, ctx: AuthCtx, userId: string, to: string, template: Notice, more: Record<string, string> = {}) {
  const at = new Date(now()).toUTCString()
  const from: Record<string, string> = ctx.actor.kind === 'service' ? { by: 'An administrator' } : { ip: ctx.ip, device: ctx.userAgent }
  await enqueue(trx, identity.sendMail, { template, to, detail: { at, ...from, ...more } }, { userId })
}
