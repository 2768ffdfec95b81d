import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useLive } from './live.ts'
import { refresh } from './refresh.ts'
import { loadBackend } from './session.ts'

type ActivityRow = { id: string; command: string; status: string | null; link?: string | null; created_at: string }

/** The account's last five commands, followed as they happen. */
export function useRecentActivity(userId: string) {
  const queries = useQueryClient()
  const onNews = useCallback(() => void refresh(queries, ['activity', userId]), [queries, userId])
  useLive('activity', onNews)
  return useQuery({
    queryKey: ['activity', userId],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<ActivityRow[]>(
        rest.from('activity_logs').select().eq('user_id', userId).order('created_at', { ascending: false }).limit(5),
      )
    },
  })
}
