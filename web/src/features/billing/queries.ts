import { useCall } from '../../api/call.ts'

export const topUpsKey = (userId: string | undefined) => ['top-ups', userId]

export function useTopUps(userId: string) {
  return useCall('list-top-ups', {}, { key: topUpsKey(userId), refetchOnWindowFocus: 'always' })
}

export function useInvoices(userId: string | undefined) {
  return useCall('list-invoices', {}, { key: ['invoices', userId], enabled: Boolean(userId) })
}
