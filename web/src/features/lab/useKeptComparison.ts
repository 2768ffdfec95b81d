import { useQuery } from '@tanstack/react-query'
import type { Comparison } from '../../api/ai.ts'
import { loadBackend } from '../../api/session.ts'

/** The comparison that the address names; an unknown one leaves the page as it is. */
export function useKeptComparison(id: string | null): Comparison | undefined {
  const found = useQuery({
    queryKey: ['ai-comparison', id],
    enabled: id !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<Comparison[]>(rest.from('ai_comparisons').select().eq('id', id!).limit(1))
    },
  })
  return found.data?.[0]
}
