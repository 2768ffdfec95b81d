import type { Payload } from '@operon/contracts/contract'
import * as identity from '@operon/contracts/identity/events'
import { moment } from '@operon/contracts/words'
import { now } from '@operon/kit/clock'
import { enqueue } from '@operon/kit/tx'
import type { AuthCtx } from '../deps.ts'
import type { Trx, User } from '../users/users.ts'
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

/**
 * Tells the owner what became of the account and from where, in the transaction of the change: once, and never in its way.
 * By mail; by text message where there is no address. `owner` is the account before the change: who loses a number has to know.
 */
export async function notify(
  trx: Trx,
  ctx: AuthCtx,
  { id, email, phone }: Pick<User, 'id' | 'email' | 'phone'>,
  template: Notice,
  more: Record<string, string> = {},
): Promise<void> {
  if (email) await notifyAt(trx, ctx, id, email, template, more)
  else if (phone) await enqueue(trx, identity.sendSms, { to: phone, notice: template }, { userId: id })
}

type Announced = Payload<typeof identity.sendNotice>['template']

/** The same on every channel that the account has. `recoveryId`: what the link in it stops. */
export async function announce(
  trx: Trx,
  ctx: Pick<AuthCtx, 'ip' | 'userAgent'>,
  { id, email, phone, phone_confirmed_at }: Pick<User, 'id' | 'email' | 'phone' | 'phone_confirmed_at'>,
  template: Announced,
  { recoveryId = null, ...more }: { recoveryId?: string | null } & Record<string, string | null> = {},
): Promise<void> {
  const facts = { at: moment(new Date(now())), ip: ctx.ip, device: ctx.userAgent, ...more } as Record<string, string>
  const say = (via: 'email' | 'sms', to: string) =>
    enqueue(trx, identity.sendNotice, { template, via, to, recovery_id: recoveryId, detail: facts }, { userId: id })
  if (email) await say('email', email)
  if (phone && phone_confirmed_at) await say('sms', phone)
}

/** A mail of it to an address that is, or was, the account's. */
export async function notifyAt(trx: Trx, ctx: AuthCtx, userId: string, to: string, template: Notice, more: Record<string, string> = {}) {
  const at = moment(new Date(now()))
  const from: Record<string, string> = ctx.actor.kind === 'service' ? { by: 'An administrator' } : { ip: ctx.ip, device: ctx.userAgent }
  await enqueue(trx, identity.sendMail, { template, to, detail: { at, ...from, ...more } }, { userId })
}
