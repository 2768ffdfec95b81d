import { Heart, MessageSquareQuote, Package, Search } from 'lucide-react'
import type { FormEvent } from 'react'
import { Navigate, useLocation, useNavigate } from 'react-router-dom'
import { retrySession, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame } from '../../shell/BuyerFrame.tsx'
import { PageLoading } from '../../shell/states.tsx'
import { Unreached } from '../../shell/Unreached.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'

const parts = [
  { title: 'Orders', icon: Package, text: 'Your purchases and receipts, to download again.' },
  { title: 'Wishlist', icon: Heart, text: 'Items you saved for later.' },
  { title: 'Reviews', icon: MessageSquareQuote, text: 'Your reviews of items you bought.' },
  { title: 'Searches', icon: Search, text: 'The searches you save, with what is new in them.' },
]

export function BuyerDashboardPage() {
  const { status, user } = useSession()
  const { state } = useLocation()
  if (status === 'loading') return <PageLoading />
  if (status === 'unreachable') return <Unreached title="Your account could not be checked" retry={retrySession} />
  if (!user) return <Navigate to={paths.buyerPortal} replace />
  return (
    <BuyerFrame>
      {state?.wanted ? <SellerToolsNotice /> : null}
      <SectionHead as="h1" title={`Welcome${user.user_metadata.name ? `, ${user.user_metadata.name}` : ''}`}>
        Your orders, saved items, reviews and searches.
      </SectionHead>
      <ul className="grid grid-cols-2 overflow-hidden border-y border-line lg:grid-cols-4">
        {parts.map(({ title, text, icon: Icon }) => (
          <li key={title} className="-mt-px -ml-px flex flex-col border-t border-l border-line px-5 py-6 md:px-8 md:py-8">
            <div className="flex items-center gap-2.5 text-14 text-muted">
              <Icon className="size-4 text-faint max-[359px]:hidden" />
              <h2>{title}</h2>
              <span className="ml-auto text-12 text-faint">Coming</span>
            </div>
            <p className="mt-2 text-40 font-semibold">0</p>
            <p className="mt-2 max-w-[36ch] text-13 text-faint">{text}</p>
          </li>
        ))}
      </ul>
      <div className="grid flex-1 max-lg:content-start lg:grid-cols-2">
        <div className="px-5 py-9 md:px-8">
          <h2 className="text-16 font-semibold">Buying is not open yet</h2>
          <p className="mt-1 max-w-[56ch] text-14 text-muted">
            Storefronts show what sellers offer, but nothing can be paid for so far, so the four counters above are at zero for everyone.
            Your account is ready for the day it opens.
          </p>
        </div>
        <OpenStorefront />
      </div>
    </BuyerFrame>
  )
}

/** For a buyer who opened an address of the seller's dashboard. */
function SellerToolsNotice() {
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-6 gap-y-3 border-b border-line bg-panel px-5 py-4 md:px-8">
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-14 font-semibold">That page belongs to the seller tools</p>
        <p className="mt-0.5 max-w-[60ch] text-13 text-muted">
          You have a buyer account, so we brought you to your buyer dashboard. To use the seller tools with this account, choose a plan. You
          keep everything you have here.
        </p>
      </div>
      <ButtonLink to={paths.pricing} variant="primary" size="public">
        Become a seller
      </ButtonLink>
    </div>
  )
}

/** By the link a seller shared, or the name at its end. */
function OpenStorefront() {
  const navigate = useNavigate()
  function open(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const slug = String(new FormData(event.currentTarget).get('store'))
      .trim()
      .replace(/[/?#]+$/, '')
      .split('/')
      .pop()
    if (slug) navigate(paths.storefront(encodeURIComponent(slug.toLowerCase())))
  }
  return (
    <form onSubmit={open} className="flex flex-col border-line px-5 py-9 max-lg:border-t md:px-8 lg:border-l">
      <h2 className="text-16 font-semibold">Look around a storefront</h2>
      <p className="mt-1 mb-4 text-14 text-muted">Paste the link a seller gave you, or the name at its end.</p>
      <div className="flex max-w-md items-end gap-2">
        <div className="flex-1">
          <TextField label="Storefront" name="store" required placeholder="mara-automations" autoComplete="off" spellCheck={false} />
        </div>
        <Button type="submit" size="public" className="md:h-9">
          Open
        </Button>
      </div>
    </form>
  )
}
