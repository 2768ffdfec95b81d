import { plans, TRIAL_DAYS } from '@operon/contracts/plans'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { type CheckoutStatus, fnCall } from '../../api/billing.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { LandingView } from '../../shell/LandingView.tsx'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { day } from '../../ui/format.ts'
import { Busy, Mark } from '../../ui/Mark.tsx'
import { ErrorState } from '../../ui/Panel.tsx'

/** The checkout's result where there is one, else the landing view. */
export function ThankYouPage() {
  const [search] = useSearchParams()
  const checkout = search.get('session_id')
  return checkout ? <CheckoutResult id={checkout} /> : <LandingView />
}

function CheckoutResult({ id }: { id: string }) {
  const { user, status: session } = useSession()
  const queries = useQueryClient()
  const result = useQuery({
    queryKey: ['checkout-status', id],
    queryFn: () => fnCall<CheckoutStatus>('checkout-status', { session_id: id }),
    enabled: Boolean(user),
    refetchInterval: (query) => (query.state.data?.status === 'open' ? 1500 : false),
  })
  const plan = plans.find((candidate) => candidate.id === result.data?.plan)
  const complete = result.data?.status === 'complete'
  useEffect(() => {
    if (complete) void queries.invalidateQueries({ queryKey: ['seller-access'] })
  }, [complete, queries])

  return (
    <PublicLayout footer={false}>
      <div className="mx-auto flex min-h-[70dvh] max-w-[40rem] flex-col items-start justify-center gap-5 px-5 md:px-8">
        <Mark className="h-8" />
        {complete ? (
          <>
            <h1 className="text-40 font-semibold">{plan ? `${plan.name} is on.` : 'Your plan is on.'}</h1>
            <p className="text-muted">
              {result.data?.trial_end
                ? `Your ${TRIAL_DAYS}-day free trial runs until ${day(result.data.trial_end)}. Nothing is charged before then.`
                : 'The payment went through and the invoice is on its way by mail.'}
            </p>
            <div className="flex flex-wrap gap-2">
              <ButtonLink to={paths.dashboard} variant="primary" size="public">
                Go to the dashboard
              </ButtonLink>
              <ButtonLink to={paths.pricing} size="public">
                See plan and usage
              </ButtonLink>
            </div>
          </>
        ) : session === 'signed-out' ? (
          <>
            <h1 className="text-40 font-semibold">Thank you.</h1>
            <p className="text-muted">Sign in to see how your checkout ended.</p>
            <ButtonLink to={paths.auth} variant="primary" size="public">
              Sign in
            </ButtonLink>
          </>
        ) : result.isError ? (
          <ErrorState title="The result could not be read" error={result.error} retry={() => result.refetch()}>
            If you paid, the payment is safe; the plan page shows it as soon as it is confirmed.
          </ErrorState>
        ) : result.data?.status === 'expired' ? (
          <>
            <h1 className="text-40 font-semibold">The checkout was not finished.</h1>
            <p className="text-muted">Nothing was charged. You can start it again whenever you like.</p>
            <ButtonLink to={paths.pricing} variant="primary" size="public">
              Back to the plans
            </ButtonLink>
          </>
        ) : (
          <>
            <h1 className="text-28 font-semibold">Confirming with the payment provider</h1>
            <span className="text-signal-text">
              <Busy label="Confirming the payment" />
            </span>
          </>
        )}
      </div>
    </PublicLayout>
  )
}
