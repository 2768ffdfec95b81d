import type { Ctx } from '@operon/kit/context'
import { deleteInPieces } from '@operon/kit/pieces'
import { sql } from 'kysely'
import type { MarketplaceDb } from '../schema.ts'

/** A product's figures reach back 90 days; the same days of the year before stay to compare with. */
export const VIEWS_KEPT_DAYS = 460
/** A seller who comes back against a decision does so within two years. What was decided stays in `moderation_actions`. */
export const REPORTS_KEPT_DAYS = 730

export async function forgetOld({ db, signal }: Ctx<MarketplaceDb>): Promise<void> {
  await deleteInPieces(db, 'item_views', sql`day < current_date - ${VIEWS_KEPT_DAYS}::int`, { signal })
  await deleteInPieces(db, 'reports', sql`closed_at < now() - ${REPORTS_KEPT_DAYS} * interval '1 day'`, { signal })
}
