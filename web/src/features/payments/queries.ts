import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call, useCall } from '../../api/call.ts'
import { useLive } from '../../api/live.ts'
import type { Address, Part } from './address.ts'

export type Sale = CallReply<'list-sales'>['sales'][number]
export type SaleDetail = CallReply<'show-sale'>
export type Payout = CallReply<'list-payouts'>['payouts'][number]
export type SellerBalance = CallReply<'seller-balance'>
export type Account = SellerBalance['account']
export type Why = SellerBalance['next'][number]['why'][number]
export type Movement = CallReply<'balance-rows'>['rows'][number]

const root = 'payments'

/** Refetches this page's queries when the seller's money has moved. */
export function usePaymentsRefresh() {
  const queries = useQueryClient()
  const refresh = useCallback(() => queries.invalidateQueries({ queryKey: [root] }), [queries])
  useLive('sales', refresh)
  return refresh
}

export const useBalance = () => useCall('seller-balance', {}, { key: [root, 'balance'] })

export function useSales({ status, only, from, to, query }: Address) {
  const filters = { ...(status && { status }), ...(only && { only }), ...(from && { from }), ...(to && { to }) }
  return useInfiniteQuery({
    queryKey: [root, 'sales', query || filters],
    queryFn: async ({ pageParam, signal }) => {
      if (query.length < 2) {
        const listed = await call('list-sales', { ...filters, ...(pageParam && { cursor: pageParam }) }, { signal })
        return { ...listed, more: false, searchedBackTo: undefined }
      }
      const { sales, more, searched_back_to } = await call('find-payment', { query }, { signal })
      return { sales, more, searchedBackTo: searched_back_to, cursor: null }
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })
}

export const usePayouts = (status: Address['payoutStatus']) =>
  useInfiniteQuery({
    queryKey: [root, 'payouts', status],
    queryFn: ({ pageParam, signal }) =>
      call('list-payouts', { ...(status && { status }), ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })

export const useSale = (id: string) => useCall('show-sale', { sale_id: id }, { key: [root, 'sale', id], retry: false })

export const useBalanceRows = (part: Part, currency: string) =>
  useInfiniteQuery({
    queryKey: [root, 'rows', part, currency],
    queryFn: ({ pageParam, signal }) => call('balance-rows', { part, currency, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
  })

/** `next` is the payout of the coming Friday. */
export const usePayoutLines = (id: string, currency: string) =>
  useInfiniteQuery({
    queryKey: [root, 'payout', id, currency],
    queryFn: ({ pageParam, signal }) =>
      call(
        'explain-payout',
        { ...(id === 'next' ? { currency } : { payout_id: id }), ...(pageParam && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (last) => last.cursor ?? undefined,
    retry: false,
  })

/** Not asked again once the refund is sent: the page hears of it before its answer is here, and nothing would be left to refund. */
export const useRefundPreview = (sale: string, cents: number, isSent: boolean) =>
  useCall(
    'preview-refund',
    { sale_id: sale, reason: 'Preview', amount_cents: cents },
    { key: [root, 'refund', sale, cents], retry: false, staleTime: 0, enabled: !isSent },
  )
