import type { Trx } from '../deps.ts'
import { type ProviderCredit, REFERRAL_THANKS } from '../stripe-shapes.ts'
import { creditForfeited, creditMoved } from './entries.ts'
import { post } from './post.ts'

/** Books each movement of a customer's balance, once: credit given, used up by an invoice, or made by an invoice below nothing. */
export async function bookCredits(trx: Trx, customer: string, credits: ProviderCredit[]): Promise<void> {
  if (credits.length === 0) return
  const userId = await userOf(trx, customer)
  for (const credit of credits) {
    const { id, amountCents, currency, invoice, ofInvoice, referral, createdAt } = credit
    // Booked as it was given, under whom it was given for.
    if (referral && !referral.referred) continue
    const isUse = ofInvoice && invoice && amountCents > 0
    const name = referral
      ? `referral${referral.isBack ? '_back' : ''}:${referral.referred}`
      : isUse
        ? `credit_used:${invoice}`
        : `credit:${id}`
    await post(trx, {
      reference: name,
      kind: amountCents < 0 ? 'credit_granted' : 'credit_used',
      userId,
      description: referral
        ? referral.isBack
          ? 'Referral credit taken back'
          : REFERRAL_THANKS
        : isUse
          ? 'Credit used on an invoice'
          : 'Credit',
      occurredAt: createdAt,
      lines: creditMoved(currency, amountCents, fromOf(credit)),
    })
  }
}

const fromOf = ({ referral, ofInvoice, isGoodwill }: ProviderCredit) =>
  referral ? 'referral_credits' : ofInvoice ? 'subscription_revenue' : isGoodwill ? 'goodwill_credits' : 'suspense'

export async function userOf(trx: Trx, customer: string | null): Promise<string | null> {
  if (!customer) return null
  const account = await trx.selectFrom('accounts').select('user_id').where('stripe_customer_id', '=', customer).executeTakeFirst()
  return account?.user_id ?? null
}

/** The credit that a deleted account leaves, in each currency. */
export async function forfeitCredit(trx: Trx, userId: string): Promise<void> {
  const left = await trx
    .selectFrom('ledger_postings')
    .innerJoin('ledger_entries', 'ledger_entries.id', 'ledger_postings.entry_id')
    .select(({ fn }) => ['currency', fn.sum<number>('amount_cents').as('cents')])
    .where('user_id', '=', userId)
    .where('account', '=', 'customer_credit')
    .groupBy('currency')
    .execute()
  for (const { currency, cents } of left) {
    if (Number(cents) === 0) continue
    await post(trx, {
      reference: `credit_forfeited:${userId}:${currency}`,
      kind: 'credit_forfeited',
      userId,
      description: 'Credit left by a deleted account',
      occurredAt: new Date(),
      lines: creditForfeited(currency, -Number(cents)),
    })
  }
}
