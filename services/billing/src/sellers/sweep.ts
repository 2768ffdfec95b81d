import { sql } from 'kysely'
import type { BillingCtx, Deps } from '../deps.ts'
import { numberDocuments } from '../documents/documents.ts'
import { runFriday } from '../payouts/friday.ts'
import { sendPayouts } from '../payouts/send.ts'
import { sweepCheckouts } from '../sales/checkout.ts'
import { releaseHolds } from '../sales/hold.ts'
import { reserveDisputed } from '../sales/reserve.ts'
import { replaceSetting } from '../settings.ts'
import { refreshSeller } from './accounts.ts'
import { knowsBans } from './moderated.ts'

/** Changes that come with time, or that no webhook has told. Holds end, and disputes are set aside for, before it is decided what is paid out. */
export async function moveSellers(deps: Deps, ctx: BillingCtx): Promise<void> {
  await move(deps, ctx)
  await replaceSetting(ctx.db, MOVED_AT, new Date().toISOString())
}
export const MOVED_AT = 'sellers:moved'

async function move(deps: Deps, ctx: BillingCtx) {
  await releaseHolds(ctx.db, 'friday')
  await reserveDisputed(ctx.db)
  if (await knowsBans(deps, ctx)) await runFriday(ctx)
  await releaseHolds(ctx.db)
  await reserveDisputed(ctx.db)
  await numberDocuments(ctx.db)
  if (!deps.hasProvider) return
  await sendPayouts(deps, ctx)
  await sweepCheckouts(deps, ctx)
  await refreshSellers(deps, ctx)
}

const TOGETHER = 50
/** Accounts that the provider still checks, and those whose deadline has come. */
async function refreshSellers(deps: Deps, { db, log }: BillingCtx) {
  const waiting = await db
    .selectFrom('seller_accounts')
    .select('account')
    .where('account', 'is not', null)
    .where((or) => or.or([or('state', '=', 'checking'), or(sql`deadline`, '<=', sql<Date>`provider_latest()`)]))
    .where((or) => or.or([or('looked_at', 'is', null), or('looked_at', '<', sql<Date>`now() - interval '1 minute'`)]))
    .orderBy('looked_at')
    .limit(TOGETHER)
    .execute()
  for (const { account } of waiting)
    await refreshSeller(deps, db, account!).catch((err) =>
      log.warn({ err, account }, 'a payout account could not be refreshed; a later sweep tries again'),
    )
}
