import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { BellPlus, Heart } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { call, callPublic } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { day } from '../../ui/format.ts'
import { Pill } from '../../ui/Panel.tsx'
import { Photos } from '../../ui/Photos.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Stars } from '../../ui/Stars.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import type { Narrowed, Offer } from './page.ts'

/** Saving a product and asking its seller: both need an account, so that there is somewhere to find it again. */
export function SaveAndAsk({ offer }: { offer: Offer }) {
  const { user } = useSession({ eager: false })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const key = ['item-saved', offer.id, user?.id]
  const { data } = useQuery({ queryKey: key, queryFn: () => call('item-saved', { item_id: offer.id }), enabled: Boolean(user) })
  const toSignIn = () => navigate(paths.buyerPortal)
  const save = () =>
    attempt('Your wishlist was not changed', async () => {
      const { saved } = await call('save-item', { item_id: offer.id, saved: !data?.saved })
      queries.setQueryData(key, { ...data!, saved })
      toast.success(saved ? 'Saved to your wishlist' : 'Taken off your wishlist')
    })
  return (
    <>
      {data?.order_id ? (
        <p className="text-13 text-muted">
          You own this.{' '}
          <Link to={paths.buyerOrder(data.order_id)} className="text-text underline decoration-control underline-offset-2">
            Open your order
          </Link>
        </p>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button variant="ghost" size="public" aria-pressed={user ? Boolean(data?.saved) : undefined} onClick={user ? save : toSignIn}>
          <Heart className={data?.saved ? 'fill-current' : undefined} />
          {data?.saved ? 'Saved' : 'Save for later'}
        </Button>
        <Button variant="ghost" size="public" onClick={user ? () => setAsking(true) : toSignIn}>
          Ask the seller
        </Button>
      </div>
      <Ask offer={offer} open={asking} onClose={() => setAsking(false)} />
    </>
  )
}

function Ask({ offer, open, onClose }: { offer: Offer; open: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const [busy, setBusy] = useState(false)
  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text'))
    setBusy(true)
    await attempt('Your question was not sent', async () => {
      const { thread_id } = await call('ask-seller', { item_id: offer.id, text })
      onClose()
      const see = { action: { label: 'Open', run: () => navigate(`${paths.buyerMessages}?thread=${thread_id}`) } }
      toast.success('Your question was sent', `${offer.seller.name} answers in your messages.`, see)
    })
    setBusy(false)
  }
  return (
    <Dialog open={open} onClose={onClose} title={`Ask ${offer.seller.name} about ${offer.title}`}>
      <form onSubmit={send} className="flex flex-col gap-4 pt-1">
        <TextArea label="Your question" name="text" maxLength={5000} required data-first />
        <Button type="submit" variant="primary" size="public" busy={busy} className="self-start">
          Send
        </Button>
      </form>
    </Dialog>
  )
}

/** Tells of new products that match. It needs an account, as there has to be somebody to tell. */
export function SaveSearch({ asked: { q, category } }: { asked: Narrowed }) {
  const { user } = useSession({ eager: false })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const save = () =>
    attempt('The search was not saved', async () => {
      await call('save-search', { q, category })
      await queries.invalidateQueries({ queryKey: ['my-searches'] })
      const see = { action: { label: 'Saved searches', run: () => navigate(paths.buyerSearches) } }
      toast.success('Search saved', 'You get at most one email a day when something new matches.', see)
    })
  return (
    <Button variant="ghost" size="public" onClick={user ? save : () => navigate(paths.buyerPortal)}>
      <BellPlus />
      Save this search
    </Button>
  )
}

/** Reviews of buyers, with the seller's answers. Only purchases count. */
export function Reviews({ itemId, seller }: { itemId: string; seller: string }) {
  const list = useInfiniteQuery({
    queryKey: ['item-reviews', itemId],
    queryFn: ({ pageParam }) => callPublic('item-reviews', { item_id: itemId, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
  const rating = list.data?.pages[0]?.rating
  if (!rating?.count) return null
  const reviews = list.data!.pages.flatMap((page) => page.reviews)
  return (
    <section aria-labelledby="reviews" className="border-t border-line px-5 py-10 md:px-8">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id="reviews" className="text-20 font-semibold">
          Reviews
        </h2>
        <Stars rating={rating.mean!} />
        <p className="text-14 text-muted tabular">
          {rating.mean!.toFixed(1)} of 5 from {rating.count === 1 ? '1 buyer' : `${rating.count.toLocaleString('en-US')} buyers`}
        </p>
      </div>
      <ul className="mt-6 flex flex-col gap-7">
        {reviews.map((review) => (
          <li key={review.id} className="max-w-[68ch]">
            <p className="flex flex-wrap items-center gap-3 text-13 text-muted">
              <Stars rating={review.rating} />
              <span className="font-semibold text-text">{review.name}</span>
              {day(review.at)}
              {review.refunded ? <Pill>This order was refunded</Pill> : null}
            </p>
            {review.text ? <p className="mt-1.5 text-14 break-words whitespace-pre-line">{review.text}</p> : null}
            <Photos of={review.photos} by={review.name} className="mt-3" />
            {review.answer ? (
              <blockquote className="mt-3 border-l-2 border-line pl-3 text-13 whitespace-pre-line">
                <span className="block text-12 text-faint">Answer from {seller}</span>
                {review.answer}
              </blockquote>
            ) : null}
          </li>
        ))}
      </ul>
      <ShowMore of={list} size="public" className="mt-6">
        Show more reviews
      </ShowMore>
    </section>
  )
}
