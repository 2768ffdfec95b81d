import { plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { useEffect, useState } from 'react'
import type { Subscription } from '../../api/billing.ts'
import { call } from '../../api/call.ts'
import { countedUsage, unitNames } from '../../api/subscription.ts'
import { Button } from '../../ui/Button.tsx'
import { GeneMeter } from '../../ui/Data.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { DAY_MS, day, money } from '../../ui/format.ts'
import { Alert, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

const noPlanDays = 30

type Props = {
  subscription: Subscription | undefined
  signedIn: boolean
  /** Being read, or could not be: nothing is said of a plan then. */
  unknown: boolean
  busy: boolean
  onManage: () => void
  onChanged: () => void
}

export function ManagementCard({ subscription, signedIn, unknown, busy, onManage, onChanged }: Props) {
  const [canceling, setCanceling] = useState(false)
  const [resuming, setResuming] = useState(false)
  const [today, setToday] = useState<number>()
  useEffect(() => setToday(Date.now()), [])

  const plan = plans.find((candidate) => candidate.id === subscription?.subscription_tier)
  const follows = plans.find((candidate) => candidate.id === subscription?.next_plan)
  // Without a plan there is nothing at the provider to look at.
  const isNew = signedIn && subscription?.status === 'none'
  const meters = countedUsage(subscription?.usage ?? [])
  const billed = plan ? (subscription?.status === 'trialing' ? subscription.trial_end : subscription?.current_period_end) : null
  const next = billed ? day(billed) : today ? day(today + noPlanDays * DAY_MS) : ''

  async function cancel() {
    await attempt('The subscription was not cancelled', async () => {
      await call('cancel-subscription')
      onChanged()
      toast.success(`${plan?.name} ends on ${next}`, 'Until then everything stays as it is.')
    })
  }
  async function resume() {
    setResuming(true)
    await attempt('The subscription was not resumed', async () => {
      await call('resume-subscription')
      onChanged()
      toast.success(`${plan?.name} goes on`)
    })
    setResuming(false)
  }

  return (
    <Panel
      title="Subscription"
      badge={
        plan ? (
          <Pill tone={subscription?.disputed || subscription?.status === 'past_due' ? 'bad' : 'good'}>
            {subscription?.disputed ? 'Paused' : statusNames[subscription?.status ?? 'active']}
          </Pill>
        ) : null
      }
      className="text-14 lg:col-span-2"
    >
      <dl className="grid grid-cols-2 gap-y-3">
        <dt className="text-muted">Plan</dt>
        <dd className="text-right font-medium">
          {unknown ? (
            <Skeleton className="ml-auto h-5 w-16" />
          ) : (
            (plan?.name ?? (subscription?.trial_available === false ? 'None' : 'None yet'))
          )}
        </dd>
        {plan ? (
          <>
            <dt className="text-muted">Billed</dt>
            <dd className="text-right font-medium">
              {subscription?.period === 'year' ? `Yearly, ${money(plan.yearlyCents)}` : `Monthly, ${money(plan.priceCents)}`}
            </dd>
          </>
        ) : null}
        <dt className="text-muted">{subscription?.cancel_at_period_end ? 'Ends on' : 'Next billing date'}</dt>
        <dd className="min-h-5 text-right font-medium tabular">{unknown ? <Skeleton className="ml-auto h-5 w-32" /> : next}</dd>
      </dl>
      {plan && follows ? (
        <p className="mt-3 text-13 text-muted">
          {plan.name} is paid until {next}. {follows.name}
          {subscription?.next_period && subscription.next_period !== subscription.period
            ? `, billed ${subscription.next_period === 'year' ? 'yearly' : 'monthly'},`
            : ''}{' '}
          starts then; you can keep {plan.name} above until that day.
        </p>
      ) : null}
      {plan || unknown ? null : (
        <p className="mt-3 text-13 text-faint">
          A preview: {noPlanDays} days from today.
          {subscription?.trial_available === false ? '' : ` A trial of ${TRIAL_DAYS} days is billed when it ends.`}
        </p>
      )}
      {subscription?.disputed ? (
        <Alert className="mt-4" title="Your plan is paused">
          A payment is disputed at your bank. Nothing more is charged until the bank decides, and your data is kept. If that is a mistake,
          tell your bank that you know the payment.
        </Alert>
      ) : null}
      {subscription?.status === 'past_due' && !subscription.disputed ? (
        <Alert className="mt-4" title="The last payment did not go through">
          {subscription.subscribed && subscription.grace_until
            ? `Everything works until ${day(subscription.grace_until)}. Update the card to keep it so.`
            : 'The tools are closed until it is paid. Your data is kept. Update your card, and they open again once it is paid.'}
        </Alert>
      ) : null}
      {subscription?.usage.length ? (
        <div className="mt-5 flex flex-col gap-4 border-t border-line pt-5">
          {meters.map((row) => (
            <GeneMeter key={row.unit} label={unitNames[row.unit]} used={row.used} limit={row.limit} />
          ))}
          {subscription.period === 'year' && meters[0]?.period_end ? (
            <p className="text-12 text-faint">Allowances start again on {day(meters[0].period_end)}.</p>
          ) : null}
          {meters.length < subscription.usage.length ? (
            <p className="text-12 text-faint">Other allowances of the plan appear here when their tools open.</p>
          ) : null}
          {subscription.status === 'trialing' && plan?.id !== 'basic' ? (
            <p className="text-12 text-faint">During the trial the limits are those of {plans[0]!.name}.</p>
          ) : null}
        </div>
      ) : null}
      <div className="mt-5 flex flex-wrap gap-2">
        {isNew ? null : (
          <Button busy={busy} onClick={onManage}>
            {plan || !signedIn || unknown ? 'Manage Subscription' : 'Billing portal'}
          </Button>
        )}
        {plan && subscription?.cancel_at_period_end ? (
          <Button variant="primary" busy={resuming} onClick={resume}>
            Keep {plan.name}
          </Button>
        ) : plan ? (
          <Button variant="ghost" onClick={() => setCanceling(true)}>
            Cancel
          </Button>
        ) : null}
      </div>
      <Confirm
        open={canceling}
        onClose={() => setCanceling(false)}
        title={`Cancel ${plan?.name}?`}
        action={`Cancel ${plan?.name}`}
        keep={`Keep ${plan?.name}`}
        danger
        onConfirm={cancel}
      >
        It stays until {next} and is not billed again. Your data stays, and you can take this back until then.
      </Confirm>
    </Panel>
  )
}

const statusNames: Record<string, string> = {
  trialing: 'Free trial',
  active: 'Active',
  past_due: 'Payment due',
  canceled: 'Ended',
  unpaid: 'Unpaid',
  incomplete: 'Not finished',
}
