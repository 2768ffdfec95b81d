import { z } from 'zod'
import { changing, col, event, fn, id, oneLine, personal, reading, time } from '../contract.ts'
import { cursor } from './shapes.ts'

// Reviews need a purchase: one for each product of an order. A refund keeps the review and says so.

export const MAX_PHOTOS = 4
const review_id = id('review')
const item_id = id('item')

export const Review = z.object({
  id: z.uuid(),
  item_id: z.uuid(),
  rating: z.int().min(1).max(5),
  text: z.string(),
  /** As the buyer signed it. */
  name: z.string(),
  at: time,
  /** The order was refunded later. */
  refunded: z.boolean(),
  /** Paths of pictures. */
  photos: z.array(z.string()),
  answer: z.string().nullable(),
  answered_at: time.nullable(),
})
export const Rating = z.object({
  /** The mean of all reviews, with one decimal; null until the first. */
  mean: z.number().nullable(),
  count: z.int(),
  /** How many of one star, two stars … five stars. */
  stars: z.array(z.int()).length(5),
})
const example = {
  id: '0190a1b2-0000-7000-8000-000000000031',
  item_id: '0190a1b2-0000-7000-8000-000000000005',
  rating: 5,
  text: 'Set up in ten minutes.',
  name: 'Mara',
  at: '2026-11-24T10:00:00.000Z',
  refunded: false,
  photos: [],
  answer: null,
  answered_at: null,
}

export const itemReviews = fn('item-reviews', {
  access: 'public',
  rate: 'read',
  summary: 'The reviews of a product, newest first, with their mean',
  body: z.object({ item_id, cursor: cursor.optional() }),
  reply: z.object({ rating: Rating, reviews: z.array(Review), cursor: cursor.nullable() }),
  errors: ['not_found'],
})
export const writeReview = fn('write-review', {
  demo: 'never',
  access: 'public',
  rate: 'write',
  summary: 'Reviews a product that was bought, or changes that review',
  description: 'By the token of the order’s link, or as the buyer whose order it is. Photos need an account.',
  body: z.object({
    token: z.string().min(20).max(100).optional(),
    order_id: id('order').optional(),
    item_id,
    rating: z.int().min(1).max(5),
    text: z.string().trim().max(2_000).default(''),
    name: oneLine(40).default(''),
    photo_ids: z.array(id('upload')).max(MAX_PHOTOS).default([]),
  }),
  reply: z.object({ review: Review }),
  errors: ['not_found', 'review_needs_purchase', 'attachment_unknown', 'photo_type'],
  idempotent: true,
})
export const deleteReview = changing('delete-review', {
  summary: 'Deletes a review of your own',
  body: z.object({ review_id }),
  reply: z.object({ deleted: z.boolean() }),
  errors: ['not_found'],
})
export const myReviews = reading('my-reviews', {
  summary: 'Lists the reviews you wrote, newest first',
  body: z.object({ cursor: cursor.optional() }),
  reply: z.object({
    reviews: z.array(Review.extend({ title: z.string(), order_id: z.uuid(), product_path: z.string().nullable() })),
    cursor: cursor.nullable(),
  }),
})
/** The seller's side. */
export const listReviews = reading('list-reviews', {
  summary: 'Lists the reviews of your products, newest first',
  description: 'Only those that you have not answered where `unanswered` is true.',
  body: z.object({ unanswered: z.boolean().default(false), cursor: cursor.optional() }),
  reply: z.object({ reviews: z.array(Review.extend({ title: z.string() })), cursor: cursor.nullable() }),
  example: { request: {}, reply: { reviews: [{ ...example, title: 'Lead qualification' }], cursor: null } },
  errors: [],
  action: {
    title: 'List reviews',
    when: 'The person asks how buyers rate their products',
    effect: 'reads',
    evidence: {
      rows: 'reviews',
      columns: { title: col.text('Product'), rating: col.count('Stars'), text: col.text('Review'), at: col.time('When') },
    },
  },
})
export const answerReview = changing('answer-review', {
  demo: 'never',
  summary: 'Answers a review of a product of yours, for everybody to see',
  description: 'A later answer takes the place of the first; an empty one takes it away.',
  body: z.object({ review_id, text: z.string().trim().max(2_000) }),
  reply: z.object({ review: Review }),
  example: { request: { review_id: example.id, text: 'Thank you!' }, reply: { review: { ...example, answer: 'Thank you!' } } },
  errors: ['not_found'],
  action: {
    title: 'Answer a review',
    when: 'The person wants to answer what a buyer wrote about a product',
    effect: 'sends',
    does: ({ text }) => `Shows this answer under the review, for everybody to see: ${text.slice(0, 300)}`,
  },
})

/** Told under the seller. */
export const itemReviewed = event(
  'marketplace.item_reviewed',
  z.object({
    review_id: z.uuid(),
    item_id: z.uuid(),
    title: personal(z.string()),
    rating: z.int(),
    name: personal(z.string()),
    text: personal(z.string()),
  }),
  {
    activity: ({ title, rating }) => `${title} got a review with ${starsOf(rating)}`,
    link: () => '/dashboard/marketplace?tab=messages',
    trigger: { title: 'A product was reviewed', description: 'With the product, the stars and the words of the buyer.' },
    live: 'sales',
    notice: ({ title, rating, name, text }) => [
      {
        kind: 'review',
        title: `${name} gave ${title} ${starsOf(rating)}`,
        body: text || 'Without words.',
        link: '/dashboard/marketplace?tab=messages',
      },
    ],
  },
)
const starsOf = (rating: number) => (rating === 1 ? '1 star' : `${rating} stars`)
