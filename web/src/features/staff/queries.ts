import type {
  staffAccount,
  staffActions,
  staffEvents,
  staffExtendTrial,
  staffRefund,
  staffReplayEvent,
} from '@operon/contracts/billing/api'
import type { Reply } from '@operon/contracts/contract'
import type { messageLimits } from '@operon/contracts/identity/api'
import { loadBackend } from '../../api/session.ts'

export type StaffAccount = Reply<typeof staffAccount>
export type StaffPayment = StaffAccount['payments'][number]
export type FailedEvent = Reply<typeof staffEvents>['events'][number]
export type StaffAction = Reply<typeof staffActions>['actions'][number]

/** A key for one opened form: sent again after a lost answer, it is still one refund. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

async function call<T>(name: string, body: object = {}, key?: string): Promise<T> {
  const backend = await loadBackend()
  return backend.call<T>(name, body, key ? { headers: { 'idempotency-key': key } } : {})
}

export const lookUp = (query: string, reason: string) => call<StaffAccount>('staff-account', { query, reason })
export const listFailedEvents = (reason: string) => call<{ events: FailedEvent[] }>('staff-events', { reason })
export const readMessageLimits = () => call<Reply<typeof messageLimits>>('message-limits')
export const listActions = () => call<{ actions: StaffAction[] }>('staff-actions')
export const replay = (eventId: string, reason: string) =>
  call<Reply<typeof staffReplayEvent>>('staff-replay-event', { event_id: eventId, reason })
export const refund = (payment: string, amountCents: number, reason: string, key: string) =>
  call<Reply<typeof staffRefund>>('staff-refund', { payment, amount_cents: amountCents, reason }, key)
export const extendTrial = (userId: string, days: number, reason: string, key: string) =>
  call<Reply<typeof staffExtendTrial>>('staff-extend-trial', { user_id: userId, days, reason }, key)
