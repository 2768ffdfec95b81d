import * as identity from '@operon/contracts/identity/events'
import { now } from '@operon/kit/clock'
import { newId } from '@operon/kit/ids'
import { enqueue } from '@operon/kit/tx'
import { beginMailFlow } from '../codes/flows.ts'
import { type Challenge, followUpId, issueOneTime } from '../codes/one-time.ts'
import type { Deps } from '../deps.ts'
import type { Claim, OneTimeType } from '../schema.ts'
import type { Trx } from '../users/users.ts'

type Kind = {
  type: OneTimeType
  template: 'confirm' | 'magic_link' | 'recovery' | 'invite' | 'email_change_current' | 'email_change_new' | 'reauthentication'
  verifyType: string
  method: string
  sentAt: SentAt
}
type SentAt = 'confirmation_sent_at' | 'recovery_sent_at' | 'email_change_sent_at' | 'reauthentication_sent_at'

/** Every letter that carries a token: which token, which template, what its link says. */
const kinds = {
  signup: { type: 'confirmation', template: 'confirm', verifyType: 'signup', method: 'otp', sentAt: 'confirmation_sent_at' },
  invite: { type: 'confirmation', template: 'invite', verifyType: 'invite', method: 'invite', sentAt: 'confirmation_sent_at' },
  magic_link: { type: 'recovery', template: 'magic_link', verifyType: 'magiclink', method: 'magiclink', sentAt: 'recovery_sent_at' },
  recovery: { type: 'recovery', template: 'recovery', verifyType: 'recovery', method: 'recovery', sentAt: 'recovery_sent_at' },
  email_change_current: {
    type: 'email_change_current',
    template: 'email_change_current',
    verifyType: 'email_change',
    method: 'email_change',
    sentAt: 'email_change_sent_at',
  },
  email_change_new: {
    type: 'email_change_new',
    template: 'email_change_new',
    verifyType: 'email_change',
    method: 'email_change',
    sentAt: 'email_change_sent_at',
  },
  reauthentication: {
    type: 'reauthentication',
    template: 'reauthentication',
    verifyType: 'reauthentication',
    method: 'otp',
    sentAt: 'reauthentication_sent_at',
  },
} as const satisfies Record<string, Kind>
type LetterKind = keyof typeof kinds

export type Letter = {
  id?: string
  userId: string
  to: string
  kind: LetterKind
  redirectTo: string
  delayMs?: number
  detail?: Record<string, string>
  claim?: Claim | null | undefined
} & Challenge

/** The token and the mail that carries it, in one transaction. The mail's id is the token's: a retry sends the same again. */
export async function sendLetter(
  trx: Trx,
  deps: Deps,
  { id = newId(), userId, to, kind, redirectTo, delayMs = 0, detail, claim, ...challenge }: Letter,
): Promise<void> {
  const { type, template, verifyType, method, sentAt } = kinds[kind]
  const lifetimeMs = deps.config.AUTH_OTP_SECONDS * 1000 + delayMs
  const flowId = await beginMailFlow(trx, { id: followUpId(id, 'flow'), userId, method, redirectTo, lifetimeMs, ...challenge })
  // A letter that waits leaves the one before it as it is: a stranger's sign-ups would keep the owner's link dead.
  const waits = type === 'confirmation' && delayMs > 0
  const kept = waits ? 'confirmation_waiting' : type
  const fresh = await issueOneTime(trx, deps, { id, userId, type: kept, relatesTo: to, flowId, delayMs, claim })
  if (!fresh) return
  await trx
    .updateTable('users')
    .set({ [sentAt]: new Date(now()) })
    .where('id', '=', userId)
    .execute()
  await enqueue(
    trx,
    identity.sendMail,
    {
      template,
      to,
      redirect_to: redirectTo,
      verify_type: verifyType,
      pkce: flowId !== null,
      ...(detail && { detail }),
      ...(waits && { waits }),
    },
    { id, userId, ...(delayMs && { runAt: new Date(now() + delayMs) }) },
  )
}

type Text = {
  id?: string
  userId: string
  phone: string
  type: 'sms' | 'phone_change' | 'reauthentication'
  claim?: Claim | null | undefined
}

/** The same for a text message. */
export async function sendCodeBySms(trx: Trx, deps: Deps, { id = newId(), userId, phone, type, claim }: Text): Promise<void> {
  const fresh = await issueOneTime(trx, deps, { id, userId, type, relatesTo: phone, claim })
  if (fresh) await enqueue(trx, identity.sendSms, { to: phone }, { id, userId })
}
