import { appOf } from './integrations/apps.ts'
import { plans, type Unit } from './plans.ts'

// How names, amounts and days read in a sentence. No zod here: the web app may ship it.

export const planName = (tier: string): string =>
  plans.find((plan) => plan.id === tier)?.name ?? (tier === 'trial' ? 'the free trial' : tier)

export const money = ({ amount_cents, currency }: { amount_cents: number; currency: string }): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(amount_cents / 100)

export const day = (iso: string): string => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))

const count = (n: number): string => n.toLocaleString('en-US')
export const usedOf = ({ unit, used, limit }: { unit: Unit; used: number; limit: number }): string =>
  `${count(used)} of ${count(limit)} ${unitName[unit]}`

export const unitName: Record<Unit, string> = {
  prompts: 'AI prompts',
  images: 'images',
  emails: 'emails',
  runs: 'workflow runs',
  agents: 'voice agents',
}

/** An app by the name that people know; one that the catalogue does not have, by its id. */
export const appName = (id: string): string =>
  appOf(id)?.name ??
  id
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
