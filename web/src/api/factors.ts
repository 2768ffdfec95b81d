import type { Factor, User } from '@supabase/auth-js'

/** Not in an old browser, nor on a page that is not secure. */
export const knowsDevices = () => typeof PublicKeyCredential === 'function' && Boolean(navigator.credentials)

/** The second factors that count, as they are asked for: keys one by one, apps by one code. */
export function factorsOf(user: User | null | undefined): { keys: Factor[]; app: Factor | undefined } {
  const verified = user?.factors?.filter(({ status }) => status === 'verified') ?? []
  return { keys: verified.filter(isKey), app: verified.find((factor) => !isKey(factor)) }
}
export const isKey = ({ factor_type }: { factor_type: string }) => factor_type === 'webauthn'

/** The name that a person gave. The name that the app gives is the time of adding, since names must differ. */
export function factorName({ friendly_name: name, factor_type }: { friendly_name?: string; factor_type: string }): string {
  if (name && !/^(Authenticator|Security key) \d/.test(name)) return name
  return factor_type === 'totp' ? 'Authenticator app' : factor_type === 'webauthn' ? 'Security key' : 'Phone'
}
