import { Star } from 'lucide-react'
import { cx } from './cx.ts'

const five = [1, 2, 3, 4, 5]

/** So many of five, in words for those who do not see them. */
export function Stars({ rating, className }: { rating: number; className?: string }) {
  return (
    <span role="img" aria-label={`${rating} of 5 stars`} className={cx('inline-flex gap-0.5', className)}>
      {five.map((star) => (
        <Star key={star} className={cx('size-3.5', star <= Math.round(rating) ? 'fill-warn text-warn' : 'text-control')} />
      ))}
    </span>
  )
}

/** Five radio buttons that look like stars: arrow keys move among them. */
export function StarPicker({ id, value, onChange }: { id: string; value: number; onChange: (rating: number) => void }) {
  return (
    <fieldset id={id} className="flex gap-1">
      <legend className="sr-only">Stars</legend>
      {five.map((star) => (
        <label
          key={star}
          className="grid size-9 cursor-pointer place-items-center rounded-control has-focus-visible:outline-2 max-md:size-11"
        >
          <input
            type="radio"
            name={`${id}-stars`}
            value={star}
            checked={value === star}
            onChange={() => onChange(star)}
            aria-label={star === 1 ? '1 star' : `${star} stars`}
            className="sr-only"
          />
          <Star aria-hidden="true" className={cx('size-6', star <= value ? 'fill-warn text-warn' : 'text-control')} />
        </label>
      ))}
    </fieldset>
  )
}
