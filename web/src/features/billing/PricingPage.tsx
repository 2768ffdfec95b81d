import { texts } from '@operon/contracts/messages'
import { type Period, type Plan, type PlanId, plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { useQueryClient } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { useSearchParams } from 'react-router-dom'
import { openBillingPortal, openCheckout } from '../../api/billing.ts'
import { isReferralCode, referralKey } from '../../api/keys.ts'
import { sessionKnown, useSession } from '../../api/session.ts'
import { subscriptionKey, useSubscription } from '../../api/subscription.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { TextField } from '../../ui/Field.tsx'
import { day } from '../../ui/format.ts'
import { ErrorState } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'
import { toast } from '../../ui/toast.tsx'
import { Compare } from './Compare.tsx'
import { Invoices } from './Invoices.tsx'
import { ManagementCard } from './ManagementCard.tsx'
import { PeriodSwitch } from './PeriodSwitch.tsx'
import { PlanCard } from './PlanCard.tsx'
import { SwitchDialog } from './SwitchDialog.tsx'
import { TopUps } from './TopUps.tsx'

const droppedCode = (code: string | null, why: 'unknown' | 'own'): [string, string] =>
  why === 'own'
    ? ['Your own referral code was left out', 'It gives a discount to the people you invite. Your checkout continues without it.']
    : [`The referral code ${code} was left out`, 'We do not know this code. Your checkout continues without it.']

/** False while the page is what the server drew, which knows no query: it shows the months. */
const useIsDrawn = () =>
  useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  )

const startTrial = `Start ${TRIAL_DAYS}-Day Free Trial`

export function PricingPage() {
  const { user, status } = useSession({ eager: false })
  const subscription = useSubscription(user?.id)
  const queries = useQueryClient()
  const [busy, setBusy] = useState<PlanId | 'portal'>()
  const [switching, setSwitching] = useState<Plan>()
  const [promotion, setPromotion] = useState('')
  const current = subscription.data?.subscription_tier ?? null
  const next = subscription.data?.next_plan ?? null
  const billed = subscription.data?.period ?? 'month'
  const [search, setSearch] = useSearchParams()
  const asked = useIsDrawn() ? search.get('billing') : null
  const period: Period = asked === 'year' || asked === 'month' ? asked : current ? billed : 'month'
  const beginsToday = period === 'year' && billed === 'month' && subscription.data?.status === 'active'
  const isCurrent = (plan: Plan) => plan.id === current && period === billed
  const isNext = (plan: Plan) => plan.id === next && period === (subscription.data?.next_period ?? billed)
  const unknown = Boolean(user) && !subscription.data
  const trial = subscription.data?.trial_available ?? true
  // The payment page of a month asks for it itself.
  const takesPromotion = Boolean(user) && !current && period === 'year'

  async function manage() {
    // Nothing is waited for where it is known already: a browser opens a tab only in the turn of the press.
    const signedIn = user !== null || (status === 'loading' && (await sessionKnown()).session !== null)
    if (!signedIn) return toast.error(texts.loginToManage)
    setBusy('portal')
    const failed = await openBillingPortal()
    setBusy(undefined)
    if (failed) toast.error(failed.reached ? texts.unableToAccessPortal : texts.failedToAccessManagement, failed.message)
  }

  async function choose(plan: Plan) {
    if (!user) return toast.error(texts.loginToSelectPlan)
    if (isCurrent(plan) && !next) return manage()
    if (isNext(plan)) return
    if (current) return setSwitching(plan)
    setBusy(plan.id)
    const code = [localStorage.getItem(referralKey), user.user_metadata.referral_code].find(isReferralCode) ?? null
    const opened = await openCheckout(plan.id, period, code, takesPromotion ? promotion.trim() : '')
    setBusy(undefined)
    if ('message' in opened) return toast.error(texts.failedToCreateCheckout, opened.message)
    if (opened.dropped) {
      localStorage.removeItem(referralKey)
      toast.info(...droppedCode(code, opened.dropped))
    }
    toast.info(
      opened.trialDays ? `Your ${opened.trialDays}-day free trial starts with the checkout` : `${plan.name} starts with the checkout`,
      `It has opened in a new tab. ${opened.trialDays ? '' : `Your free trial was already used, so you pay for the first ${period} there. `}This page updates when you finish.`,
    )
  }

  function labelOf(plan: Plan) {
    const starts = subscription.data?.current_period_end
    if (isNext(plan)) return starts ? `Starts ${day(starts)}` : 'Starts next month'
    if (isCurrent(plan)) return next ? `Keep ${plan.name}` : 'Manage Subscription'
    if (plan.id === current) return period === 'year' ? 'Switch to yearly' : 'Switch to monthly'
    return current ? 'Switch Plan' : trial ? startTrial : `Subscribe to ${plan.name}`
  }

  return (
    <PublicLayout>
      <div className="rail w-full">
        <SectionHead as="h1" title="Choose your plan">
          {trial ? `Every plan starts with a ${TRIAL_DAYS}-day free trial and includes every tool.` : 'Every plan includes every tool.'}{' '}
          Plans differ in how much you can do each month.
          {trial || current ? '' : ` Your free trial was used before, so the first ${period} is paid at the checkout.`}
        </SectionHead>
        <div className="flex flex-wrap items-end gap-x-6 gap-y-4 px-5 pb-6 md:px-8">
          <PeriodSwitch value={period} onChange={(to) => setSearch({ billing: to }, { replace: true, preventScrollReset: true })} />
          {takesPromotion ? (
            <TextField
              label="Discount code (optional)"
              autoComplete="off"
              maxLength={30}
              value={promotion}
              onChange={(event) => setPromotion(event.target.value.toUpperCase())}
            />
          ) : null}
        </div>
        {subscription.isError ? (
          <div className="border-t border-line md:px-3">
            <ErrorState title="Your current plan could not be read" error={subscription.error} retry={() => subscription.refetch()} />
          </div>
        ) : null}
        <div className="grid border-y border-line md:grid-cols-3">
          {plans.map((plan) => (
            <PlanCard
              key={plan.id}
              plan={plan}
              period={period}
              current={isCurrent(plan)}
              marked={current ? plan.id === current : Boolean(plan.popular)}
              label={labelOf(plan)}
              busy={busy === plan.id || (busy === 'portal' && isCurrent(plan))}
              waiting={status === 'loading' || unknown || isNext(plan)}
              onChoose={() => choose(plan)}
            />
          ))}
        </div>
        <div className="grid grid-cols-1 items-start gap-6 px-5 py-8 md:px-8 md:py-10 lg:grid-cols-5">
          <ManagementCard
            subscription={subscription.data}
            signedIn={Boolean(user)}
            unknown={unknown}
            busy={busy === 'portal'}
            onManage={manage}
            onChanged={() => queries.invalidateQueries({ queryKey: subscriptionKey(user?.id) })}
          />
          <Invoices userId={user?.id} />
        </div>
        {user ? <TopUps userId={user.id} /> : null}
        <Compare current={current} />
      </div>
      {switching ? (
        <SwitchDialog
          plan={switching}
          period={period}
          from={beginsToday ? 'today' : 'the next billing date'}
          userId={user!.id}
          onClose={() => setSwitching(undefined)}
        />
      ) : null}
    </PublicLayout>
  )
}
