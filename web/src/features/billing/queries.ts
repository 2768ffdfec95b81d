import { useQuery } from '@tanstack/react-query'
import { fnCall, type Invoice, type Subscription } from '../../api/billing.ts'

export const subscriptionKey = (userId: string | undefined) => ['subscription', userId]

export function useSubscription(userId: string | undefined) {
  return useQuery({
    queryKey: subscriptionKey(userId),
    queryFn: () => fnCall<Subscription>('check-subscription'),
    enabled: Boolean(userId),
    refetchOnWindowFocus: 'always',
  })
}

export function useInvoices(userId: string | undefined) {
  return useQuery({
    queryKey: ['invoices', userId],
    queryFn: () => fnCall<{ invoices: Invoice[] }>('list-invoices'),
    enabled: Boolean(userId),
  })
}
