import { invalid, refuse } from '../deps.ts'

/** An address in the one form that is stored and compared. */
export function readEmail(email: string | null | undefined): string {
  const given = email?.trim() ?? ''
  if (!given) throw invalid('An email address is required')
  const well =
    given.length <= 254 && /^[^\s@<>()[\],;:\\"]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/i.test(given)
  if (!well || given.includes('..')) throw refuse(400, 'validation_failed', 'Unable to validate email address: invalid format')
  return given.toLowerCase()
}

/** Digits only, as the protocol stores them. */
export function readPhone(phone: string | null | undefined): string {
  const digits = (phone ?? '').replace(/[\s()+-]/g, '')
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw invalid('Invalid phone number format (E.164 required)')
  return digits
}
