import { Heart, MessageSquareQuote, Package, Search } from 'lucide-react'
import { Navigate } from 'react-router-dom'
import { retrySession, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { FullPage, PageLoading } from '../../shell/states.tsx'
import { Stat, StatRow } from '../../ui/Data.tsx'
import { Alert, EmptyState, ErrorState, Panel } from '../../ui/Panel.tsx'

const parts = [
  { title: 'Orders', icon: Package, text: 'What you buy will be kept here to download again, with its receipts.' },
  { title: 'Wishlist', icon: Heart, text: 'The things you want to come back to will stand here.' },
  { title: 'Reviews', icon: MessageSquareQuote, text: 'What you say about what you bought will stand here.' },
  { title: 'Searches', icon: Search, text: 'The searches you save will stand here, with what is new in them.' },
]

export function BuyerDashboardPage() {
  const { status, user } = useSession()
  if (status === 'loading') return <PageLoading />
  if (status === 'unreachable')
    return (
      <FullPage>
        <ErrorState title="Your account could not be checked" retry={retrySession}>
          The server did not answer. You are still signed in and nothing is lost.
        </ErrorState>
      </FullPage>
    )
  if (!user) return <Navigate to={paths.buyerPortal} replace />
  return (
    <PublicLayout footer={false}>
      <div className="mx-auto max-w-[72rem] px-5 py-10 text-14 md:px-8 md:py-14">
        <h1 className="text-28 font-semibold">Welcome{user.user_metadata.name ? `, ${user.user_metadata.name}` : ''}</h1>
        <p className="mt-1 mb-6 text-muted">What you bought and what you are looking for.</p>
        <Alert tone="info" title="Buying is not open yet" className="mb-6">
          Storefronts show what sellers offer, but nothing can be paid for so far, so the four counters below are at zero for everyone. Your
          account is ready for the day it opens.
        </Alert>
        <StatRow>
          {parts.map((part) => (
            <Stat key={part.title} label={part.title} value={0} />
          ))}
        </StatRow>
        <div className="mt-6 grid grid-cols-1 gap-6 md:grid-cols-2">
          {parts.map((part) => (
            <Panel key={part.title} title={part.title} flush>
              <EmptyState compact title={`No ${part.title.toLowerCase()} yet`}>
                {part.text}
              </EmptyState>
            </Panel>
          ))}
        </div>
      </div>
    </PublicLayout>
  )
}
