import * as documents from '@operon/contracts/billing/documents'
import * as salesContracts from '@operon/contracts/billing/sales'
import * as sellers from '@operon/contracts/billing/sellers'
import { moveSellers as moveSellersJob, openSaleCheckout, saleTaxRate, settleSale } from '@operon/contracts/billing/selling-events'
import * as staff from '@operon/contracts/billing/selling-staff'
import { bookingKept } from '@operon/contracts/crm/events'
import { orderDelivered } from '@operon/contracts/marketplace/events'
import { serve } from '@operon/kit/http'
import type { Runtime } from '@operon/kit/service'
import type { Config } from '../config.ts'
import { type Deps, withDeps } from '../deps.ts'
import { type Issuer, openDocument, saleDocument, saleDocuments } from '../documents/file.ts'
import { openCheckout, settleNow } from '../sales/checkout.ts'
import { disputeEvidence } from '../sales/collected.ts'
import { submitEvidence } from '../sales/evidence.ts'
import { startHold } from '../sales/hold.ts'
import { findPayment, listSales, showSale } from '../sales/list.ts'
import { previewRefund, refundOrder } from '../sales/refunds.ts'
import { salesStatement } from '../sales/statement.ts'
import { taxRates } from '../sales/tax-rate.ts'
import type { BillingDb } from '../schema.ts'
import { payoutAccount, startPayouts } from './accounts.ts'
import { balanceRows, explainPayout, listPayouts, sellerBalance } from './show.ts'
import { staffHoldPayouts, staffPayoutRuns, staffRefundSale, staffReleasePayouts, staffSeller, staffSubmitEvidence } from './staff.ts'
import { moveSellers } from './sweep.ts'

export function sellerRoutes(rt: Runtime<BillingDb, Config>, deps: Deps) {
  const by = withDeps(deps)
  const { app } = rt
  serve(app, sellers.startPayouts, by(startPayouts))
  serve(app, sellers.payoutAccount, by(payoutAccount))
  serve(app, sellers.sellerBalance, sellerBalance)
  serve(app, sellers.balanceRows, balanceRows)
  serve(app, sellers.listPayouts, listPayouts)
  serve(app, sellers.explainPayout, explainPayout)
  serve(app, salesContracts.listSales, listSales)
  serve(app, salesContracts.findPayment, findPayment)
  serve(app, salesContracts.showSale, showSale)
  serve(app, salesContracts.previewRefund, previewRefund)
  serve(app, salesContracts.refundOrder, by(refundOrder))
  serve(app, salesContracts.submitEvidence, by(submitEvidence))
  serve(app, salesContracts.disputeEvidence, by(disputeEvidence))
  serve(app, salesContracts.salesStatement, salesStatement(issuerOf(rt).name))
  serve(app, documents.openDocument, openDocument(issuerOf(rt)))
  serve(app, staff.staffSeller, staffSeller)
  serve(app, staff.staffHoldPayouts, staffHoldPayouts)
  serve(app, staff.staffReleasePayouts, staffReleasePayouts)
  serve(app, staff.staffRefundSale, by(staffRefundSale))
  serve(app, staff.staffSubmitEvidence, by(staffSubmitEvidence))
  serve(app, staff.staffPayoutRuns, staffPayoutRuns)
}

export function sellerConsumers(rt: Runtime<BillingDb, Config>, deps: Deps) {
  rt.answer(openSaleCheckout, (ctx, wanted) => openCheckout(deps, ctx, wanted))
  const rateOf = taxRates(deps.provider)
  rt.answer(saleTaxRate, (_ctx, { country }) => rateOf(country))
  rt.answer(documents.saleDocuments, saleDocuments)
  rt.answer(documents.saleDocument, saleDocument(issuerOf(rt)))
  rt.answer(settleSale, (ctx, named) => settleNow(deps, ctx, named))
  rt.on(orderDelivered, 'start-hold', (trx, { payload }) => startHold(trx, payload))
  rt.on(bookingKept, 'start-hold-of-booking', (trx, { payload }) => startHold(trx, payload))
  const everyMs = deps.provider.mode === 'sandbox' ? 30_000 : 600_000
  rt.job(moveSellersJob, (ctx) => moveSellers(deps, ctx), { concurrency: 1, everyMs })
}

const issuerOf = ({ config, kit }: Runtime<BillingDb, Config>): Issuer => ({
  name: config.BUSINESS_NAME ?? kit.PRODUCT_NAME,
  address: config.BUSINESS_ADDRESS?.split(/\s*;\s*/) ?? [],
  taxId: config.BUSINESS_TAX_ID ?? null,
})
