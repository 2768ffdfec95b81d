import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { createQueryClient } from './api/queryClient.ts'
import { AppRoutes, preload } from './router.tsx'
import { AnotherAccount } from './shell/AnotherAccount.tsx'
import { ArrivalFirst } from './shell/ArrivalFirst.tsx'
import { ErrorBoundary } from './shell/ErrorBoundary.tsx'
import { ScrollAndTitle } from './shell/ScrollAndTitle.tsx'
import { SecondFactorFirst } from './shell/SecondFactorFirst.tsx'
import { SignedOutNotice } from './shell/SignedOutNotice.tsx'
import { PageLoading } from './shell/states.tsx'
import { TooltipHost } from './ui/Tooltip.tsx'
import { ToastHost } from './ui/toast.tsx'

export function App() {
  const [queries] = useState(createQueryClient)
  usePrefetchOnIntent()
  return (
    <QueryClientProvider client={queries}>
      <ErrorBoundary>
        <Suspense fallback={<PageLoading />}>
          <ArrivalFirst>
            <SecondFactorFirst>
              <AppRoutes />
            </SecondFactorFirst>
          </ArrivalFirst>
        </Suspense>
      </ErrorBoundary>
      <AnotherAccount />
      <SignedOutNotice />
      <ScrollAndTitle />
      <ToastHost />
      <TooltipHost />
    </QueryClientProvider>
  )
}

/** A link that is pointed at or focused loads its page's code. */
function usePrefetchOnIntent() {
  const { pathname } = useLocation()
  useEffect(() => {
    function prefetch(event: Event) {
      const link = (event.target as Element).closest?.('a')
      if (link?.origin === location.origin && link.pathname !== pathname) void preload(link.pathname).catch(() => {})
    }
    document.addEventListener('pointerover', prefetch, { passive: true })
    document.addEventListener('focusin', prefetch)
    return () => {
      document.removeEventListener('pointerover', prefetch)
      document.removeEventListener('focusin', prefetch)
    }
  }, [pathname])
}
