import { useQuery } from '@tanstack/react-query'
import { fnCall, type Subscription, type UsageRow } from './billing.ts'

export const subscriptionKey = (userId: string | undefined) => ['subscription', userId]

/** The plan, its dates, and what is used of each limit. */
export function useSubscription(userId: string | undefined) {
  return useQuery({
    queryKey: subscriptionKey(userId),
    queryFn: () => fnCall<Subscription>('check-subscription'),
    enabled: Boolean(userId),
    refetchOnWindowFocus: 'always',
  })
}

export const unitNames: Record<UsageRow['unit'], string> = {
  prompts: 'AI prompts',
  images: 'Images',
  emails: 'Emails',
  runs: 'Workflow runs',
  agents: 'Voice agents',
}
