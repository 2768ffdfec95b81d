import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call, useCall } from '../../api/call.ts'
import { typedAs, useFields } from '../../ui/ownFields.ts'
import type { Address } from './address.ts'

export type Contact = CallReply<'find-contacts'>['contacts'][number]
export type ContactDetail = CallReply<'show-contact'>
export type Company = CallReply<'find-companies'>['companies'][number]
export type Task = CallReply<'list-tasks'>['tasks'][number]

const root = 'crm'
const PAGE = 100

export function useRefresh() {
  const queries = useQueryClient()
  return useCallback(() => queries.invalidateQueries({ queryKey: [root] }), [queries])
}

/** Everything is read anew but the contact that was deleted: its panel may still be closing, and would find nothing. */
export function useRefreshWithout(id: string) {
  const queries = useQueryClient()
  return async () => {
    await queries.invalidateQueries({ queryKey: [root, 'contact', id], refetchType: 'none' })
    await queries.invalidateQueries({ queryKey: [root], predicate: ({ queryKey }) => queryKey[2] !== id })
  }
}

type Filter = Pick<Address, 'query' | 'temperature' | 'status' | 'tag' | 'sort' | 'companyId'> & Partial<Pick<Address, 'field' | 'value'>>
export function useContacts({ query, temperature, status, tag, sort, companyId, field: fieldId, value = '' }: Filter, limit = PAGE) {
  const own = useFields().find(({ id }) => id === fieldId)
  const wanted = own ? typedAs(own, value) : null
  const asked = {
    sort,
    limit,
    ...(query && { query: query.slice(0, 100) }),
    ...(temperature && { temperature }),
    ...(status && { status }),
    ...(tag && { tag }),
    ...(companyId && { company_id: companyId }),
    ...(own && wanted !== null && { field: { id: own.id, value: wanted } }),
  }
  return useInfiniteQuery({
    queryKey: [root, 'contacts', asked],
    queryFn: ({ pageParam, signal }) => call('find-contacts', { ...asked, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })
}

export const useCompany = (company_id: string) =>
  useCall('show-company', { company_id }, { key: [root, 'company', company_id], retry: false })
export const useContact = (id: string) => useCall('show-contact', { contact_id: id }, { key: [root, 'contact', id], retry: false })
export const useOlder = (id: string, from: string | null) =>
  useInfiniteQuery({
    queryKey: [root, 'timeline', id, from],
    queryFn: ({ pageParam, signal }) => call('contact-timeline', { contact_id: id, cursor: pageParam }, { signal }),
    initialPageParam: from ?? '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    enabled: false,
  })
export const useTasks = () => useCall('list-tasks', {}, { key: [root, 'tasks'] })
export const useTags = () => useCall('list-tags', {}, { key: [root, 'tags'] })
export const newKey = () => crypto.randomUUID()
