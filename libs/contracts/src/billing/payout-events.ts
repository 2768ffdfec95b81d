import { z } from 'zod'
import { event, personal, plain } from '../contract.ts'
import { day, money } from '../words.ts'
import { PayoutAccountState } from './selling.ts'
import { Currency, time } from './shapes.ts'

// Events of what sellers are paid, each told under the seller.

const page = '/dashboard/payments'
const payoutAt = ({ payout_id }: { payout_id: string }) => `${page}?tab=payouts&payout=${payout_id}` as const

const payout = z.object({
  payout_id: z.uuid(),
  amount_cents: z.int(),
  currency: Currency,
  date: z.iso.date().meta({ 'x-personal': false }),
})
export const payoutStarted = event('billing.payout_started', payout.extend({ arrives_at: time.nullable() }), {
  activity: (sent) => `Payout of ${money(sent)} on its way`,
  link: payoutAt,
  trigger: { title: 'A payout was sent', description: 'With the amount and the currency.' },
  live: 'sales',
  notice: (sent) => [{ kind: 'payout', title: `${money(sent)} is on its way to your bank`, body: arrival(sent), link: payoutAt(sent) }],
})
const arrival = ({ arrives_at }: { arrives_at: string | null }) =>
  arrives_at ? `It should arrive by ${day(arrives_at)}.` : 'Banks take a few days to show it.'

export const payoutPaid = event('billing.payout_paid', payout, {
  activity: (paid) => `Payout of ${money(paid)} arrived`,
  link: payoutAt,
  trigger: { title: 'A payout arrived', description: 'With the amount and the currency.' },
  live: 'sales',
  notice: (paid) => [
    {
      kind: 'payout',
      title: `${money(paid)} has arrived`,
      body: `Your payout of ${day(paid.date)} is at your bank.`,
      link: payoutAt(paid),
    },
  ],
  email: (paid, product) => ({
    subject: `Your ${product} payout of ${money(paid)} has arrived`,
    title: `${money(paid)} is at your bank`,
    text: `It is your payout of ${day(paid.date)}. Some banks show it a day later.`,
    label: 'See what is in it',
    path: payoutAt(paid),
    after: 'Each sale in it is listed there, to the cent.',
  }),
})
const returned = payout.extend({
  because: plain(z.string()),
  /** Whether it never left because it is held, the payment provider refused it, or the bank sent it back. The bank, where the version before tells. */
  by: z.enum(['bank', 'hold', 'provider']).optional(),
})
export const payoutReturned = event('billing.payout_returned', returned, {
  activity: (back) => ({
    command: `Payout of ${money(back)} ${{ bank: 'came back from the bank', ...notSent }[back.by ?? 'bank']}`,
    status: 'failed',
  }),
  link: payoutAt,
  trigger: { title: 'A payout did not arrive', description: 'It was held, refused, or sent back by the bank. With the amount and why.' },
  live: 'sales',
  notice: (back) => {
    const { title, next } = wordsOf(back)
    return [{ kind: 'payout', title, body: `${back.because} The money is in your balance again. ${next}`, link: payoutAt(back) }]
  },
  email: (back, product) => {
    const { subject, title, label, next } = wordsOf(back)
    return {
      subject: subject(product),
      title,
      text: `${back.because} The money is in your balance again.`,
      label,
      path: payoutAt(back),
      after: next,
    }
  },
})
const notSent = { hold: 'was not sent', provider: 'was not sent' }
function wordsOf(back: z.output<typeof returned>) {
  const amount = money(back)
  if (back.by === 'hold')
    return {
      subject: (product: string) => `Your ${product} payout was not sent`,
      title: `Your payout of ${amount} was not sent`,
      label: 'See why',
      next: 'Once the hold ends, it is paid out on the next Friday.',
    }
  if (back.by === 'provider')
    return {
      subject: (product: string) => `Your ${product} payout could not be sent`,
      title: `Your payout of ${amount} could not be sent`,
      label: 'Check your payout account',
      next: 'Our team looks into it with the payment provider. Complete whatever your payout account asks for.',
    }
  return {
    subject: (product: string) => `Your bank returned a payout from ${product}`,
    title: `Your bank returned a payout of ${amount}`,
    label: 'Check your bank details',
    next: 'With the right bank details it is paid out on the next Friday.',
  }
}
/** Staff hold a seller's payouts, or have let them go. */
export const payoutsHeld = event('billing.payouts_held', z.object({ held: z.boolean(), because: personal(z.string()).nullable() }), {
  activity: ({ held }) => (held ? { command: 'Payouts on hold', status: 'failed' } : 'Payouts released'),
  link: () => page,
  live: 'sales',
  notice: (told) => [{ kind: 'payout', title: heldTitle(told), body: heldText(told), link: page }],
  email: (told, product) => ({
    subject: told.held ? `Your ${product} payouts are on hold` : `Your ${product} payouts are released`,
    title: heldTitle(told),
    text: heldText(told),
    label: 'See your balance',
    path: page,
    after: told.held ? 'You can go on selling. What you earn stays in your balance.' : 'Nothing was lost while they were on hold.',
  }),
})
type Held = { held: boolean; because: string | null }
const heldTitle = ({ held }: Held) => (held ? 'Your payouts are on hold' : 'Your payouts are released')
const heldText = ({ held, because }: Held) =>
  held ? `Our team holds your payouts${because ? `: ${because}` : '.'}` : 'What is due is paid out on the next Friday again.'

/** Whether a seller can be paid, and so whether their products can be bought. */
export const payoutAccountChanged = event(
  'billing.payout_account_changed',
  z.object({
    version: z.int(),
    state: PayoutAccountState,
    ready: z.boolean(),
    /** Whether it was ready before, and by when details are due. Absent from the version before. */
    was_ready: z.boolean().optional(),
    deadline: time.nullable().optional(),
  }),
  {
    state: ({ state }) => state,
    activity: ({ state }) => (state === 'ready' ? 'Payouts set up' : null),
    link: () => page,
    live: 'sales',
    notice: (account) => accountNotice(account).map((notice) => ({ kind: 'payout', link: page, ...notice })),
    // Whoever is still setting it up is on that page.
    email(account, product) {
      const [told] = account.was_ready && account.state !== 'ready' ? accountNotice(account) : []
      if (!told) return null
      return {
        subject: account.state === 'stopped' ? `Your ${product} payouts have stopped` : `Your ${product} payout account needs details`,
        title: told.title,
        text: told.body,
        label: 'Complete your payout account',
        path: page,
        after: account.state === 'stopped' ? 'Your products cannot be bought until then.' : 'Until then you are paid as before.',
      }
    },
  },
)
/** An intruder would send the seller's money elsewhere, so the owner hears of it at once, wherever they are. */
export const payoutBankChanged = event('billing.payout_bank_changed', z.object({ bank_last4: plain(z.string()) }), {
  activity: ({ bank_last4 }) => `Payout bank account changed to the one ending in ${bank_last4}`,
  link: () => page,
  live: 'sales',
  notice: ({ bank_last4 }) => [{ kind: 'payout', title: 'Your payout bank account was changed', body: goesTo(bank_last4), link: page }],
  email: ({ bank_last4 }, product) => ({
    subject: `Your ${product} payout bank account was changed`,
    title: 'Your payout bank account was changed',
    text: goesTo(bank_last4),
    label: 'Check your payouts',
    path: page,
    after: 'If this was not you, change your password and put the right bank account back before Friday.',
  }),
})
const goesTo = (last4: string) => `Payouts now go to the bank account ending in ${last4}.`

type Account = { state: z.output<typeof PayoutAccountState>; was_ready?: boolean | undefined; deadline?: string | null | undefined }
function accountNotice({ state, was_ready, deadline }: Account): { title: string; body: string }[] {
  if (state === 'ready') return [{ title: 'Payouts are set up', body: 'Your products can be bought, and you are paid on Fridays.' }]
  if (state === 'needs_details')
    return [
      {
        title: 'Your payout account needs details',
        body: `The payment provider asks for more about you. Add it ${deadline ? `by ${day(deadline)}` : 'soon'}, so that payouts do not stop.`,
      },
    ]
  if (state === 'stopped' && was_ready === false)
    return [{ title: 'Your payout account is not complete', body: 'Something is missing in it. Add it, and your products can be bought.' }]
  if (state === 'stopped')
    return [
      { title: 'Your payouts have stopped', body: 'Something is missing in your payout account. Your money is kept until it is there.' },
    ]
  return []
}
