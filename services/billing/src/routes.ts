import * as billing from '@operon/contracts/billing/api'
import * as months from '@operon/contracts/billing/months'
import * as staff from '@operon/contracts/billing/staff'
import * as billingTables from '@operon/contracts/billing/tables'
import * as topUps from '@operon/contracts/billing/top-ups'
import { signedIn } from '@operon/kit/context'
import { serveTable } from '@operon/kit/data/table'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import { type Deps, withDeps } from './deps.ts'
import { listPayments, statementExport } from './ledger/statement.ts'
import { platformBalances } from './ledger/sums.ts'
import { staffJournal, staffMonth } from './months/journal.ts'
import { referralSummary, validateReferral } from './referrals/referrals.ts'
import { staffCloseMatter, staffMatters } from './staff/matters.ts'
import {
  staffAccount,
  staffActions,
  staffBooks,
  staffDisputes,
  staffEvents,
  staffExtendTrial,
  staffRefund,
  staffReplayEvent,
} from './staff/staff.ts'
import { cancelSubscription, listInvoices, previewSwitch, resumeSubscription, switchPlan } from './subscriptions/change.ts'
import { checkSubscription } from './subscriptions/check.ts'
import { checkoutStatus, createCheckout } from './subscriptions/checkout.ts'
import { customerPortal } from './subscriptions/portal.ts'
import { buyTopUp, topUpStatus } from './top-ups/checkout.ts'
import { listTopUps, previewTopUpRefund, refundTopUp } from './top-ups/refund.ts'
import type { Hearing } from './webhooks/routes.ts'

export function billingRoutes(app: Runtime['app'], deps: Deps, hearing: Hearing) {
  const by = withDeps(deps)

  serve(app, billing.createCheckout, by(createCheckout))
  serve(app, billing.checkoutStatus, by(checkoutStatus))
  serve(app, billing.customerPortal, by(customerPortal))
  serve(app, billing.checkSubscription, checkSubscription)
  serve(app, billing.previewSwitch, by(previewSwitch))
  serve(app, billing.switchPlan, by(switchPlan))
  serve(app, billing.cancelSubscription, by(cancelSubscription))
  serve(app, billing.resumeSubscription, by(resumeSubscription))
  serve(app, billing.listInvoices, by(listInvoices))
  serve(app, billing.listPayments, listPayments)
  serve(app, billing.statementExport, statementExport)
  serveTable(app, billingTables.subscribers, { scope: (ctx) => ({ user_id: signedIn(ctx).id }) })

  serve(app, topUps.listTopUps, listTopUps)
  serve(app, topUps.buyTopUp, by(buyTopUp))
  serve(app, topUps.topUpStatus, by(topUpStatus))
  serve(app, topUps.previewTopUpRefund, previewTopUpRefund)
  serve(app, topUps.refundTopUp, by(refundTopUp))

  serve(app, billing.validateReferral, validateReferral)
  serve(app, billing.referralSummary, by(referralSummary))

  serve(app, staff.staffAccount, staffAccount)
  serve(app, staff.staffRefund, by(staffRefund))
  serve(app, staff.staffDisputes, staffDisputes)
  serve(app, staff.staffMatters, staffMatters)
  serve(app, staff.staffCloseMatter, staffCloseMatter)
  serve(app, months.staffMonth, staffMonth)
  serve(app, months.staffJournal, staffJournal)
  serve(app, staff.staffBooks, staffBooks)
  serve(app, staff.staffExtendTrial, by(staffExtendTrial))
  serve(app, staff.staffEvents, staffEvents)
  serve(app, staff.staffReplayEvent, by(staffReplayEvent(hearing)))
  serve(app, staff.staffActions, staffActions)
  serve(app, staff.ledgerBalances, (ctx) => platformBalances(ctx.db))
}
