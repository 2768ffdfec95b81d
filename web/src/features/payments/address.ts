import { useSearch } from '../../ui/useSearch.ts'

export const parts = ['held', 'due', 'reserved', 'on_its_way', 'owed'] as const
export type Part = (typeof parts)[number]
export const statuses = ['completed', 'pending', 'failed'] as const
export const payoutStatuses = ['paid', 'pending', 'returned'] as const

/** The view and the open row are in the address: it can be shared, reloaded and left with Back. */
export function useAddress() {
  const { search, change } = useSearch()
  const one = <T extends string>(name: string, of: readonly T[]) => of.find((each) => each === search.get(name))
  const date = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(search.get(name) ?? '') ? search.get(name)! : undefined)
  return {
    tab: one('tab', ['transactions', 'payouts']) ?? 'transactions',
    status: one('status', statuses),
    only: one('only', ['refunded', 'disputed']),
    from: date('from'),
    to: date('to'),
    query: search.get('q') ?? '',
    payoutStatus: one('payout_status', payoutStatuses),
    sale: search.get('sale'),
    payout: search.get('payout'),
    part: one('part', parts),
    currency: search.get('currency') ?? 'usd',
    /** Back from the payment provider's page. */
    back: one('payouts', ['done', 'again']),
    change,
  }
}
export type Address = ReturnType<typeof useAddress>
