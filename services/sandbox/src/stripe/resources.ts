import { type Bank, type Kind, list, type Obj } from './bank.ts'
import { attach, createPaymentMethod, detach, methodById } from './cards.ts'
import {
  createCoupon,
  createPrice,
  createProduct,
  createPromotionCode,
  deleteCoupon,
  updatePrice,
  updateProduct,
  updatePromotionCode,
} from './catalog.ts'
import { expireSession } from './checkout.ts'
import { createSession, lineItemsOf } from './checkout-session.ts'
import { advanceTestClock, createTestClock } from './clock.ts'
import { createAccount, createAccountLink, createLoginLink, deleteAccount, rejectAccount, updateAccount } from './connect/accounts.ts'
import { cancelPayout, createPayout } from './connect/payouts.ts'
import { createTransfer, reverseTransfer } from './connect/transfers.ts'
import { createCreditNote, draftCreditNote, voidCreditNote } from './credit-notes.ts'
import { createCustomer, deleteCustomer, moveBalance, updateCustomer } from './customers.ts'
import { closeDispute, isInquiry } from './disputes.ts'
import { missing, required, StripeError, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'
import { voidInvoice } from './invoices.ts'
import { listing, search } from './listing.ts'
import { balanceOf } from './movements.ts'
import { confirmOrThrow, postIntent } from './payments.ts'
import { createConfiguration, createPortalSession } from './portal.ts'
import { previewInvoice } from './preview.ts'
import { createRefund } from './refunds.ts'
import { change, settleInvoice } from './renewals.ts'
import { createSchedule, releaseSchedule, updateSchedule } from './schedules.ts'
import { confirmSetup, createSetupIntent } from './setup.ts'
import { cancelNow, createSubscription, updateSubscription } from './subscriptions.ts'
import { calculate, calculationLines, reverseTransaction, transactionFrom, transactionLines } from './tax/calculations.ts'
import { createTaxId, deleteTaxId } from './tax/ids.ts'
import { createEndpoint, updateEndpoint, type Webhooks } from './webhooks.ts'

export type Operation = { name: string; method: string; pattern: RegExp; run: (params: Params, ids: string[]) => unknown }

/** Every path of the API that is played here. */
export function resources(bank: Bank, webhooks: Webhooks): Operation[] {
  const on = (method: string, path: string, run: (params: Params, id: string, second: string) => unknown): Operation => ({
    name: `${method} /v1/${path.replace(/:\w+/g, ':id')}`,
    method,
    pattern: new RegExp(`^/v1/${path.replace(/:\w+/g, '([^/]+)')}$`),
    run: (params, ids) => run(params, ids[0] ?? '', ids[1] ?? ''),
  })
  const read = (path: string, kind: Kind, keep?: (object: Obj, params: Params) => boolean): Operation[] => [
    on('GET', path, (params) => listing(bank, kind, `/v1/${path}`, params, keep && ((object) => keep(object, params)))),
    on('GET', `${path}/:id`, (_params, id) => bank.find(kind, id)),
  ]
  const post = (path: string, run: (params: Params, id: string, second: string) => unknown) => on('POST', path, run)
  const isOwn = (each: Obj) => (each._account ?? null) === bank.account
  /** Another account's is not there. */
  const own = (kind: Kind, id: string): Obj => {
    const found = bank.find(kind, id)
    if (isOwn(found)) return found
    throw missing(found.object.replaceAll('_', ' '), id)
  }
  const remove = (kind: Kind) => (_params: Params, id: string) => {
    const object = bank.find(kind, id)
    bank.t[kind].put({ ...object, deleted: true })
    return { id, object: object.object, deleted: true }
  }
  const metadataOnly = (kind: Kind) => (params: Params, id: string) => {
    const object = bank.find(kind, id)
    return bank.t[kind].put({
      ...object,
      metadata: mergeMetadata(object.metadata, params.metadata),
      ...(params.description !== undefined && { description: text(params.description) }),
    })
  }

  return [
    on('GET', 'products/search', (params) => search(bank, 'products', '/v1/products/search', params)),
    ...read('products', 'products'),
    post('products', (params) => createProduct(bank, params)),
    post('products/:id', (params, id) => updateProduct(bank, bank.find('products', id), params)),
    on('DELETE', 'products/:id', remove('products')),
    on('GET', 'prices/search', (params) => search(bank, 'prices', '/v1/prices/search', params)),
    ...read('prices', 'prices'),
    post('prices', (params) => createPrice(bank, params)),
    post('prices/:id', (params, id) => updatePrice(bank, bank.find('prices', id), params)),
    ...read('coupons', 'coupons'),
    post('coupons', (params) => createCoupon(bank, params)),
    post('coupons/:id', (params, id) =>
      bank.t.coupons.put({
        ...bank.find('coupons', id),
        ...(params.name && { name: params.name }),
        metadata: mergeMetadata(bank.find('coupons', id).metadata, params.metadata),
      }),
    ),
    on('DELETE', 'coupons/:id', (_params, id) => deleteCoupon(bank, bank.find('coupons', id))),
    ...read('promotion_codes', 'promotion_codes'),
    post('promotion_codes', (params) => createPromotionCode(bank, params)),
    post('promotion_codes/:id', (params, id) => updatePromotionCode(bank, bank.find('promotion_codes', id), params)),

    on('GET', 'customers/search', (params) => search(bank, 'customers', '/v1/customers/search', params)),
    on('GET', 'customers', (params) => listing(bank, 'customers', '/v1/customers', params)),
    on('GET', 'customers/:id', (_params, id) => customerOrDeleted(bank, id)),
    post('customers', (params) => createCustomer(bank, params)),
    post('customers/:id', (params, id) => updateCustomer(bank, bank.find('customers', id, 'customer'), params)),
    on('DELETE', 'customers/:id', (_params, id) =>
      deleteCustomer(bank, bank.find('customers', id, 'customer'), (each) => cancelNow(bank, each, {})),
    ),
    on('GET', 'customers/:id/payment_methods', (params, id) =>
      listing(bank, 'payment_methods', `/v1/customers/${id}/payment_methods`, params, (each) => each.customer === id),
    ),
    on('GET', 'customers/:id/balance_transactions', (params, id) =>
      listing(bank, 'customer_balance_transactions', `/v1/customers/${id}/balance_transactions`, params, (each) => each.customer === id),
    ),
    on('GET', 'customers/:id/balance_transactions/:second', (_params, _id, second) => bank.find('customer_balance_transactions', second)),
    post('customers/:id/balance_transactions', (params, id) => {
      if (params.amount === undefined) throw required('amount')
      return moveBalance(bank, bank.find('customers', id, 'customer'), {
        amount: int(params.amount),
        currency: params.currency ?? 'usd',
        type: 'adjustment',
        description: text(params.description),
        metadata: mergeMetadata({}, params.metadata),
      })
    }),

    on('GET', 'customers/:id/tax_ids', (params, id) =>
      listing(bank, 'tax_ids', `/v1/customers/${id}/tax_ids`, params, (each) => each.customer === id),
    ),
    on('GET', 'customers/:id/tax_ids/:second', (_params, id, second) => taxIdOf(bank, id, second)),
    post('customers/:id/tax_ids', (params, id) => createTaxId(bank, bank.find('customers', id, 'customer'), params)),
    on('DELETE', 'customers/:id/tax_ids/:second', (_params, id, second) => deleteTaxId(bank, taxIdOf(bank, id, second))),
    ...read('tax_rates', 'tax_rates'),
    post('tax/calculations', (params) => calculate(bank, params)),
    on('GET', 'tax/calculations/:id', (_params, id) => bank.find('tax_calculations', id)),
    on('GET', 'tax/calculations/:id/line_items', (_params, id) => calculationLines(bank.find('tax_calculations', id))),
    post('tax/transactions/create_from_calculation', (params) => transactionFrom(bank, params)),
    post('tax/transactions/create_reversal', (params) => reverseTransaction(bank, params)),
    on('GET', 'tax/transactions/:id', (_params, id) => bank.find('tax_transactions', id)),
    on('GET', 'tax/transactions/:id/line_items', (_params, id) => transactionLines(bank.find('tax_transactions', id))),

    ...read('payment_methods', 'payment_methods'),
    post('payment_methods', (params) => createPaymentMethod(bank, params)),
    post('payment_methods/:id', metadataOnly('payment_methods')),
    post('payment_methods/:id/attach', (params, id) =>
      attach(bank, methodById(bank, id), bank.find('customers', params.customer, 'customer')),
    ),
    post('payment_methods/:id/detach', (_params, id) => detach(bank, bank.find('payment_methods', id))),
    ...read('setup_intents', 'setup_intents'),
    post('setup_intents', (params) => createSetupIntent(bank, params)),
    post('setup_intents/:id/confirm', (params, id) => confirmSetup(bank, bank.find('setup_intents', id), params)),
    post('setup_intents/:id/cancel', (_params, id) => bank.t.setup_intents.put({ ...bank.find('setup_intents', id), status: 'canceled' })),
    ...read('payment_intents', 'payment_intents'),
    post('payment_intents', (params) => postIntent(bank, params)),
    post('payment_intents/:id', metadataOnly('payment_intents')),
    post('payment_intents/:id/confirm', (params, id) => confirmOrThrow(bank, bank.find('payment_intents', id), params)),
    post('payment_intents/:id/cancel', (params, id) => cancelIntent(bank, bank.find('payment_intents', id), params)),
    on('GET', 'charges', (params) => listing(bank, bank.account ? 'payments' : 'charges', '/v1/charges', params, isOwn)),
    on('GET', 'charges/:id', (_params, id) => own(bank.account ? 'payments' : 'charges', id)),
    post('charges/:id', metadataOnly('charges')),
    on('GET', 'refunds', (params) => listing(bank, bank.account ? 'payment_refunds' : 'refunds', '/v1/refunds', params, isOwn)),
    on('GET', 'refunds/:id', (_params, id) => own(bank.account ? 'payment_refunds' : 'refunds', id)),
    post('refunds', (params) => createRefund(bank, params)),
    post('refunds/:id', metadataOnly('refunds')),
    on('GET', 'balance_transactions', (params) => {
      const page = listing(bank, 'balance_transactions', '/v1/balance_transactions', params, isOwn)
      return { ...page, data: page.data.map((row) => dated(bank, row as Obj)) }
    }),
    on('GET', 'balance_transactions/:id', (_params, id) => dated(bank, own('balance_transactions', id))),
    on('GET', 'balance', () => balanceOf(bank)),
    ...read('disputes', 'disputes'),
    post('disputes/:id', (params, id) => disputeEvidence(bank, bank.find('disputes', id), params)),
    post('disputes/:id/close', (_params, id) => closeDispute(bank, bank.find('disputes', id), false)),

    ...read(
      'subscriptions',
      'subscriptions',
      (each, params) => params.status !== undefined || !['canceled', 'incomplete_expired'].includes(each.status),
    ),
    post('subscriptions', (params) => createSubscription(bank, params, { offSession: yes(params.off_session) })),
    post('subscriptions/:id', (params, id) => updateSubscription(bank, bank.find('subscriptions', id), params)),
    post('subscriptions/:id/resume', (_params, id) => change(bank, bank.find('subscriptions', id), { status: 'active' })),
    on('DELETE', 'subscriptions/:id', (params, id) => cancelNow(bank, bank.find('subscriptions', id), params)),
    on('DELETE', 'subscriptions/:id/discount', (_params, id) => {
      updateSubscription(bank, bank.find('subscriptions', id), { discounts: '' })
      return { object: 'discount', deleted: true }
    }),
    ...read(
      'subscription_schedules',
      'subscription_schedules',
      (object, params) => !params.customer || object.customer === params.customer,
    ),
    post('subscription_schedules', (params) => createSchedule(bank, params)),
    post('subscription_schedules/:id', (params, id) => updateSchedule(bank, bank.find('subscription_schedules', id), params)),
    post('subscription_schedules/:id/release', (_params, id) => releaseSchedule(bank, bank.find('subscription_schedules', id))),
    on('GET', 'subscription_items', (params) =>
      list('/v1/subscription_items', bank.find('subscriptions', params.subscription, 'subscription').items.data),
    ),
    on('GET', 'subscription_items/:id', (_params, id) => itemById(bank, id)),
    post('subscription_items/:id', (params, id) => {
      updateSubscription(bank, bank.find('subscriptions', itemById(bank, id).subscription), {
        items: [{ id, ...params }],
        proration_behavior: params.proration_behavior,
      })
      return itemById(bank, id)
    }),

    post('invoices/create_preview', (params) => previewInvoice(bank, params)),
    ...read('invoices', 'invoices'),
    on('GET', 'invoices/:id/lines', (_params, id) => bank.find('invoices', id).lines),
    post('invoices/:id', metadataOnly('invoices')),
    post('invoices/:id/pay', (params, id) => payNow(bank, bank.find('invoices', id), params)),
    post('invoices/:id/finalize', (_params, id) => bank.find('invoices', id)),
    post('invoices/:id/void', (_params, id) => voidInvoice(bank, bank.find('invoices', id), 'void')),
    post('invoices/:id/mark_uncollectible', (_params, id) => voidInvoice(bank, bank.find('invoices', id), 'uncollectible')),
    on('GET', 'credit_notes/preview', (params) => draftCreditNote(bank, params, 'cn_preview')),
    ...read('credit_notes', 'credit_notes'),
    on('GET', 'credit_notes/:id/lines', (_params, id) => bank.find('credit_notes', id).lines),
    post('credit_notes', (params) => createCreditNote(bank, params)),
    post('credit_notes/:id', (params, id) => {
      const note = bank.find('credit_notes', id)
      const metadata = mergeMetadata(note.metadata, params.metadata)
      return bank.t.credit_notes.put({ ...note, metadata, ...(params.memo !== undefined && { memo: text(params.memo) }) })
    }),
    post('credit_notes/:id/void', (_params, id) => voidCreditNote(bank, bank.find('credit_notes', id))),
    ...read('invoice_payments', 'invoice_payments'),
    ...read('invoiceitems', 'invoiceitems'),

    ...read('checkout/sessions', 'checkout_sessions'),
    post('checkout/sessions', (params) => createSession(bank, params)),
    post('checkout/sessions/:id', metadataOnly('checkout_sessions')),
    post('checkout/sessions/:id/expire', (_params, id) => expireSession(bank, bank.find('checkout_sessions', id))),
    on('GET', 'checkout/sessions/:id/line_items', (_params, id) => lineItemsOf(bank.find('checkout_sessions', id))),
    post('billing_portal/sessions', (params) => createPortalSession(bank, params)),
    ...read('billing_portal/configurations', 'portal_configurations'),
    post('billing_portal/configurations', (params) => createConfiguration(bank, params)),
    post('billing_portal/configurations/:id', (params, id) =>
      bank.t.portal_configurations.put({
        ...bank.find('portal_configurations', id),
        metadata: mergeMetadata(bank.find('portal_configurations', id).metadata, params.metadata),
      }),
    ),

    on('GET', 'account', () => bank.find('accounts', bank.account ?? '')),
    ...read('accounts', 'accounts'),
    post('accounts', (params) => createAccount(bank, params)),
    post('accounts/:id', (params, id) => updateAccount(bank, bank.find('accounts', id, 'account'), params)),
    on('DELETE', 'accounts/:id', (_params, id) => deleteAccount(bank, bank.find('accounts', id, 'account'))),
    post('accounts/:id/reject', (params, id) => rejectAccount(bank, bank.find('accounts', id, 'account'), params)),
    post('accounts/:id/login_links', (_params, id) => createLoginLink(bank, bank.find('accounts', id, 'account'))),
    on('GET', 'accounts/:id/external_accounts', (_params, id) => bank.find('accounts', id, 'account').external_accounts),
    post('account_links', (params) => createAccountLink(bank, params)),
    ...read('transfers', 'transfers'),
    post('transfers', (params) => createTransfer(bank, params)),
    post('transfers/:id', metadataOnly('transfers')),
    on('GET', 'transfers/:id/reversals', (params, id) =>
      listing(bank, 'transfer_reversals', `/v1/transfers/${id}/reversals`, params, (each) => each.transfer === id),
    ),
    post('transfers/:id/reversals', (params, id) => reverseTransfer(bank, bank.find('transfers', id, 'transfer'), params)),
    on('GET', 'transfers/:id/reversals/:second', (_params, _id, second) => bank.find('transfer_reversals', second)),
    on('GET', 'payouts', (params) => listing(bank, 'payouts', '/v1/payouts', params, isOwn)),
    on('GET', 'payouts/:id', (_params, id) => own('payouts', id)),
    post('payouts', (params) => createPayout(bank, params)),
    post('payouts/:id', (params, id) =>
      bank.t.payouts.put({ ...own('payouts', id), metadata: mergeMetadata(own('payouts', id).metadata, params.metadata) }),
    ),
    post('payouts/:id/cancel', (_params, id) => cancelPayout(bank, own('payouts', id))),

    ...read('events', 'events'),
    ...read('webhook_endpoints', 'webhook_endpoints'),
    post('webhook_endpoints', (params) => createEndpoint(bank, params)),
    post('webhook_endpoints/:id', (params, id) => updateEndpoint(bank, bank.find('webhook_endpoints', id), params)),
    on('DELETE', 'webhook_endpoints/:id', remove('webhook_endpoints')),
    ...read('test_helpers/test_clocks', 'test_clocks'),
    post('test_helpers/test_clocks', (params) => createTestClock(bank, params)),
    post('test_helpers/test_clocks/:id/advance', (params, id) =>
      advanceTestClock(bank, bank.find('test_clocks', id), int(params.frozen_time)),
    ),
    on('DELETE', 'test_helpers/test_clocks/:id', remove('test_clocks')),
    // `stripe events resend`, which Stripe has in its dashboard and its command line only.
    post('events/:id/retry', (_params, id) => {
      const event = bank.find('events', id)
      webhooks.resend(event)
      return event
    }),
  ]
}

/** Whether it is available yet shows when it is looked at. */
const dated = (bank: Bank, row: Obj): Obj => ({ ...row, status: row.available_on <= bank.now(row._clock) ? 'available' : 'pending' })

function taxIdOf(bank: Bank, customer: string, id: string): Obj {
  const found = bank.find('tax_ids', id)
  if (found.customer !== customer) throw missing('tax ID', id)
  return found
}

function customerOrDeleted(bank: Bank, id: string) {
  const known = bank.t.customers.get(id)
  return known?.deleted ? { id, object: 'customer', deleted: true } : bank.find('customers', id)
}

function itemById(bank: Bank, id: string): Obj {
  for (const subscription of bank.t.subscriptions.all()) for (const item of subscription.items.data) if (item.id === id) return item
  throw wrong(`No such subscription_item: '${id}'`, 'id', 'resource_missing')
}

function cancelIntent(bank: Bank, intent: Obj, params: Params): Obj {
  if (['succeeded', 'canceled'].includes(intent.status))
    throw wrong(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}.`,
      undefined,
      'payment_intent_unexpected_state',
    )
  const canceled = bank.t.payment_intents.put({
    ...intent,
    status: 'canceled',
    canceled_at: bank.now(),
    cancellation_reason: text(params.cancellation_reason),
  })
  bank.emit('payment_intent.canceled', canceled)
  return canceled
}

/** Paying by API answers a decline as a card error; the invoice stays open. */
function payNow(bank: Bank, invoice: Obj, params: Params): Obj {
  const method = params.payment_method ? methodById(bank, params.payment_method).id : null
  const after = settleInvoice(bank, invoice.id, { method, offSession: params.off_session === undefined || yes(params.off_session) })
  if (after.status === 'paid') return after
  const intent = bank.t.payment_intents.get(bank.t.invoice_payments.get(after._payment)?.payment.payment_intent)
  const {
    code = 'invoice_payment_intent_requires_action',
    decline_code,
    message = 'This payment needs the customer.',
  } = (intent?.last_payment_error ?? {}) as Params
  throw new StripeError(402, message, {
    type: 'card_error',
    code,
    ...(decline_code && { decline_code }),
    ...(intent && { payment_intent: intent }),
  })
}

function disputeEvidence(bank: Bank, dispute: Obj, params: Params): Obj {
  const said = String(params.evidence?.uncategorized_text ?? '')
  if (said === 'winning_evidence') return closeDispute(bank, dispute, true)
  if (said === 'losing_evidence') return closeDispute(bank, dispute, false)
  const changed = bank.t.disputes.put({
    ...dispute,
    evidence: { ...dispute.evidence, ...params.evidence },
    metadata: mergeMetadata(dispute.metadata, params.metadata),
    ...(yes(params.submit) && { status: isInquiry(dispute) ? 'warning_under_review' : 'under_review' }),
  })
  bank.emit('charge.dispute.updated', changed)
  return changed
}
