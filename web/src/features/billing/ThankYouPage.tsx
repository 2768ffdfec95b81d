import { plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import type { Otherwise } from '../../lazyPage.tsx'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { day, money } from '../../ui/format.ts'
import { Busy, EmptyRow, Mark } from '../../ui/Mark.tsx'
import { TopUpResult } from './TopUpResult.tsx'
import { SignInToSee, ToPlan, Unread } from './Unread.tsx'

/** The checkout's result where there is one, else the landing view. */
export function ThankYouPage({ otherwise }: Otherwise) {
  const [search] = useSearchParams()
  const checkout = search.get('session_id')
  const topUp = search.get('top_up')
  if (topUp) return <TopUpResult id={topUp} />
  return checkout ? <CheckoutResult id={checkout} /> : otherwise
}

function CheckoutResult({ id }: { id: string }) {
  const { user, status: session } = useSession()
  const queries = useQueryClient()
  const result = useQuery({
    queryKey: ['checkout-status', id],
    queryFn: () => call('checkout-status', { session_id: id }),
    enabled: Boolean(user),
    refetchInterval: (query) => (query.state.data?.status === 'open' ? 1500 : false),
  })
  const plan = plans.find((candidate) => candidate.id === result.data?.plan)
  const complete = result.data?.status === 'complete'
  useEffect(() => {
    if (complete) void queries.invalidateQueries({ queryKey: ['seller-access'] })
  }, [complete, queries])

  const art = <Mark className="h-10 self-start" />
  if (result.data?.trial_refused)
    return (
      <PublicMessage
        art={<EmptyRow className="h-16 self-start" />}
        title="This card already had its free trial."
        actions={
          <ButtonLink to={paths.pricing} variant="primary" size="public">
            Choose a plan
          </ButtonLink>
        }
      >
        <p>
          A free trial is once per card, so {plan ? `your ${plan.name} plan` : 'your plan'} did not start, and nothing was charged.
          {plan
            ? ` To start it without a trial, choose it again: ${money(plan.priceCents, plan.currency)}, or ${money(plan.yearlyCents, plan.currency)} for a year, is then charged right away.`
            : ''}
        </p>
      </PublicMessage>
    )
  if (complete)
    return (
      <PublicMessage
        art={art}
        title={plan ? `${plan.name} is on.` : 'Your plan is on.'}
        actions={
          <>
            <ButtonLink to={paths.dashboard} variant="primary" size="public">
              Go to the dashboard
            </ButtonLink>
            <ToPlan />
          </>
        }
      >
        <p>
          {result.data?.trial_end
            ? `Your ${TRIAL_DAYS}-day free trial runs until ${day(result.data.trial_end)}. Nothing is charged before then.`
            : 'The payment went through. Its invoice is on the plan page.'}
        </p>
      </PublicMessage>
    )
  if (session === 'signed-out') return <SignInToSee />
  if (result.isError)
    return <Unread result={result}>If you paid, the payment is safe; the plan page shows it as soon as it is confirmed.</Unread>
  if (result.data?.status === 'expired')
    return (
      <PublicMessage
        art={<EmptyRow className="h-16 self-start" />}
        title="The checkout was not finished."
        actions={
          <ButtonLink to={paths.pricing} variant="primary" size="public">
            Back to the plans
          </ButtonLink>
        }
      >
        <p>Nothing was charged. You can start it again whenever you like.</p>
      </PublicMessage>
    )
  return (
    <PublicMessage art={art} title="Confirming with the payment provider">
      <span className="text-signal-text">
        <Busy label="Confirming the payment" />
      </span>
    </PublicMessage>
  )
}
