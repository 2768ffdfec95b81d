import type { CallReply } from '@operon/contracts/calls'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useCall } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { useSession } from '../../api/session.ts'

export type AdRow = CallReply<'list-ads'>['rows'][number]
export type Level = AdRow['level']
export type Span = 7 | 30 | 90
export const spans = [7, 30, 90] as const

const root = 'meta-ads'

/** Refetches what this page shows of Meta. */
export function useAdsRefresh() {
  const queries = useQueryClient()
  return useCallback(() => queries.invalidateQueries({ queryKey: [root] }), [queries])
}

export function useAdsConnections() {
  const { user } = useSession()
  const refresh = useAdsRefresh()
  useLive('connection', refresh)
  useLive('ads', refresh)
  return useCall('list-connections', { app: 'meta-ads' }, { key: [root, 'connections', user?.id] })
}

export const useAds = (level: Level, days: Span, account: string, enabled = true) =>
  useCall(
    'list-ads',
    { level, days, ...(account && { account_id: account }) },
    { key: [root, 'list', level, days, account], retry: false, enabled, placeholderData: (before) => before },
  )

export const useAdAnalytics = (days: Span) =>
  useCall('meta-ads-analytics', { days }, { key: [root, 'analytics', days], retry: false, placeholderData: (before) => before })

export const useAdRules = () => useCall('list-ad-rules', {}, { key: [root, 'rules'] })
