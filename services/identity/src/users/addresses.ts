import { invalid } from '../deps.ts'

/** An address in the one form that is stored and compared. */
export function readEmail(email: string | null | undefined): string {
  if (!email?.trim()) throw invalid('An email address is required')
  const read = emailIn(email)
  if (!read) throw invalid('Unable to validate email address: invalid format')
  return read
}

/** The same, or null where it is no address. */
export function emailIn(email: string | null | undefined): string | null {
  const given = email?.trim() ?? ''
  const well =
    given.length <= 254 && /^[^\s@<>()[\],;:\\"]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i.test(given)
  return well && !given.includes('..') ? given.toLowerCase() : null
}

/** Digits only, as the protocol stores them. */
export function readPhone(phone: string | null | undefined): string {
  const digits = (phone ?? '').replace(/[\s()+-]/g, '')
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw invalid('Invalid phone number format (E.164 required)')
  return digits
}
