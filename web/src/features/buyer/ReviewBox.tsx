import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextArea, TextField } from '../../ui/Field.tsx'
import { Photos } from '../../ui/Photos.tsx'
import { StarPicker, Stars } from '../../ui/Stars.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { keyOf, type Line, type Order, type OrderRef, useOrderCall } from './queries.ts'
import { type Photo, ReviewPhotos } from './ReviewPhotos.tsx'

const photoAt = (id: string) => `/files/v1/marketplace/~pictures/${id}`

/** One review for each product of an order; it can be changed. */
export function ReviewBox({ line, order, of: ref }: { line: Line; order: Order; of: OrderRef }) {
  const [open, setOpen] = useState(false)
  const { review } = line
  if (order.state !== 'delivered' && !review) return null
  if (open) return <ReviewForm line={line} of={ref} onClose={() => setOpen(false)} />
  return (
    <div className="mt-5 flex flex-wrap items-center gap-3 text-13">
      {review ? (
        <>
          <Stars rating={review.rating} />
          <span className="min-w-0 flex-1 break-words text-muted">{review.text || 'Your review has no words.'}</span>
          {order.state === 'refunded' ? <span className="text-faint">Says that it was refunded</span> : null}
        </>
      ) : null}
      {review ? <Photos of={(review.photo_ids ?? []).map(photoAt)} by="you" className="w-full" /> : null}
      {order.state === 'delivered' ? (
        <Button onClick={() => setOpen(true)}>{review ? 'Change your review' : `Review ${line.title}`}</Button>
      ) : null}
    </div>
  )
}

function ReviewForm({ line, of: ref, onClose }: { line: Line; of: OrderRef; onClose: () => void }) {
  const ask = useOrderCall()
  const queries = useQueryClient()
  const { user } = useSession()
  const [rating, setRating] = useState(line.review?.rating ?? 0)
  const [photos, setPhotos] = useState<Photo[]>(() => (line.review?.photo_ids ?? []).map((id) => ({ id, src: photoAt(id) })))
  const [busy, setBusy] = useState(false)
  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (!rating) return toast.error('Choose from one to five stars')
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    await attempt('Your review was not saved', async () => {
      await ask('write-review', {
        ...ref,
        item_id: line.item_id,
        rating,
        text: String(fields.get('text')),
        name: String(fields.get('name')),
        photo_ids: photos.map(({ id }) => id),
      })
      await queries.invalidateQueries({ queryKey: ['show-order', keyOf(ref)] })
      toast.success('Thank you for your review')
      onClose()
    })
    setBusy(false)
  }
  return (
    <form
      onSubmit={save}
      aria-label={`Review of ${line.title}`}
      className="mt-5 flex max-w-xl flex-col gap-4 rounded-panel bg-panel p-4 hairline"
    >
      <Field label="Stars">{({ id }) => <StarPicker id={id} value={rating} onChange={setRating} />}</Field>
      <TextArea label="What should others know?" name="text" maxLength={2000} defaultValue={line.review?.text} />
      <TextField
        label="Your name, as everybody sees it"
        name="name"
        maxLength={40}
        defaultValue={line.review?.name ?? String(user?.user_metadata.name ?? '')}
        placeholder="Verified buyer"
      />
      {user ? (
        <ReviewPhotos of={`review:${line.item_id}`} photos={photos} onChange={setPhotos} />
      ) : (
        <p className="text-12 text-muted">Sign in to add photos.</p>
      )}
      <div className="flex gap-2">
        <Button type="submit" variant="primary" size="public" busy={busy}>
          {line.review ? 'Save the review' : 'Publish the review'}
        </Button>
        <Button size="public" variant="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
