import { Star } from 'lucide-react'
import type { Offer } from './page.ts'

/** The mean of what buyers said, and of how many. No product has a rating before its first review. */
export function Rating({ of }: { of: Offer['rating'] }) {
  if (!of) return <span>No reviews yet</span>
  const reviews = of.count === 1 ? '1 review' : `${of.count.toLocaleString('en-US')} reviews`
  return (
    <span className="inline-flex items-center gap-1">
      <Star aria-hidden="true" className="size-3.5 fill-current" />
      <span className="sr-only">Rated</span>
      <span className="tabular">{of.mean.toFixed(1)}</span>
      <span className="sr-only">of 5,</span>
      <span>({reviews})</span>
    </span>
  )
}
