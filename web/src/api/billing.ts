import type { checkSubscription, listInvoices, previewSwitch } from '@operon/contracts/billing/api'
import type { Reply } from '@operon/contracts/contract'
import { texts } from '@operon/contracts/messages'
import type { Period, PlanId } from '@operon/contracts/plans'
import { call } from './call.ts'
import { ApiError } from './http.ts'

export type Subscription = Reply<typeof checkSubscription>
export type UsageRow = Subscription['usage'][number]
export type Invoice = Reply<typeof listInvoices>['invoices'][number]
export type SwitchPreview = Reply<typeof previewSwitch>

export type Failure = { message: string; reached: boolean }
export type Opened = { trialDays: number; dropped?: 'unknown' | 'own' }

/** Opens a new tab at once, while the click still allows it, and points it at the address when that has come. */
export async function openInNewTab(address: () => Promise<string | undefined>): Promise<Failure | undefined> {
  const tab = window.open('', '_blank')
  try {
    const url = await address()
    if (!url) throw new ApiError(502, 'no_url', texts.noPortalUrl)
    if (!tab) {
      location.assign(url)
      return undefined
    }
    tab.opener = null
    tab.location.replace(url)
    return undefined
  } catch (error) {
    tab?.close()
    return {
      message: error instanceof Error ? error.message : texts.unexpectedError,
      reached: error instanceof ApiError && error.status > 0,
    }
  }
}

export function openBillingPortal() {
  return openInNewTab(async () => (await call('customer-portal')).url)
}

/** Answers how many days of trial it comes with, where it has opened, and whether the referral code was left out. */
export async function openCheckout(
  plan: PlanId,
  period: Period,
  referralCode: string | null,
  promotion: string,
): Promise<Failure | Opened> {
  const opened: Opened = { trialDays: 0 }
  const failed = await openInNewTab(async () => {
    const code = referralCode ? { referral_code: referralCode } : {}
    const reply = await call('create-checkout', { plan, period, ...code, ...(promotion && { promotion_code: promotion }) })
    Object.assign(opened, { trialDays: reply.trial_days ?? 0, dropped: reply.referral_dropped })
    return reply.url
  })
  return failed ?? opened
}
