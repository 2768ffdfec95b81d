import { useCall } from '../../api/call.ts'

export function useInvoices(userId: string | undefined) {
  return useCall('list-invoices', {}, { key: ['invoices', userId], enabled: Boolean(userId) })
}
