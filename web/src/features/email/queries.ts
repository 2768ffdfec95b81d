import type { CallArgs, CallReply } from '@operon/contracts/calls'
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { call, useCall } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import { useSession } from '../../api/session.ts'

export type Campaign = CallReply<'get-campaign'>['campaign']
export type Counts = CallReply<'get-campaign'>['counts']
export type Status = Campaign['status']
export type Listed = CallReply<'find-campaigns'>['campaigns'][number]
export type EmailStatus = CallReply<'email-status'>
export type Sender = EmailStatus['senders'][number]
export type Segment = CallReply<'list-segments'>['segments'][number]
export type SegmentTree = Campaign['segment']
export type Report = CallReply<'campaign-report'>
export type Recipient = CallReply<'list-recipients'>['recipients'][number]
export type RecipientFilter = NonNullable<CallArgs<'list-recipients'>['filter']>
export type Preview = CallReply<'preview-campaign'>
export type Checked = CallReply<'check-email'>
export type Template = CallReply<'list-email-templates'>['templates'][number]
export type EmailDocument = Campaign['document']
export type Block = EmailDocument['blocks'][number]
export type Part = Exclude<Block, { kind: 'columns' | 'social' | 'footer' }>

const root = 'email'
export const newKey = () => ({ idempotencyKey: crypto.randomUUID() })

/** Kept by person: another account in this browser sees nothing of it. */
function useKey(...parts: unknown[]) {
  const { user } = useSession()
  return [root, user?.id, ...parts]
}

export function useRefresh() {
  const queries = useQueryClient()
  return useCallback(
    () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: [root] }),
        queries.invalidateQueries({ queryKey: ['dashboard-stats'] }),
        queries.invalidateQueries({ queryKey: ['list-connections', 'mailersend'] }),
      ]),
    [queries],
  )
}

export const useEmailStatus = () => useCall('email-status', {}, { key: useKey('status') })
/** An editor begins from it, so none is kept that may be old. */
export const useCampaign = (id: string) =>
  useCall('get-campaign', { campaign_id: id }, { key: useKey('campaign', id), retry: false, refetchOnWindowFocus: false, gcTime: 0 })
export const useReport = (id: string) => useCall('campaign-report', { campaign_id: id }, { key: useKey('report', id) })
export const useSegments = () => useCall('list-segments', {}, { key: useKey('segments') })
export const useTopics = () => useCall('list-email-topics', {}, { key: useKey('topics') })
export const useTemplates = () => useCall('list-email-templates', {}, { key: useKey('templates') })
export const useSegmentPreview = (tree: SegmentTree, enabled = true) =>
  useCall('preview-segment', { tree }, { key: useKey('segment', JSON.stringify(tree)), enabled, placeholderData: keepPreviousData })

export type Asked = { query: string; status: Status | undefined }
export function useCampaigns({ query, status }: Asked) {
  const asked = { limit: 50, ...(query && { query: query.slice(0, 100) }), ...(status && { status }) }
  return useInfiniteQuery({
    queryKey: useKey('campaigns', asked),
    queryFn: ({ pageParam, signal }) => call('find-campaigns', { ...asked, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })
}

export function useRecipients(id: string, filter: RecipientFilter | undefined) {
  return useInfiniteQuery({
    queryKey: useKey('recipients', id, filter),
    queryFn: ({ pageParam, signal }) =>
      call(
        'list-recipients',
        { campaign_id: id, limit: 50, ...(filter && { filter }), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export function useSuppressions(query: string) {
  return useInfiniteQuery({
    queryKey: useKey('suppressions', query),
    queryFn: ({ pageParam, signal }) =>
      call('list-suppressions', { limit: 50, ...(query && { query }), ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

const EVERY_MS = 1_000
/** Events of a campaign are shown as they happen; a burst of opens is read once a second. */
export function useLiveCampaigns() {
  const queries = useQueryClient()
  const timer = useRef(0)
  const reload = useCallback(() => {
    timer.current ||= window.setTimeout(() => {
      timer.current = 0
      for (const part of ['campaigns', 'campaign', 'report', 'recipients', 'status', 'sequences', 'sequence', 'sequence-people'])
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === root && queryKey[2] === part })
    }, EVERY_MS)
  }, [queries])
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive('campaign', reload)
  useLive('campaigns', reload)
}

export type Sequence = CallReply<'show-sequence'>
export type Step = Sequence['steps'][number]
export type ListedSequence = CallReply<'list-sequences'>['sequences'][number]
export type Trigger = ListedSequence['trigger']
export type SequencePerson = CallReply<'list-sequence-people'>['people'][number]
export type PeopleState = SequencePerson['state']
export const useSequences = () => useCall('list-sequences', {}, { key: useKey('sequences') })
export const useSequence = (id: string) =>
  useCall('show-sequence', { sequence_id: id }, { key: useKey('sequence', id), retry: false, placeholderData: keepPreviousData })
export const useForms = () => useCall('list-lead-forms', {}, { key: useKey('forms') })
export const useTags = () => useCall('list-tags', {}, { key: useKey('tags') })

/** After the text of one of their emails was saved. */
export function useRefreshSequences() {
  const queries = useQueryClient()
  return useCallback(() => {
    for (const part of ['sequences', 'sequence'])
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === root && queryKey[2] === part })
  }, [queries])
}

export function useSequencePeople(id: string, state: PeopleState | undefined) {
  return useInfiniteQuery({
    queryKey: useKey('sequence-people', id, state),
    queryFn: ({ pageParam, signal }) =>
      call('list-sequence-people', { sequence_id: id, ...(state && { state }), ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}
