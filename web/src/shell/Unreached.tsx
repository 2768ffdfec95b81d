import { useCallback, useRef } from 'react'
import { useOnline, useRetrying } from '../api/online.ts'
import { ErrorState } from '../ui/Panel.tsx'
import { FullPage } from './states.tsx'

/** Nobody could be asked who this is and what they may see. It is tried again by itself. */
export function Unreached({ title, retry }: { title: string; retry: () => unknown }) {
  const online = useOnline()
  const latest = useRef(retry)
  latest.current = retry
  useRetrying(useCallback(() => latest.current(), []))
  return (
    <FullPage>
      <ErrorState title={online ? title : 'You are offline'} retry={() => void retry()}>
        {online
          ? 'The server did not answer. You are still signed in and nothing is lost. This page tries again by itself.'
          : 'You are still signed in and nothing is lost. This page continues when your connection is back.'}
      </ErrorState>
    </FullPage>
  )
}
