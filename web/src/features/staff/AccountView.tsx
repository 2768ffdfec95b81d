import { billCentsOf, plans } from '@operon/contracts/plans'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { day, moment, money } from '../../ui/format.ts'
import { EmptyState, Panel, Pill } from '../../ui/Panel.tsx'
import { ActionsTable } from './ActionsTable.tsx'
import { ExtendTrialPanel } from './ExtendTrialPanel.tsx'
import { CancelPanel, CreditPanel } from './PlanPanels.tsx'
import type { StaffAccount, StaffPayment } from './queries.ts'
import { RefundPanel } from './RefundPanel.tsx'
import { StaffTable } from './StaffTable.tsx'

/** All that staff may see of one account, and what can be done to it. */
export function AccountView({ found, onChanged }: { found: StaffAccount; onChanged: () => void }) {
  const { account, subscription, payments, more_payments: hasMore, actions } = found
  const [refunding, setRefunding] = useState<StaffPayment>()
  const [doing, setDoing] = useState<'extend' | 'cancel' | 'credit'>()
  const close = () => setDoing(undefined)
  const plan = plans.find(({ id }) => id === subscription.subscription_tier)
  const isRunning = ['trialing', 'active', 'past_due', 'unpaid'].includes(subscription.status)
  const trialing = subscription.status === 'trialing' && subscription.trial_end

  return (
    <>
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-3">
        <Panel title="Billing history" flush className="min-w-0 lg:col-span-2">
          {payments.length === 0 ? (
            <EmptyState compact title="No money has moved">
              Payments, refunds, credits and disputes of this account are listed here.
            </EmptyState>
          ) : (
            <StaffTable label="Billing history" first={['When']} head={['What', 'Amount']} actions>
              {payments.toReversed().map((payment) => (
                <tr key={`${payment.kind} ${payment.payment}`}>
                  <td className="whitespace-nowrap max-md:hidden">{moment(payment.at)}</td>
                  <td>
                    <span className="break-words">{payment.kind === 'refund' ? 'Refund' : payment.description}</span>
                    <span className="block text-12 text-faint md:hidden">{moment(payment.at)}</span>
                    <span className="block font-mono text-12 break-all text-faint">
                      {payment.kind === 'refund' ? payment.description.replace(/^Refund of /, 'of ') : payment.payment}
                    </span>
                  </td>
                  <td className="text-right font-mono text-12 tabular">{money(payment.amount_cents, payment.currency)}</td>
                  <td className="text-right">
                    {payment.kind === 'charge' && leftOf(payment, payments) > 0 ? (
                      <Button onClick={() => setRefunding({ ...payment, amount_cents: leftOf(payment, payments) })}>
                        Refund<span className="sr-only"> {payment.payment}</span>
                      </Button>
                    ) : null}
                  </td>
                </tr>
              ))}
            </StaffTable>
          )}
          {hasMore ? <p className="px-4 py-3 text-12 text-faint">These are the newest {payments.length} entries of this account.</p> : null}
        </Panel>
        <Panel
          title={account.name ?? account.email ?? 'Account'}
          badge={<Pill tone={subscription.subscribed ? 'good' : 'neutral'}>{subscription.status.replace('_', ' ')}</Pill>}
          actions={trialing ? <Button onClick={() => setDoing('extend')}>Extend trial</Button> : null}
          className="min-w-0 max-lg:order-first"
        >
          <dl className="flex flex-col gap-2.5 text-13">
            <Fact name="Email">{account.email ?? 'none'}</Fact>
            <Fact name="User id" mono>
              {account.user_id}
            </Fact>
            <Fact name="Customer" mono>
              {account.customer ?? 'none yet'}
            </Fact>
            <Fact name="Since">{day(account.created_at)}</Fact>
            <Fact name="Plan">
              {plan
                ? `${plan.name}, ${money(billCentsOf(plan.id, subscription.period ?? 'month'), plan.currency)} per ${subscription.period ?? 'month'}`
                : 'none'}
            </Fact>
            {trialing ? <Fact name="Trial until">{moment(trialing)}</Fact> : null}
            {plan && subscription.current_period_end ? (
              <Fact name={subscription.cancel_at_period_end ? 'Ends on' : 'Period until'}>{moment(subscription.current_period_end)}</Fact>
            ) : null}
            {subscription.usage
              .filter(({ used }) => used > 0)
              .map(({ unit, used, limit }) => (
                <Fact key={unit} name={`Used ${unit}`} mono>
                  {used.toLocaleString('en-US')} / {limit === null ? 'unlimited' : limit.toLocaleString('en-US')}
                </Fact>
              ))}
          </dl>
          <div className="mt-4 flex flex-wrap gap-2">
            {account.customer ? <Button onClick={() => setDoing('credit')}>Give credit</Button> : null}
            {isRunning ? <Button onClick={() => setDoing('cancel')}>End plan</Button> : null}
          </div>
        </Panel>
      </div>
      <Panel title="Staff actions" flush>
        <ActionsTable actions={actions} />
      </Panel>
      {refunding ? <RefundPanel payment={refunding} onClose={() => setRefunding(undefined)} onDone={onChanged} /> : null}
      {doing === 'extend' && trialing ? (
        <ExtendTrialPanel userId={account.user_id} trialEnd={trialing} onClose={close} onDone={onChanged} />
      ) : null}
      {doing === 'cancel' ? (
        <CancelPanel userId={account.user_id} periodEnd={subscription.current_period_end} onClose={close} onDone={onChanged} />
      ) : null}
      {doing === 'credit' ? <CreditPanel userId={account.user_id} onClose={close} onDone={onChanged} /> : null}
    </>
  )
}

/** The part that refunds have not given back, as far as they name the payment. */
const leftOf = ({ payment, amount_cents }: StaffPayment, rows: StaffPayment[]) =>
  rows.reduce((left, row) => (row.description.startsWith(`Refund of ${payment}`) ? left + row.amount_cents : left), amount_cents)

function Fact({ name, mono, children }: { name: string; mono?: boolean; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="shrink-0 text-muted">{name}</dt>
      <dd className={mono ? 'min-w-0 text-right font-mono text-12 break-all' : 'min-w-0 text-right break-words'}>{children}</dd>
    </div>
  )
}
