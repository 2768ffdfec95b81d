import { useQuery } from '@tanstack/react-query'
import { Heart, type LucideIcon, MessageSquareQuote, Package, Search } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { loadBackend, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame } from '../../shell/BuyerFrame.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { ErrorState, Skeleton } from '../../ui/Panel.tsx'
import { SectionHead } from '../../ui/SectionHead.tsx'
import { toast } from '../../ui/toast.tsx'

const parts: { title: string; of: 'orders' | 'wishlist' | 'reviews' | 'searches'; to: string; icon: LucideIcon; text: string }[] = [
  { title: 'Orders', of: 'orders', to: paths.buyerOrders, icon: Package, text: 'Your purchases and receipts, to download again.' },
  { title: 'Wishlist', of: 'wishlist', to: paths.buyerWishlist, icon: Heart, text: 'Items you saved for later.' },
  { title: 'Reviews', of: 'reviews', to: paths.buyerReviews, icon: MessageSquareQuote, text: 'Your reviews of items you bought.' },
  { title: 'Searches', of: 'searches', to: paths.buyerSearches, icon: Search, text: 'The searches you saved, with what is new in them.' },
]

export function BuyerDashboardPage() {
  const { user } = useSession()
  const { state } = useLocation()
  return (
    <BuyerFrame>
      {state?.wanted ? <SellerToolsNotice /> : null}
      <SectionHead as="h1" title={`Welcome${user?.user_metadata.name ? `, ${user.user_metadata.name}` : ''}`}>
        Your orders, saved items, reviews and searches.
      </SectionHead>
      <Counters />
    </BuyerFrame>
  )
}

function Counters() {
  const { data, isError, refetch } = useQuery({ queryKey: ['buyer-overview'], queryFn: () => call('buyer-overview', {}) })
  if (isError && !data)
    return (
      <div className="border-t border-line md:px-3">
        <ErrorState title="Your dashboard could not be loaded" retry={refetch}>
          Your orders are safe. Try again in a moment.
        </ErrorState>
      </div>
    )
  return (
    <>
      <ul className="grid grid-cols-2 overflow-hidden border-y border-line lg:grid-cols-4">
        {parts.map(({ title, of, to, text, icon: Icon }) => (
          <li key={title} className="-mt-px -ml-px border-t border-l border-line">
            <Link to={to} className="flex h-full flex-col px-5 py-6 outline-offset-[-2px] hover:bg-panel md:px-8 md:py-8">
              <span className="flex items-center gap-2.5 text-14 text-muted">
                <Icon aria-hidden="true" className="size-4 text-faint max-[359px]:hidden" />
                {title}
              </span>
              <span className="mt-2 block h-[1.1em] text-40 font-semibold tabular">
                {data ? countOf(data[of]) : <Skeleton className="h-9 w-12" />}
              </span>
              <span className="mt-2 block max-w-[36ch] text-13 text-faint">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className="grid flex-1 max-lg:content-start lg:grid-cols-2">
        <div className="flex flex-col gap-9 px-5 py-9 md:px-8">
          <div>{data ? <Waiting of={data} /> : null}</div>
          {data && !data.address_confirmed ? <ConfirmAddress /> : null}
        </div>
        <OpenStorefront />
      </div>
    </>
  )
}

const countOf = (count: number) => (count >= 1000 ? '1,000+' : count.toLocaleString('en-US'))

/** A guest's orders come to the account whose owner can read their address. */
function ConfirmAddress() {
  const { user } = useSession()
  const [state, setState] = useState<'idle' | 'busy' | 'sent'>('idle')
  const email = user?.email
  if (!email) return null
  async function send() {
    setState('busy')
    const { auth } = await loadBackend()
    const options = { shouldCreateUser: false, emailRedirectTo: location.origin + paths.buyer }
    const { error } = await auth.signInWithOtp({ email: email!, options })
    setState(error ? 'idle' : 'sent')
    if (error) toast.error('The link was not sent', error.message)
  }
  return (
    <section aria-labelledby="confirm-address">
      <h2 id="confirm-address" className="text-16 font-semibold">
        Bought something as a guest?
      </h2>
      <p role="status" className="mt-1 mb-4 max-w-[56ch] text-14 text-muted">
        {state === 'sent'
          ? `We sent a link to ${email}. Open it, and the orders made with that address are here.`
          : `Confirm that ${email} is yours, and the orders made with it come to this account.`}
      </p>
      {state === 'sent' ? null : (
        <Button size="public" busy={state === 'busy'} onClick={send}>
          Email me a link
        </Button>
      )}
    </section>
  )
}

/** Messages and updates that wait for the buyer, or a first step. */
function Waiting({ of: { orders, unread_messages, updates } }: { of: { orders: number; unread_messages: number; updates: number } }) {
  const lines = [
    ...(updates ? [{ to: paths.buyerOrders, text: updates === 1 ? '1 order has an update' : `${updates} orders have updates` }] : []),
    ...(unread_messages
      ? [{ to: paths.buyerMessages, text: unread_messages === 1 ? '1 new message' : `${unread_messages} new messages` }]
      : []),
  ]
  if (lines.length)
    return (
      <>
        <h2 className="text-16 font-semibold">Waiting for you</h2>
        <ul className="mt-3 flex flex-col gap-2 text-14">
          {lines.map(({ to, text }) => (
            <li key={to}>
              <Link to={to} className="underline decoration-control underline-offset-2">
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </>
    )
  return (
    <>
      <h2 className="text-16 font-semibold">{orders ? 'Nothing waits for you' : 'Find something to buy'}</h2>
      <p className="mt-1 mb-4 max-w-[56ch] text-14 text-muted">
        {orders
          ? 'Product updates and answers from sellers appear here.'
          : 'Every seller’s products are in one place. Purchases you made as a guest appear once your address is confirmed.'}
      </p>
      <ButtonLink to={paths.marketplace} size="public">
        Browse the marketplace
      </ButtonLink>
    </>
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
