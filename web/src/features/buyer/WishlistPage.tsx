import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame, BuyerHead } from '../../shell/BuyerFrame.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { day, money } from '../../ui/format.ts'
import { EmptyState, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { Pages } from './Pages.tsx'

export function WishlistPage() {
  const queries = useQueryClient()
  const again = () =>
    Promise.all([queries.invalidateQueries({ queryKey: ['my-wishlist'] }), queries.invalidateQueries({ queryKey: ['buyer-overview'] })])
  const save = (item_id: string, saved: boolean) =>
    attempt('Your wishlist was not changed', async () => {
      await call('save-item', { item_id, saved })
      await again()
    })
  return (
    <BuyerFrame>
      <BuyerHead title="Wishlist">Products you saved for later.</BuyerHead>
      <Pages
        name="my-wishlist"
        failed="Your wishlist could not be loaded"
        read={async (cursor) => {
          const { wishes, cursor: next } = await call('my-wishlist', cursor ? { cursor } : {})
          return { rows: wishes, cursor: next }
        }}
        empty={
          <EmptyState
            title="Nothing saved yet"
            action={
              <ButtonLink to={paths.marketplace} variant="primary">
                Browse the marketplace
              </ButtonLink>
            }
          >
            Choose “Save for later” on a product’s page to find it here.
          </EmptyState>
        }
      >
        {(wishes) => (
          <ul aria-label="Saved products" className="border-t border-line">
            {wishes.map(({ item_id, title, saved_at, offer }) => (
              <li key={item_id} className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-5 py-4 md:px-8">
                <span className="min-w-0 flex-1 basis-60">
                  {offer ? (
                    <Link to={paths.product(offer.seller.slug, offer.key)} className="text-16 font-semibold break-words hover:underline">
                      {title}
                    </Link>
                  ) : (
                    <span className="text-16 font-semibold break-words">{title}</span>
                  )}
                  <span className="block text-13 text-muted">
                    {offer ? `${offer.seller.name}, saved ${day(saved_at)}` : `Saved ${day(saved_at)}`}
                  </span>
                </span>
                {offer ? (
                  <span className="text-14 tabular">{money(offer.price_cents, offer.currency)}</span>
                ) : (
                  <Pill>Not for sale right now</Pill>
                )}
                <Button
                  aria-label={`Remove ${title}`}
                  onClick={async () => {
                    const done = await save(item_id, false)
                    if (done && offer) toast.undo(`${title} was removed`, () => void save(item_id, true))
                  }}
                >
                  Remove
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Pages>
    </BuyerFrame>
  )
}
