import { topUpTitle } from '@operon/contracts/words'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { Busy, EmptyRow, Mark } from '../../ui/Mark.tsx'
import { topUpsKey } from './queries.ts'
import { SignInToSee, ToPlan, Unread } from './Unread.tsx'

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
            <ToPlan />
          </>
        }
      >
        <p>They are used after your monthly allowance runs out, and they do not expire. The invoice is on the plan page.</p>
      </PublicMessage>
    )
  if (status === 'expired')
    return (
      <PublicMessage art={<EmptyRow className="h-16 self-start" />} title="The checkout was not finished." actions={<ToPlan />}>
        <p>Nothing was charged. You can start it again on the plan page.</p>
      </PublicMessage>
    )
  if (session === 'signed-out') return <SignInToSee />
  if (result.isError)
    return <Unread result={result}>If you paid, the payment is safe; the plan page shows the top-up as soon as it is confirmed.</Unread>
  return (
    <PublicMessage art={art} title="Confirming with the payment provider">
      <span className="text-signal-text">
        <Busy label="Confirming the payment" />
      </span>
    </PublicMessage>
  )
}
