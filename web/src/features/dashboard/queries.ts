import type { dashboardStats } from '@operon/contracts/analytics'
import type { Reply } from '@operon/contracts/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { fnCall } from '../../api/billing.ts'
import { useLive } from '../../api/live.ts'
import { loadBackend } from '../../api/session.ts'

export type DashboardStats = Reply<typeof dashboardStats>
export type ActivityRow = { id: string; command: string; status: string; created_at: string }
export type Profile = { user_id: string; display_name: string | null; marketplace_slug: string | null }

export function useStats(userId: string) {
  return useQuery({ queryKey: ['dashboard-stats', userId], queryFn: () => fnCall<DashboardStats>('dashboard-stats') })
}

export function useActivity(userId: string) {
  const queries = useQueryClient()
  const refresh = useCallback(() => void queries.invalidateQueries({ queryKey: ['activity', userId] }), [queries, userId])
  useLive('activity', refresh)
  return useQuery({
    queryKey: ['activity', userId],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<ActivityRow[]>(
        rest
          .from('activity_logs')
          .select('id,command,status,created_at')
          .eq('user_id', userId)
          .order('created_at', { ascending: false })
          .limit(5),
      )
    },
  })
}

export function useProfile(userId: string) {
  return useQuery({
    queryKey: ['profile', userId],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<Profile | null>(
        rest.from('user_profiles').select('user_id,display_name,marketplace_slug').eq('user_id', userId).maybeSingle(),
      )
    },
  })
}
