import type { paymentFailed, trialEnding, usageThreshold } from '@operon/contracts/billing/events'
import type { Payload } from '@operon/contracts/contract'
import type { accountMail } from '@operon/contracts/crm/events'
import { PAST_DUE_GRACE_DAYS, plans, type Unit } from '@operon/contracts/plans'

type Words = Omit<Payload<typeof accountMail>, 'user_id'>

export function trialEndingMail(
  { plan, trial_end, amount_cents, price_cents = amount_cents, currency }: Payload<typeof trialEnding>,
  product: string,
): Words {
  const name = plans.find(({ id }) => id === plan)?.name ?? plan
  return {
    subject: `Your ${product} trial ends on ${day(trial_end)}`,
    title: 'Your free trial ends soon',
    text: `On ${day(trial_end)} ${name} begins and ${money(amount_cents, currency)} is charged, then ${amount_cents === price_cents ? '' : `${money(price_cents, currency)} `}every month. There is nothing to do if you want to stay.`,
    label: 'See your plan',
    path: '/pricing',
    after: 'You can switch or cancel there until then, and nothing is charged.',
  }
}

export function paymentFailedMail({ amount_cents, currency }: Payload<typeof paymentFailed>, product: string): Words {
  return {
    subject: `Your ${product} payment did not go through`,
    title: 'A payment did not go through',
    text: `We could not collect ${money(amount_cents, currency)}. We will try again by ourselves; with a new card you can also pay it now.`,
    label: 'Update your card',
    path: '/pricing',
    after: `A running plan stays open for ${PAST_DUE_GRACE_DAYS} days. Your data is kept either way.`,
  }
}

export function usageMail({ unit, percent, used, limit }: Payload<typeof usageThreshold>, product: string): Words {
  const what = unitNames[unit]
  const count = `${used.toLocaleString('en-US')} of ${limit.toLocaleString('en-US')} ${what}`
  const isAll = percent === 100
  return {
    subject: isAll ? `Your ${product} ${what} are used up` : `${percent}% of your ${product} ${what} are used`,
    title: isAll ? `You have used all your ${what}` : `${percent}% of your ${what} are used`,
    text: isAll
      ? `${count} are used in this period. More come with a larger plan, or with the next period.`
      : `${count} are used in this period.`,
    label: 'See plan and usage',
    path: '/pricing',
    after: isAll ? 'Everything else goes on as before.' : 'We write once more when the limit is reached, and not before.',
  }
}

const unitNames: Record<Unit, string> = {
  prompts: 'AI prompts',
  images: 'images',
  emails: 'emails',
  runs: 'workflow runs',
  agents: 'voice agents',
}
const day = (iso: string) => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))
const money = (cents: number, currency: string) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: cents % 100 ? 2 : 0,
  }).format(cents / 100)
