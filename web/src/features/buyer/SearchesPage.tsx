import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame, BuyerHead } from '../../shell/BuyerFrame.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Switch } from '../../ui/Field.tsx'
import { EmptyState, ErrorState, Pill, Skeleton } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'

export function SearchesPage() {
  const queries = useQueryClient()
  const list = useQuery({ queryKey: ['my-searches'], queryFn: () => call('my-searches', {}) })
  const change = (work: () => Promise<unknown>) =>
    attempt('The search was not changed', async () => {
      await work()
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['my-searches'] }),
        queries.invalidateQueries({ queryKey: ['buyer-overview'] }),
      ])
    })
  return (
    <BuyerFrame>
      <BuyerHead title="Saved searches">New products that match, and at most one email a day for each search.</BuyerHead>
      {list.isError && !list.data ? (
        <div className="border-t border-line md:px-3">
          <ErrorState title="Your searches could not be loaded" retry={() => list.refetch()}>
            Nothing is lost. Try again in a moment.
          </ErrorState>
        </div>
      ) : !list.data ? (
        <div role="status" aria-label="Loading" className="border-t border-line px-5 py-5 md:px-8">
          <Skeleton className="h-5 w-56" />
        </div>
      ) : list.data.searches.length ? (
        <ul aria-label="Saved searches" className="border-t border-line">
          {list.data.searches.map(({ id, q, category, mails, fresh }) => {
            const name = [q, category].filter(Boolean).join(' in ')
            const to = `${paths.marketplace}?${new URLSearchParams(Object.entries({ q, category }).filter(([, value]) => value))}`
            return (
              <li key={id} className="flex flex-wrap items-center gap-x-6 gap-y-3 border-b border-line px-5 py-4 md:px-8">
                <span className="flex min-w-0 flex-1 basis-52 items-center gap-3">
                  <Link
                    to={to}
                    onClick={() => void call('change-search', { search_id: id, looked_at: true }).catch(() => {})}
                    className="text-16 font-semibold break-words hover:underline"
                  >
                    {name}
                  </Link>
                  {fresh ? <Pill tone="signal">{fresh >= 100 ? '100 or more new' : `${fresh} new`}</Pill> : null}
                </span>
                <span className="flex items-center gap-2 text-13 text-muted">
                  <Switch
                    label={`Email me about ${name}`}
                    checked={mails}
                    onChange={(next) => void change(() => call('change-search', { search_id: id, mails: next }))}
                  />
                  Email me
                </span>
                <Button
                  aria-label={`Delete the search ${name}`}
                  onClick={async () => {
                    const done = await change(() => call('change-search', { search_id: id, deleted: true }))
                    if (done) toast.undo(`${name} was deleted`, () => void change(() => call('save-search', { q, category })))
                  }}
                >
                  Delete
                </Button>
              </li>
            )
          })}
        </ul>
      ) : (
        <div className="border-t border-line md:px-3">
          <EmptyState title="No saved searches" action={<ButtonLink to={paths.marketplace}>Search the marketplace</ButtonLink>}>
            Search the marketplace, then choose “Save this search”. We tell you when something new matches.
          </EmptyState>
        </div>
      )}
    </BuyerFrame>
  )
}
