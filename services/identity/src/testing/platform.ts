import type { Env } from '@operon/kit/config'
import { startTestPlatform, type TestPlatform } from '@operon/kit/testing/service'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { identityService } from '../service.ts'

export const PASSWORD = 'Tr1cky-horse-battery'
export const SERVICE_KEY = 'test-service-key-0123456789'

export type IdentityTest = TestPlatform & { base: string; client(options?: Record<string, unknown>): SupabaseClient; admin(): SupabaseClient }

/** Identity over real HTTP, and the unmodified client for it. */
export async function startIdentity(env: Env = {}, more: Parameters<typeof startTestPlatform>[0] = []): Promise<IdentityTest> {
  const platform = await startTestPlatform([identityService, ...more], { AUTH_AUTOCONFIRM: 'true', LIMIT_SIGN_UP_PER_MINUTE: '1000', LIMIT_SIGN_IN_PER_MINUTE: '1000', LIMIT_VERIFY_PER_MINUTE: '1000', ...env })
  const base = platform.url('identity')
  const client = (options: Record<string, unknown> = {}) => createClient(base, 'anon', { auth: { persistSession: true, storage: memory(), autoRefreshToken: false, detectSessionInUrl: false, ...options } })
  const admin = () => createClient(base, SERVICE_KEY, { auth: { persistSession: false, autoRefreshToken: false } })
  return { ...platform, base, client, admin }
}

export function memory() {
  const items = new Map<string, string>()
  return { getItem: (key: string) => items.get(key) ?? null, setItem: (key: string, value: string) => void items.set(key, value), removeItem: (key: string) => void items.delete(key) }
}

let count = 0
export const newEmail = (name = 'person') => `${name}-${Date.now().toString(36)}-${++count}@example.com`

export async function signedUp(platform: IdentityTest, email = newEmail()) {
  const client = platform.client()
  const { data, error } = await client.auth.signUp({ email, password: PASSWORD, options: { data: { name: 'Ada Lovelace', referral_code: 'REF1', accept_terms: true, accept_marketing: false } } })
  if (error || !data.session || !data.user) throw error ?? new Error('no session')
  return { client, email, user: data.user, session: data.session }
}
