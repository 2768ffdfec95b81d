import { topUpTitle } from '@operon/contracts/words'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Busy, EmptyRow, Mark } from '../../ui/Mark.tsx'
import { topUpsKey } from './queries.ts'

/** The page that a buyer of a top-up comes back to. */
export function TopUpResult({ id }: { id: string }) {
  const { user, status: session } = useSession()
  const queries = useQueryClient()
  const result = useQuery({
    queryKey: ['top-up-status', id],
    queryFn: () => call('top-up-status', { top_up_id: id }),
    enabled: Boolean(user),
    refetchInterval: (query) => (query.state.data?.status === 'open' ? 1500 : false),
  })
  const status = result.data?.status
  useEffect(() => {
    if (status === 'complete') void queries.invalidateQueries({ queryKey: topUpsKey(user?.id) })
  }, [status, queries, user?.id])
  const art = <Mark className="h-10 self-start" />
  const back = (
    <ButtonLink to={paths.pricing} size="public">
      See plan and usage
    </ButtonLink>
  )

  if (result.data && status === 'complete')
    return (
      <PublicMessage
        art={art}
        title={`${topUpTitle(result.data)} added.`}
        actions={
          <>
            <ButtonLink to={paths.dashboard} variant="primary" size="public">
              Go to the dashboard
            </ButtonLink>
            {back}
          </>
        }
      >
        <p>They are used after your monthly allowance runs out, and they do not expire. The invoice is on the plan page.</p>
      </PublicMessage>
    )
  if (status === 'expired')
    return (
      <PublicMessage art={<EmptyRow className="h-16 self-start" />} title="The checkout was not finished." actions={back}>
        <p>Nothing was charged. You can start it again on the plan page.</p>
      </PublicMessage>
    )
  if (session === 'signed-out')
    return (
      <PublicMessage
        art={art}
        title="Thank you."
        actions={
          <ButtonLink to={paths.auth} variant="primary" size="public">
            Sign in
          </ButtonLink>
        }
      >
        <p>Sign in to see the result of your checkout.</p>
      </PublicMessage>
    )
  if (result.isError)
    return (
      <PublicMessage
        art={art}
        title="The result could not be read."
        actions={
          <>
            <Button size="public" onClick={() => result.refetch()}>
              Try again
            </Button>
            {back}
          </>
        }
      >
        <p>{result.error.message}</p>
        <p>If you paid, the payment is safe; the plan page shows the top-up as soon as it is confirmed.</p>
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
