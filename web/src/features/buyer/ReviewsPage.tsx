import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { paths } from '../../paths.ts'
import { BuyerFrame, BuyerHead } from '../../shell/BuyerFrame.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { day } from '../../ui/format.ts'
import { EmptyState, Pill } from '../../ui/Panel.tsx'
import { Photos } from '../../ui/Photos.tsx'
import { Stars } from '../../ui/Stars.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { Pages } from './Pages.tsx'

export function ReviewsPage() {
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState<{ id: string; title: string } | null>(null)
  return (
    <BuyerFrame>
      <BuyerHead title="Reviews">Your reviews of products you bought.</BuyerHead>
      <Pages
        name="my-reviews"
        failed="Your reviews could not be loaded"
        read={async (cursor) => {
          const { reviews, cursor: next } = await call('my-reviews', cursor ? { cursor } : {})
          return { rows: reviews, cursor: next }
        }}
        empty={
          <EmptyState title="No reviews yet" action={<ButtonLink to={paths.buyerOrders}>Open your orders</ButtonLink>}>
            Open an order to review the product you bought.
          </EmptyState>
        }
      >
        {(reviews) => (
          <ul aria-label="Your reviews" className="border-t border-line">
            {reviews.map((review) => (
              <li key={review.id} className="border-b border-line px-5 py-5 md:px-8">
                <div className="flex flex-wrap items-center gap-3">
                  <Stars rating={review.rating} />
                  {review.product_path ? (
                    <Link to={review.product_path} className="text-14 font-semibold break-words hover:underline">
                      {review.title}
                    </Link>
                  ) : (
                    <span className="text-14 font-semibold break-words">{review.title}</span>
                  )}
                  <span className="text-13 text-muted">{day(review.at)}</span>
                  {review.refunded ? <Pill>Refunded</Pill> : null}
                </div>
                <p className="mt-2 max-w-[68ch] text-14 break-words whitespace-pre-line">{review.text || 'Without words.'}</p>
                <Photos of={review.photos} by="you" className="mt-3" />
                {review.answer ? (
                  <blockquote className="mt-3 max-w-[68ch] border-l-2 border-line pl-3 text-13 whitespace-pre-line">
                    <span className="block text-12 text-faint">The seller’s answer</span>
                    {review.answer}
                  </blockquote>
                ) : null}
                <div className="mt-3 flex gap-2">
                  <ButtonLink to={paths.buyerOrder(review.order_id)}>Open the order</ButtonLink>
                  <Button variant="ghost" aria-label={`Delete the review of ${review.title}`} onClick={() => setLeaving(review)}>
                    Delete
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Pages>
      <Confirm
        open={leaving !== null}
        onClose={() => setLeaving(null)}
        title={`Delete your review of ${leaving?.title}?`}
        action="Delete the review"
        danger
        onConfirm={() =>
          attempt('The review was not deleted', async () => {
            await call('delete-review', { review_id: leaving!.id })
            await queries.invalidateQueries({ queryKey: ['my-reviews'] })
            toast.success('Your review was deleted')
          })
        }
      >
        Its stars, its text and the seller’s answer disappear from the product’s page.
      </Confirm>
    </BuyerFrame>
  )
}
