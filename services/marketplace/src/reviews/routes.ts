import * as reviews from '@operon/contracts/marketplace/reviews'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import type { MarketplaceDb } from '../schema.ts'
import { answerReview, deleteReview, itemReviews, listReviews, myReviews, writeReview } from './reviews.ts'

export function reviewRoutes(rt: Runtime<MarketplaceDb, Config>) {
  const { app } = rt
  serve(app, reviews.itemReviews, itemReviews)
  serve(app, reviews.writeReview, writeReview(rt))
  serve(app, reviews.deleteReview, deleteReview)
  serve(app, reviews.myReviews, myReviews)
  serve(app, reviews.listReviews, listReviews)
  serve(app, reviews.answerReview, answerReview)
}
