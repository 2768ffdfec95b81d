import * as billing from '@operon/contracts/billing'
import { serve } from '@operon/kit/http'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import type { Runtime } from '@operon/kit/service'
import type { Deps } from './deps.ts'
import { ledgerBalances } from './ledger/post.ts'
import { statementExport } from './ledger/statement.ts'
import { referralSummary, validateReferral } from './referrals/referrals.ts'
import { staffAccount, staffEvents, staffExtendTrial, staffRefund, staffReplayEvent } from './staff/staff.ts'
import { cancelSubscription, listInvoices, previewSwitch, resumeSubscription, switchPlan } from './subscriptions/change.ts'
import { checkSubscription } from './subscriptions/check.ts'
import { checkoutStatus, createCheckout } from './subscriptions/checkout.ts'
import { customerPortal } from './subscriptions/portal.ts'

export function billingRoutes(app: Runtime['app'], deps: Deps) {
  serve(app, billing.createCheckout, (ctx, input) => createCheckout(deps, ctx, input))
  serve(app, billing.checkoutStatus, (ctx, input) => checkoutStatus(deps, ctx, input))
  serve(app, billing.customerPortal, (ctx) => customerPortal(deps, ctx))
  serve(app, billing.checkSubscription, checkSubscription)
  serve(app, billing.previewSwitch, (ctx, input) => previewSwitch(deps, ctx, input))
  serve(app, billing.switchPlan, (ctx, input) => switchPlan(deps, ctx, input))
  serve(app, billing.cancelSubscription, (ctx) => cancelSubscription(deps, ctx))
  serve(app, billing.resumeSubscription, (ctx) => resumeSubscription(deps, ctx))
  serve(app, billing.listInvoices, (ctx) => listInvoices(deps, ctx))
  serve(app, billing.statementExport, statementExport)
  serveTable(app, billing.subscribers, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })

  serve(app, billing.validateReferral, validateReferral)
  serve(app, billing.referralSummary, (ctx) => referralSummary(deps, ctx))

  serve(app, billing.staffAccount, staffAccount)
  serve(app, billing.staffRefund, (ctx, input) => staffRefund(deps, ctx, input))
  serve(app, billing.staffExtendTrial, (ctx, input) => staffExtendTrial(deps, ctx, input))
  serve(app, billing.staffEvents, staffEvents)
  serve(app, billing.staffReplayEvent, (ctx, input) => staffReplayEvent(deps, ctx, input))
  serve(app, billing.ledgerBalances, (ctx) => ledgerBalances(ctx.db))
}
