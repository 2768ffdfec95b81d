import { appOf } from './integrations/apps.ts'
import { plans, type TopUpUnit, type Unit } from './plans.ts'

// How names, amounts and days read in a sentence. No zod here: the web app may ship it.

export const planName = (tier: string): string =>
  plans.find((plan) => plan.id === tier)?.name ?? (tier === 'trial' ? 'the free trial' : tier)

export const money = ({ amount_cents, currency }: { amount_cents: number; currency: string }): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(amount_cents / 100)

export const day = (iso: string): string => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(iso))

/** For letters, which do not know where they are read. The narrow space before PM is one that not every mail program has. */
export const moment = (at: Date): string => {
  const said = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)
  return `${said.replaceAll('\u202F', ' ')} UTC`
}

/** A device by what its browser says of itself, as a person would name it. */
export function deviceName(agent: string) {
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrome\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : agent.split(/[\s/]/)[0] || 'Unknown'
  const system = /iPhone|iPad/.test(agent)
    ? 'iOS'
    : /Android/.test(agent)
      ? 'Android'
      : /Mac OS/.test(agent)
        ? 'macOS'
        : /Windows/.test(agent)
          ? 'Windows'
          : /Linux/.test(agent)
            ? 'Linux'
            : ''
  return system ? `${browser} on ${system}` : browser
}

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

export const topUpName: Record<TopUpUnit, string> = { prompts: 'AI prompts', images: 'images', speech: 'minutes of speech' }
/** As an invoice names it. */
export const topUpTitle = ({ unit, units }: { unit: TopUpUnit; units: number }): string => `${count(units)} ${topUpName[unit]}`

/** An app by the name that people know; one that the catalogue does not have, by its id. */
export const appName = (id: string): string =>
  appOf(id)?.name ??
  (id === 'custom' ? 'Your API' : id === 'caldav' ? 'CalDAV calendar' : undefined) ??
  id
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
