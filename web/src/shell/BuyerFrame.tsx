import type { ReactNode } from 'react'
import { Navigate, NavLink } from 'react-router-dom'
import { useLiveSocket } from '../api/live.ts'
import { retrySession, useSession } from '../api/session.ts'
import { paths } from '../paths.ts'
import { cx } from '../ui/cx.ts'
import { DemoLine } from './DemoLine.tsx'
import { PublicLayout } from './PublicLayout.tsx'
import { PageLoading } from './states.tsx'
import { Unreached } from './Unreached.tsx'

const places = [
  [paths.buyer, 'Overview'],
  [paths.buyerOrders, 'Orders'],
  [paths.buyerMessages, 'Messages'],
  [paths.buyerWishlist, 'Wishlist'],
  [paths.buyerReviews, 'Reviews'],
  [paths.buyerSearches, 'Searches'],
  [paths.buyerSettings, 'Settings'],
] as const

/** The signed-in pages of a buyer: the public header and a row of their own places, never the seller's sidebar. */
export function BuyerFrame({ children }: { children: ReactNode }) {
  const { status, user } = useSession()
  if (status === 'loading') return <PageLoading />
  if (status === 'unreachable') return <Unreached title="Your account could not be checked" retry={retrySession} />
  if (!user) return <Navigate to={paths.buyerPortal} replace />
  return <Frame>{children}</Frame>
}

function Frame({ children }: { children: ReactNode }) {
  useLiveSocket()
  return (
    <PublicLayout footer={false}>
      <DemoLine />
      <div className="rail flex w-full flex-1 flex-col">
        <nav aria-label="Your account" className="flex gap-5 overflow-x-auto border-b border-line px-5 md:px-8">
          {places.map(([to, label]) => (
            <NavLink
              key={to}
              to={to}
              end={to === paths.buyer}
              className={({ isActive }) =>
                cx(
                  '-mb-px inline-flex h-11 items-center border-b-2 text-13 font-medium whitespace-nowrap outline-offset-[-2px]',
                  isActive ? 'border-signal-text text-text' : 'border-transparent text-muted hover:text-text',
                )
              }
            >
              {label}
            </NavLink>
          ))}
        </nav>
        {children}
      </div>
    </PublicLayout>
  )
}

/** The title of a buyer's page, and what to do first there. */
export function BuyerHead({ title, children, actions }: { title: ReactNode; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 px-5 pt-8 pb-6 md:px-8">
      <div className="min-w-0">
        <h1 className="text-28 font-semibold break-words">{title}</h1>
        {children ? <div className="mt-1 max-w-[68ch] text-14 text-muted">{children}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
    </div>
  )
}
