import type { CallReply } from '@operon/contracts/calls'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, useCall } from '../../api/call.ts'

export type Product = CallReply<'read-product'>
export type Row = CallReply<'list-products'>['products'][number]
export type Status = Row['status']
export type Kind = Product['kind']

export const newKey = () => crypto.randomUUID()

export const useProducts = (status: Status | undefined, q: string) =>
  useCall('list-products', { ...(status && { status }), q }, { key: ['products', status ?? 'all', q] })
export const useProduct = (itemId: string) =>
  useCall(
    'read-product',
    { item_id: itemId },
    {
      key: ['product', itemId],
      // A file is checked after it arrived. Until then it is among what is missing, and nothing tells this page when it no longer is.
      refetchInterval: ({ state: { data } }) => (data?.missing.length && data.next.files.length ? 3_000 : false),
    },
  )

/** The queries that a change of a product affects: its lists, its figures and the page of the dashboard. */
export function useProductsChanged() {
  const queries = useQueryClient()
  return (product?: Product) => {
    if (product) queries.setQueryData(['product', product.id], product)
    for (const key of ['products', 'marketplace-overview', 'profile', 'has', ...(product ? [] : ['product'])])
      void queries.invalidateQueries({ queryKey: [key] })
  }
}

/** A picture of the seller's own, on sale or not. */
export function usePicture(fileId: string | null | undefined) {
  return useQuery({
    queryKey: ['own-picture', fileId],
    enabled: Boolean(fileId),
    staleTime: 12 * 3_600_000,
    queryFn: async () => {
      const { url } = await call('marketplace-file-link', { file_id: fileId!, hours: 24 })
      return new URL(url).pathname
    },
  }).data
}

export const kindNames: Record<Kind, string> = {
  template: 'Workflow template',
  file: 'Files to download',
  prompt_pack: 'Prompt pack',
  service: 'Service, delivered by you',
}
export const categories = ['Marketing', 'Social Media', 'Support', 'Analytics', 'E-commerce', 'Sales', 'Finance', 'Productivity']
