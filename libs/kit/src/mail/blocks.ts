import { callerAt } from '../addresses.ts'

/** One customer of a network, or near enough: an IPv4 /24, and of IPv6 what every limit counts as one caller. */
export const addressBlock = (address: string): string => callerAt(address).replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24')

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

// The country codes of one and of two digits (ITU-T E.164); all others have three.
const ONE = new Set(['1', '7'])
const TWO = new Set(
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98'.split(
    ' ',
  ),
)
export function countryCode(phone: string): string {
  const digits = phone.replace(/\D/g, '')
  if (ONE.has(digits.slice(0, 1))) return digits.slice(0, 1)
  return TWO.has(digits.slice(0, 2)) ? digits.slice(0, 2) : digits.slice(0, 3)
}

/** Numbers that differ in their last four digits alone: what is rented as a range. */
export const phoneBlock = (phone: string): string => phone.replace(/\D/g, '').slice(0, -4)
