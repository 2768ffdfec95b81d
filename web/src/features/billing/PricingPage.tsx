import { texts } from '@operon/contracts/messages'
import { type Plan, type PlanId, plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { openBillingPortal, openCheckout } from '../../api/billing.ts'
import { referralKey } from '../../api/keys.ts'
import { useSession } from '../../api/session.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { ErrorState } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { Compare } from './Compare.tsx'
import { Invoices } from './Invoices.tsx'
import { ManagementCard } from './ManagementCard.tsx'
import { PlanCard } from './PlanCard.tsx'
import { subscriptionKey, useSubscription } from './queries.ts'
import { SwitchDialog } from './SwitchDialog.tsx'

export function PricingPage() {
  const { user, status } = useSession({ eager: false })
  const subscription = useSubscription(user?.id)
  const queries = useQueryClient()
  const [busy, setBusy] = useState<PlanId | 'portal'>()
  const [switching, setSwitching] = useState<Plan>()
  const current = subscription.data?.subscribed ? subscription.data.subscription_tier : null

  async function manage() {
    if (!user) return toast.error(texts.loginToManage)
    setBusy('portal')
    const failed = await openBillingPortal()
    setBusy(undefined)
    if (failed) toast.error(failed.reached ? texts.unableToAccessPortal : texts.failedToAccessManagement, failed.message)
  }

  async function choose(plan: Plan) {
    if (!user) return toast.error(texts.loginToSelectPlan)
    if (plan.id === current) return manage()
    if (current) return setSwitching(plan)
    setBusy(plan.id)
    const failed = await openCheckout(plan.id, localStorage.getItem(referralKey) ?? user.user_metadata.referral_code ?? null)
    setBusy(undefined)
    if (failed) return toast.error(texts.failedToCreateCheckout, failed.message)
    toast.info(
      `Your ${TRIAL_DAYS}-day free trial starts with the checkout`,
      'It has opened in a new tab. This page follows when it is done.',
    )
  }

  return (
    <PublicLayout>
      <div className="mx-auto max-w-[84rem] px-5 py-14 md:px-8 md:py-20">
        <h1 className="text-40 font-semibold">Choose your plan</h1>
        <p className="mt-3 max-w-[60ch] text-muted">
          Every plan starts with a {TRIAL_DAYS}-day free trial and has every tool. What differs is how much runs through it.
        </p>
        {subscription.isError ? (
          <div className="mt-6 rounded-panel hairline">
            <ErrorState title="Your current plan could not be read" error={subscription.error} retry={() => subscription.refetch()} />
          </div>
        ) : null}
        <div className="mt-10 grid overflow-hidden rounded-panel hairline md:grid-cols-3">
          {plans.map((plan) => (
            <PlanCard
              key={plan.id}
              plan={plan}
              current={plan.id === current}
              label={plan.id === current ? 'Manage Subscription' : current ? 'Switch Plan' : `Start ${TRIAL_DAYS}-Day Free Trial`}
              busy={busy === plan.id || (busy === 'portal' && plan.id === current)}
              waiting={status === 'loading' || (Boolean(user) && subscription.isPending)}
              onChoose={() => choose(plan)}
            />
          ))}
        </div>
        <div className="mt-6 grid grid-cols-1 items-start gap-6 lg:grid-cols-5">
          <ManagementCard
            subscription={subscription.data}
            signedIn={Boolean(user)}
            busy={busy === 'portal'}
            onManage={manage}
            onChanged={() => queries.invalidateQueries({ queryKey: subscriptionKey(user?.id) })}
          />
          <Invoices userId={user?.id} />
        </div>
        <Compare current={current} />
      </div>
      {switching ? <SwitchDialog plan={switching} userId={user!.id} onClose={() => setSwitching(undefined)} /> : null}
    </PublicLayout>
  )
}
