import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** Asks anew also while the first answer is on its way: that one may be from before the news, and would otherwise count for both. */
export async function refresh(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.cancelQueries({ queryKey })
  await queries.invalidateQueries({ queryKey })
}
