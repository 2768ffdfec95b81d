import type { ThirdParty } from '@operon/contracts/third-parties'
import { useQuery } from '@tanstack/react-query'
import { product } from '../content/product.ts'
import { callPublic } from './call.ts'
import { readJson, request } from './http.ts'

export type Platform = { product_name: string; sandboxed: ThirdParty[]; demo_accounts: boolean; version: string }

/** Facts of this installation: its name, which providers are stand-ins, whether demo accounts exist. */
export function usePlatform() {
  const query = useQuery({
    queryKey: ['platform'],
    queryFn: () => callPublic('platform-info'),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  })
  return query.data ?? { product_name: product.name, sandboxed: [], demo_accounts: false, version: '' }
}

type AuthSettings = {
  external: Record<string, boolean>
  mailer_autoconfirm: boolean
  disable_signup: boolean
  passkeys_enabled?: boolean
}

export function useAuthSettings() {
  return useQuery({
    queryKey: ['auth-settings'],
    queryFn: async () => readJson<AuthSettings>(await request('/auth/v1/settings')),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  }).data
}
