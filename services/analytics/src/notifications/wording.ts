import * as billing from '@operon/contracts/billing/events'
import type { Envelope, Event, Payload } from '@operon/contracts/contract'
import * as identity from '@operon/contracts/identity/events'
import { TRIAL_DAYS } from '@operon/contracts/plans'
import type { Heard } from '../facts/record.ts'
import { day, money, planName, unitName } from '../words.ts'

export type Notice = {
  kind: string
  title: string
  body: string
  link: string | null
  /** The same is raised once for a person; the event itself when absent. */
  about?: string
}
type Wording = { event: string; say: (heard: Heard, product: string) => Notice[] }
const when = <E extends Event>(event: E, say: (event: Envelope<Payload<E>> & Heard, product: string) => Notice[]): Wording => ({
  event: event.name,
  say: say as Wording['say'],
})

/** What each event puts into a person's inbox. An event that is not here rings no bell. */
const wordings: Wording[] = [
  when(identity.userCreated, (_event, product) => welcome(product)),
  when(identity.factorRecoveryBegun, ({ payload }) => [
    {
      kind: 'security',
      title: 'Your second factor is about to be removed',
      body: `Someone who can read your email asked for this. It happens on ${day(payload.due_at)} unless you stop it.`,
      link: '/dashboard/settings?section=security',
    },
  ]),
  when(billing.subscriptionChanged, (event) => (event.planChanged ? planNotice(event.payload) : [])),
  when(billing.usageThreshold, ({ payload }) => [usageNotice(payload)]),
  when(billing.paymentFailed, ({ payload }) => [
    {
      kind: 'payment',
      title: 'A payment did not go through',
      body: `We could not collect ${money(payload)}. Check your payment method; we will try again.`,
      link: '/pricing',
    },
  ]),
  when(billing.paymentRefunded, ({ payload }) => [
    {
      kind: 'payment',
      title: `${money(payload)} is on its way back`,
      body: 'Your refund was sent. Banks take a few days to show it.',
      link: '/pricing',
    },
  ]),
  when(billing.trialEnding, ({ payload }) => [
    {
      kind: 'subscription',
      title: 'Your free trial ends soon',
      body: `On ${day(payload.trial_end)} your ${planName(payload.plan)} plan begins: ${money(payload)} then, and ${money({ ...payload, amount_cents: payload.price_cents ?? payload.amount_cents })} each month after. Change or cancel it any time before.`,
      link: '/pricing',
    },
  ]),
  when(billing.referralCredited, ({ payload }) => [
    {
      kind: 'referral',
      title: `You earned ${money(payload)}`,
      body: 'Someone you invited has stayed. The credit comes off your next invoice.',
      link: '/referrals',
    },
  ]),
]

const byEvent = new Map(wordings.map((wording) => [wording.event, wording.say]))
export const noticesOf = (heard: Heard, product: string): Notice[] => byEvent.get(heard.name)?.(heard, product) ?? []

// The newest stands on top of the inbox, so the first thing to read comes last.
const welcome = (product: string): Notice[] => [
  {
    kind: 'welcome',
    about: 'welcome-lab',
    title: 'Ask four models at once',
    body: 'Compare their answers side by side in the Lab, with the time and the cost of each, and go on with the best.',
    link: '/dashboard/ai-lab',
  },
  {
    kind: 'welcome',
    about: 'welcome-trial',
    title: `Try everything free for ${TRIAL_DAYS} days`,
    body: 'Pick a plan to open every tool. You are charged only if you stay.',
    link: '/pricing',
  },
  {
    kind: 'welcome',
    about: 'welcome',
    title: `Welcome to ${product}`,
    body: 'Your workspace is ready. Take two minutes to see how everything fits together.',
    link: '/dashboard/how-it-works',
  },
]

function planNotice({ tier, status, period_end, trial_end }: Payload<typeof billing.subscriptionChanged>): Notice[] {
  const notice = (title: string, body: string): Notice[] => [{ kind: 'subscription', title, body, link: '/pricing' }]
  const until = trial_end ?? period_end
  if (status === 'trialing')
    return notice(
      'Your free trial has started',
      `Every tool is open to you${until ? ` until ${day(until)}` : ''}. Cancel before then and you pay nothing.`,
    )
  if (status === 'active')
    return notice(`You are on ${planName(tier)}`, `Your plan is active${period_end ? ` and renews on ${day(period_end)}` : ''}.`)
  if (status === 'past_due')
    return notice('Your last payment did not go through', 'Your tools stay open for a few days. Update your payment method to keep them.')
  if (status === 'unpaid')
    return notice('Your plan is paused', 'We could not collect the payment. Update your payment method to open your tools again.')
  if (status === 'canceled')
    return notice('Your subscription has ended', 'Your data is kept. Choose a plan whenever you want to come back.')
  return []
}

function usageNotice({ unit, percent, used, limit }: Payload<typeof billing.usageThreshold>): Notice {
  const what = unitName[unit] ?? unit
  const count = `${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} ${what}`
  if (percent === 100)
    return {
      kind: 'usage',
      title: `You have used all your ${what}`,
      body: `${count} are used in this period. Upgrade to go on right away.`,
      link: '/pricing',
    }
  return {
    kind: 'usage',
    title: `${percent}% of your ${what} are used`,
    body: `${count} are used in this period. Upgrade before you run out.`,
    link: '/pricing',
  }
}
