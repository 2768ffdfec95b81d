import { useQuery } from '@tanstack/react-query'
import { homeOf } from '../paths.ts'
import { call } from './call.ts'
import { isReferralCode, referralKey } from './keys.ts'
import { loadBackend } from './session.ts'

export type Role = 'seller' | 'buyer'

/** The home role. It is set once, so what was read stays. */
export function useRole(userId: string | undefined) {
  return useQuery({
    queryKey: ['role', userId],
    queryFn: () => readRole(userId!),
    enabled: Boolean(userId),
    staleTime: ({ state }) => (state.data ? Number.POSITIVE_INFINITY : 0),
  })
}

async function readRole(userId: string): Promise<Role | null> {
  const { rest, rows } = await loadBackend()
  const record = await rows<{ role: Role } | null>(rest.from('user_roles').select('role').eq('user_id', userId).maybeSingle())
  return record?.role ?? null
}

/** Where this account goes after sign-in. A portal stores its role where none is yet; that failing is only logged. */
export async function landingFor(userId: string, portal?: Role): Promise<string> {
  try {
    const role = await readRole(userId)
    if (role || !portal) return homeOf(role)
    const { rest, rows } = await loadBackend()
    await rows(rest.from('user_roles').insert({ user_id: userId, role: portal }))
    return homeOf(portal)
  } catch (error) {
    console.warn('The role could not be read or stored', error)
    return homeOf(portal)
  }
}

/** The record of a sign-up, sent once a session is there. A failure is only logged. */
export async function sendSignUpRecord() {
  const { auth } = await loadBackend()
  const { data } = await auth.getSession()
  const user = data.session?.user
  if (!user) return
  const meta = user.user_metadata
  const code = [localStorage.getItem(referralKey), meta.referral_code].find(isReferralCode) ?? null
  localStorage.removeItem(referralKey)
  await call('table-sync', {
    tableName: 'sign up',
    data: {
      email: user.email ?? '',
      name: meta.name ?? '',
      user_id: user.id,
      referral_code: code,
      signup_date: user.created_at ?? new Date().toISOString(),
      accept_terms: Boolean(meta.accept_terms),
      terms_version: meta.terms_version ?? null,
      accept_marketing: Boolean(meta.accept_marketing),
    },
  }).catch((error) => console.warn('The sign-up record was not sent', error))
}
