import { comingUnits } from '@operon/contracts/plans'
import type { UsageRow } from './billing.ts'
import { useCall } from './call.ts'

export const subscriptionKey = (userId: string | undefined) => ['subscription', userId]

/** The plan, its dates, and what is used of each limit. */
export function useSubscription(userId: string | undefined) {
  return useCall(
    'check-subscription',
    {},
    {
      key: subscriptionKey(userId),
      enabled: Boolean(userId),
      refetchOnWindowFocus: 'always',
    },
  )
}

/** Units that are counted today or were counted before: a meter of a tool that is not there yet would look like one to use. */
export const countedUsage = (usage: readonly UsageRow[]) => usage.filter(({ unit, used }) => used > 0 || !comingUnits.includes(unit))

export const unitNames: Record<UsageRow['unit'], string> = {
  prompts: 'AI prompts',
  images: 'Images',
  emails: 'Emails',
  runs: 'Workflow runs',
  agents: 'Voice agents',
}
