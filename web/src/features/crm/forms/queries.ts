import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { useLive } from '../../../api/live.ts'

export type LeadForm = CallReply<'list-lead-forms'>['forms'][number]

const root = 'lead-forms'

export function useForms() {
  const reload = useReloadForms()
  useLive('forms', reload)
  return useCall('list-lead-forms', {}, { key: [root] })
}
export function useReloadForms() {
  const queries = useQueryClient()
  return useCallback(() => void queries.invalidateQueries({ queryKey: [root] }), [queries])
}
export const useAnswers = (form_id: string) =>
  useInfiniteQuery({
    queryKey: [root, 'answers', form_id],
    queryFn: ({ pageParam, signal }) => call('list-submissions', { form_id, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })
