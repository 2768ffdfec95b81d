import { texts } from '@operon/contracts/messages'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { usePlatform } from '../api/platform.ts'
import { useRole } from '../api/roles.ts'
import { loadBackend, retrySession, useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { cx } from '../ui/cx.ts'
import { AssistantHost } from './AssistantHost.tsx'
import { BuyerFrame } from './BuyerFrame.tsx'
import { CommandHost } from './CommandHost.tsx'
import { Connection } from './Connection.tsx'
import { DemoLine } from './DemoLine.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { SandboxRibbon } from './SandboxRibbon.tsx'
import { MobileSidebar, Sidebar } from './Sidebar.tsx'
import { PageLoading } from './states.tsx'
import { TopBar } from './TopBar.tsx'
import { Unreached } from './Unreached.tsx'
import { useSidebar } from './useSidebar.ts'

/**
 * Settings need a session; every other page here needs an active subscription as well.
 * A buyer without one is led to the buyer dashboard, and has the settings in the buyer's frame.
 */
export function GatedShell() {
  const { pathname } = useLocation()
  const { status, user } = useSession()
  const open = pathname === paths.settings || pathname === '/dashboard/integrations'
  const access = useSellerAccess(user?.id)
  const role = useRole(user?.id)
  const wasBuyer = useRef(false)
  if (role.data) wasBuyer.current = role.data === 'buyer'
  usePlatform()

  if (status === 'signed-out') return <Navigate to={wasBuyer.current ? paths.buyerPortal : paths.sellerPortal} replace />
  if (status === 'unreachable') return <Unreached title="Your access could not be checked" retry={retrySession} />
  if (access.isError || role.isError)
    return <Unreached title="Your access could not be checked" retry={() => Promise.all([access.refetch(), role.refetch()])} />
  if (status === 'loading' || access.data === undefined || role.data === undefined) return <PageLoading text={texts.verifyingAccess} />
  if (access.data) return <Shell />
  if (role.data === 'buyer')
    return open ? (
      <BuyerFrame>
        <div className="w-full px-5 py-8 md:px-8">
          <Outlet />
        </div>
      </BuyerFrame>
    ) : (
      <Navigate to={paths.buyer} state={{ wanted: 'seller tools' }} replace />
    )
  return open ? <Shell /> : <Navigate to={paths.pricing} replace />
}

function useSellerAccess(userId: string | undefined) {
  return useQuery({
    queryKey: ['seller-access', userId],
    enabled: Boolean(userId),
    staleTime: 60_000,
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      const row = await rows<{ subscribed: boolean } | null>(
        rest.from('subscribers').select('subscribed').eq('user_id', userId!).eq('subscribed', true).maybeSingle(),
      )
      return row?.subscribed === true
    },
  })
}

function Shell() {
  const { pathname } = useLocation()
  const { user } = useSession()
  const sidebar = useSidebar()
  const [assistant, setAssistant] = useState(false)
  const [commands, setCommands] = useState(false)

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      const key = event.key.toLowerCase()
      if (key === 'b') sidebar.toggle()
      else if (key === 'k') setCommands(true)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [sidebar.toggle])

  return (
    <div
      className={cx(
        'min-h-dvh md:grid',
        sidebar.open ? 'md:grid-cols-[16rem_minmax(0,1fr)]' : 'md:grid-cols-[3rem_minmax(0,1fr)]',
        'transition-[grid-template-columns] duration-200 ease-out',
      )}
    >
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-panel focus:p-2"
      >
        Skip to content
      </a>
      <Sidebar collapsed={!sidebar.open} />
      <MobileSidebar open={sidebar.drawer} onClose={sidebar.closeDrawer} />
      <div className="flex min-w-0 flex-col">
        <SandboxRibbon />
        <DemoLine />
        <TopBar user={user!} sidebar={sidebar} onAssistant={() => setAssistant(true)} onCommands={() => setCommands(true)} />
        <Connection />
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto w-full max-w-[84rem] flex-1 px-4 py-6 md:px-8 md:py-8 md:has-[[data-bleed]]:max-w-none md:has-[[data-bleed]]:p-0"
        >
          <ErrorBoundary resetKey={pathname}>
            <Suspense fallback={<PageLoading />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <AssistantHost open={assistant} onClose={() => setAssistant(false)} />
      <CommandHost open={commands} onClose={() => setCommands(false)} onAssistant={() => setAssistant(true)} />
    </div>
  )
}
