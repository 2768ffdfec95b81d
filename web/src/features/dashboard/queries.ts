import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../api/call.ts'
import { loadBackend } from '../../api/session.ts'

export type Profile = { user_id: string; display_name: string | null; marketplace_slug: string | null }

export function useStats(userId: string) {
  return useCall('dashboard-stats', {}, { key: ['dashboard-stats', userId] })
}

/** Beside the figure of leads: how many of them can be written to. */
export function useContactCount(userId: string) {
  return useCall('count-contacts', {}, { key: ['dashboard-stats', userId, 'contacts'] })
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
