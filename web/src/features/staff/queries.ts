import type { CallArgs, CallReply } from '@operon/contracts/calls'
import { call } from '../../api/call.ts'

export type StaffAccount = CallReply<'staff-account'>
export type StaffPayment = StaffAccount['payments'][number]
export type FailedEvents = CallReply<'staff-events'>
export type FailedEvent = FailedEvents['events'][number]
export type Books = CallReply<'staff-books'>
export type OpenDisputes = CallReply<'staff-disputes'>
export type StaffAction = CallReply<'staff-actions'>['actions'][number]

export type Reports = CallReply<'staff-reports'>
export type Decision = CallArgs<'staff-moderate'>['decision']

export type Asked = { query: string; reason: string }

/** A key for one opened form: sent again after a lost answer, it is still one refund. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

export const lookUp = (asked: Asked) => call('staff-account', asked)
export const listFailedEvents = (reason: string) => call('staff-events', { reason })
export const readBooks = (reason: string, again: boolean) => call('staff-books', { reason, compare_again: again })
export const listReports = (reason: string) => call('staff-reports', { reason })
export const listDisputes = (reason: string) => call('staff-disputes', { reason })
export const readMessageLimits = () => call('message-limits')
export const listActions = () => call('staff-actions')
export const replay = (eventId: string, reason: string) => call('staff-replay-event', { event_id: eventId, reason })
export const refund = (payment: string, amountCents: number, reason: string, key: string) =>
  call('staff-refund', { payment, amount_cents: amountCents, reason }, { idempotencyKey: key })
export const extendTrial = (userId: string, days: number, reason: string, key: string) =>
  call('staff-extend-trial', { user_id: userId, days, reason }, { idempotencyKey: key })

export type StaffSeller = CallReply<'staff-seller'>
export type PayoutRuns = CallReply<'staff-payout-runs'>
export type AppRequests = CallReply<'staff-app-requests'>
export type Figures = CallReply<'staff-figures'>
export type Figure = CallArgs<'staff-figure-rows'>['figure']
export type Matters = CallReply<'staff-matters'>
export type Coupons = CallReply<'staff-coupons'>
export type Coupon = Coupons['coupons'][number]
export type OpenDispute = OpenDisputes['disputes'][number]
export type SuspenseRow = CallReply<'staff-suspense'>['rows'][number]

export type BookedMonth = CallReply<'staff-month'>
export const readMonth = (asked: { month: string; reason: string }) => call('staff-month', asked)
export const lookUpSeller = (asked: Asked) => call('staff-seller', asked)
export const listMatters = (reason: string) => call('staff-matters', { reason })
export const listRuns = (reason: string) => call('staff-payout-runs', { reason })
export const listAppRequests = (reason: string) => call('staff-app-requests', { reason })
export const readFigures = (reason: string) => call('staff-figures', { reason })
export const listCoupons = (reason: string) => call('staff-coupons', { reason })
