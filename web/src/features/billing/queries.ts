import { useQuery } from '@tanstack/react-query'
import { fnCall, type Invoice } from '../../api/billing.ts'

export function useInvoices(userId: string | undefined) {
  return useQuery({
    queryKey: ['invoices', userId],
    queryFn: () => fnCall<{ invoices: Invoice[] }>('list-invoices'),
    enabled: Boolean(userId),
  })
}
