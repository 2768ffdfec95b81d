import type { ReactNode } from 'react'
import type { ApiError } from '../../api/http.ts'
import { ErrorState, PageHeader, Panel, Skeleton } from '../../ui/Panel.tsx'

type Asked = { isError: boolean; error: ApiError | null; refetch(): unknown }
/** The page of a campaign or a sequence while it loads, or where it cannot be shown. */
export function Opening({ noun, back, found }: { noun: string; back: ReactNode; found: Asked }) {
  return (
    <>
      {back}
      {found.isError && found.error ? (
        <Panel flush>
          <ErrorState title={`This ${noun} could not be loaded`} error={found.error} retry={() => found.refetch()}>
            {found.error.status === 404 ? 'It was deleted, or belongs to another account.' : undefined}
          </ErrorState>
        </Panel>
      ) : (
        <>
          <PageHeader title={<Skeleton className="h-8 w-72" />} />
          <Skeleton className="h-96" />
        </>
      )}
    </>
  )
}
