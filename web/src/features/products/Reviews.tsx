import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { Button } from '../../ui/Button.tsx'
import { TextArea } from '../../ui/Field.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { day } from '../../ui/format.ts'
import { ErrorState, Panel, Pill } from '../../ui/Panel.tsx'
import { Photos } from '../../ui/Photos.tsx'
import { ShowMore } from '../../ui/ShowMore.tsx'
import { Stars } from '../../ui/Stars.tsx'
import { toast } from '../../ui/toast.tsx'
import { newKey } from './queries.ts'

type Review = CallReply<'list-reviews'>['reviews'][number]

/** Shown from the first review on. Answers stand under the review for everybody. */
export function Reviews() {
  const queries = useQueryClient()
  const [answering, setAnswering] = useState<Review | null>(null)
  const list = useInfiniteQuery({
    queryKey: ['list-reviews'],
    queryFn: ({ pageParam }) => call('list-reviews', pageParam ? { cursor: pageParam } : {}),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  })
  const again = useCallback(() => void queries.invalidateQueries({ queryKey: ['list-reviews'] }), [queries])
  useLive('sales', again)
  const reviews = list.data?.pages.flatMap((page) => page.reviews) ?? []
  if (list.isError && !list.data)
    return (
      <Panel flush>
        <ErrorState title="Your reviews could not be loaded" error={list.error} retry={() => list.refetch()} />
      </Panel>
    )
  if (!reviews.length) return null
  return (
    <Panel title="Reviews" flush>
      <ul aria-label="Reviews">
        {reviews.map((review) => (
          <li key={review.id} className="flex flex-wrap items-start gap-x-6 gap-y-3 border-b border-line px-4 py-3 last:border-0">
            <div className="min-w-0 flex-1 basis-64">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-13 text-muted">
                <Stars rating={review.rating} />
                <span className="font-medium break-words text-text">{review.name}</span>
                <span className="break-words">{review.title}</span>
                {day(review.at)}
                {review.refunded ? <Pill>Refunded</Pill> : null}
              </p>
              {review.text ? <p className="mt-1 break-words whitespace-pre-line">{review.text}</p> : null}
              <Photos of={review.photos} by={review.name} className="mt-2" />
              {review.answer ? (
                <blockquote className="mt-2 border-l-2 border-line pl-3 text-13 break-words whitespace-pre-line">
                  <span className="block text-12 text-faint">Your answer</span>
                  {review.answer}
                </blockquote>
              ) : null}
            </div>
            <Button aria-label={`${review.answer ? 'Change the answer to' : 'Answer'} ${review.name}`} onClick={() => setAnswering(review)}>
              {review.answer ? 'Change' : 'Answer'}
            </Button>
          </li>
        ))}
      </ul>
      <ShowMore of={list} className="m-4" />
      {answering ? <Answer review={answering} onClose={() => setAnswering(null)} onDone={again} /> : null}
    </Panel>
  )
}

function Answer({ review, onClose, onDone }: { review: Review; onClose: () => void; onDone: () => void }) {
  async function save(typed: (field: string) => string) {
    const saved = await call('answer-review', { review_id: review.id, text: typed('text') }, { idempotencyKey: newKey() })
    onDone()
    toast.success(saved.review.answer ? 'Your answer is shown under the review' : 'Your answer was removed')
  }
  return (
    <FormDialog onClose={onClose} title={`Answer ${review.name}`} submit="Save answer" failed="Your answer was not saved" save={save}>
      <TextArea
        label="Your answer, for everybody to see"
        name="text"
        defaultValue={review.answer ?? ''}
        maxLength={2000}
        hint="Save it empty to remove your answer."
        data-first
      />
    </FormDialog>
  )
}
