import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { ErrorState, Skeleton } from '../../ui/Panel.tsx'

type Paged<T> = { rows: T[]; cursor: string | null }
type Props<T> = {
  name: string
  read: (cursor: string | undefined) => Promise<Paged<T>>
  empty: ReactNode
  children: (rows: T[]) => ReactNode
  failed: string
}

/** A list that grows page by page, with its empty, loading and failed states. */
export function Pages<T>({ name, read, empty, children, failed }: Props<T>) {
  const list = useInfiniteQuery({
    queryKey: [name],
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
  if (list.isError && !list.data)
    return (
      <div className="border-t border-line md:px-3">
        <ErrorState title={failed} retry={() => list.refetch()}>
          The server did not answer. Nothing is lost; try again in a moment.
        </ErrorState>
      </div>
    )
  if (!list.data)
    return (
      <div role="status" aria-label="Loading" className="border-t border-line">
        {[1, 2, 3].map((key) => (
          <div key={key} className="border-b border-line px-5 py-5 md:px-8">
            <Skeleton className="h-5 w-56" />
            <Skeleton className="mt-2 h-4 w-40" />
          </div>
        ))}
      </div>
    )
  const rows = list.data.pages.flatMap((page) => page.rows)
  if (!rows.length) return <div className="border-t border-line md:px-3">{empty}</div>
  return (
    <>
      {children(rows)}
      {list.hasNextPage ? (
        <div className="px-5 py-5 md:px-8">
          <Button size="public" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      ) : null}
    </>
  )
}
