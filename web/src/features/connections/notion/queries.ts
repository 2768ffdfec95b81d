import type { CallReply } from '@operon/contracts/calls'
import { texts } from '@operon/contracts/messages'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { useLive } from '../../../api/live.ts'
import { useSession } from '../../../api/session.ts'
import { toast } from '../../../ui/toast.tsx'

export type NotionPage = CallReply<'find-notion-pages'>['pages'][number]
export type Database = CallReply<'notion-api'>['databases'][number]

const root = 'notion'

/** Refetches what this page shows of Notion. */
export function useNotionRefresh() {
  const queries = useQueryClient()
  return useCallback(() => queries.invalidateQueries({ queryKey: [root] }), [queries])
}

export function useNotionConnections() {
  const { user } = useSession()
  const listed = useCall('list-connections', { app: 'notion' }, { key: ['list-connections', 'notion', user?.id] })
  const refresh = useNotionRefresh()
  const { refetch } = listed
  useLive(
    'connection',
    useCallback(() => void refetch().then(refresh), [refetch, refresh]),
  )
  return listed
}

export function useDatabases() {
  const asked = useCall('notion-api', { action: 'get_databases' }, { key: [root, 'databases'], retry: false })
  const { isError, errorUpdatedAt } = asked
  useEffect(() => {
    if (isError && errorUpdatedAt) toast.error(texts.notionDatabasesFailed)
  }, [isError, errorUpdatedAt])
  return asked
}

export const usePages = (words: string, databaseId: string) =>
  useInfiniteQuery({
    queryKey: [root, 'pages', words, databaseId],
    queryFn: ({ pageParam, signal }) =>
      call(
        'find-notion-pages',
        { ...(words && { words }), ...(databaseId && { database_id: databaseId }), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    retry: false,
    // Somebody else may be at work in the same workspace.
    refetchInterval: 60_000,
  })

export const usePage = (id: string) =>
  useCall('show-notion-page', { page_id: id }, { key: [root, 'page', id], retry: false, refetchOnWindowFocus: false })
