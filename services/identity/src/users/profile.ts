import { cleanName } from '@operon/contracts/names'
import { invalid } from '../deps.ts'

const MAX_BYTES = 16 * 1024
const MAX_NAME = 100
const names = ['name', 'full_name', 'display_name', 'first_name', 'last_name', 'user_name', 'preferred_username', 'nickname']
/** Enough for any app to greet a person by; the rest is read from the user, not from each token. */
const inToken = ['name', 'full_name', 'avatar_url', 'picture', 'referral_code', 'theme', 'email', 'email_verified', 'phone_verified', 'sub']

type Metadata = Record<string, unknown>

/** A person's own description: bounded, and with names that are only a name. */
export function readProfile(data: Metadata, before: Metadata = {}): Metadata {
  const cleaned = withNames(data, (name) => {
    if ([...name].length > MAX_NAME) throw invalid(`A name can have up to ${MAX_NAME} characters.`)
    return name
  })
  if (Buffer.byteLength(JSON.stringify({ ...before, ...cleaned })) > MAX_BYTES)
    throw invalid(`The data of a user can take up to ${MAX_BYTES / 1024} kB.`)
  return cleaned
}

/** A provider's text about a person is cut where it is too long: the person cannot correct it. */
export const profileFrom = (data: Metadata): Metadata => withNames(data, (name) => [...name].slice(0, MAX_NAME).join(''))

const withNames = (data: Metadata, bound: (name: string) => string): Metadata =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, names.includes(key) && typeof value === 'string' ? bound(cleanName(value)) : value]),
  )

export const profileInToken = (data: Metadata): Metadata =>
  Object.fromEntries(
    inToken.flatMap((key) => {
      const value = data[key]
      const fits = typeof value === 'boolean' || (typeof value === 'string' && value.length <= 512)
      return fits ? [[key, value]] : []
    }),
  )
