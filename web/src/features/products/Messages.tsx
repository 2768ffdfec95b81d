import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useSearchParams } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { Conversation } from '../../chat/Conversation.tsx'
import { ago } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { RefundRequests } from './RefundRequests.tsx'
import { Reviews } from './Reviews.tsx'

/** Everything that buyers wrote: requests with a date first, then conversations and reviews. */
export function Messages() {
  return (
    <div className="flex flex-col gap-6 pt-5">
      <RefundRequests />
      <Threads />
      <Reviews />
    </div>
  )
}

function Threads() {
  const queries = useQueryClient()
  const [search, setSearch] = useSearchParams()
  const list = useInfiniteQuery({
    queryKey: ['list-threads'],
    queryFn: ({ pageParam }) => call('list-threads', pageParam ? { cursor: pageParam } : {}),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
  useLive(
    'messages',
    useCallback(() => void queries.invalidateQueries({ queryKey: ['list-threads'] }), [queries]),
  )
  const threads = list.data?.pages.flatMap((page) => page.threads) ?? []
  const minutes = list.data?.pages[0]?.response_minutes
  const open = search.get('thread')
  return (
    <Panel
      title="Messages"
      flush
      actions={typeof minutes === 'number' ? <p className="text-12 text-muted">You usually answer within {spanOf(minutes)}</p> : null}
    >
      {list.isPending ? <Skeleton className="m-4 h-16" /> : null}
      {list.isError && !list.data ? (
        <ErrorState title="Your messages could not be loaded" error={list.error} retry={() => list.refetch()} />
      ) : null}
      {list.data && !threads.length ? (
        <EmptyState compact title="No messages yet">
          Questions about your products and messages about orders arrive here and by email.
        </EmptyState>
      ) : null}
      {threads.length ? (
        <ul aria-label="Conversations">
          {threads.map((thread) => (
            <li key={thread.id} className="border-b border-line last:border-0">
              <button
                type="button"
                onClick={() => setSearch({ tab: 'messages', thread: thread.id })}
                className="flex w-full items-baseline gap-4 px-4 py-3 text-left outline-offset-[-2px] hover:bg-raised"
              >
                <span className="min-w-0 flex-1">
                  <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                    <span className="min-w-0 break-words">{thread.from}</span>
                    <span className="min-w-0 font-normal break-words text-muted">{thread.subject}</span>
                    {thread.unread ? <Pill tone="signal">{thread.unread} new</Pill> : null}
                  </span>
                  <span className="mt-0.5 block truncate text-13 text-muted">
                    {thread.last_from === 'seller' ? 'You: ' : ''}
                    {thread.preview}
                  </span>
                </span>
                <span className="text-12 whitespace-nowrap text-faint tabular">{ago(thread.time)}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <ShowMore of={list} className="m-4" />
      {open ? (
        <Conversation
          id={open}
          me="seller"
          lists={['list-threads', 'marketplace-overview']}
          onClose={() => setSearch({ tab: 'messages' }, { replace: true })}
        />
      ) : null}
    </Panel>
  )
}

function spanOf(minutes: number): string {
  if (minutes < 1) return 'a minute'
  if (minutes < 90) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
