import { refuse } from '../deps.ts'
import { isBreached } from './breached.ts'
import { isCommon, isPersonal } from './common.ts'

const RULES: [reason: string, holds: (password: string) => boolean, text: string][] = [
  ['length', (password) => [...password].length >= 8, '8 characters'],
  ['characters', (password) => /\p{Lu}/u.test(password), 'one uppercase letter'],
  ['characters', (password) => /\p{Ll}/u.test(password), 'one lowercase letter'],
  ['characters', (password) => /[^\p{L}\p{N}\s]/u.test(password), 'one special character'],
]

const KNOWN: [knows: (password: string, person: Person) => boolean, text: string][] = [
  [isPersonal, 'This password is your name or your address. Choose another.'],
  [isCommon, 'This password is one of the first that anyone would try. Choose another.'],
  [isBreached, 'This password has leaked from another site, with or without the digits and signs about it. Choose another.'],
]
const list = new Intl.ListFormat('en-GB')
type Person = (string | null | undefined)[]

/** What is wrong with a password, or null. The rule of /auth is the floor; common and breached ones are refused on top. */
export function weaknessOf(password: string, person: Person = []): { message: string; reasons: string[] } | null {
  const broken = RULES.filter(([, holds]) => !holds(password))
  if (broken.length) {
    return {
      message: `Password should have at least ${list.format(broken.map(([, , text]) => text))}.`,
      reasons: [...new Set(broken.map(([reason]) => reason))],
    }
  }
  const known = KNOWN.find(([knows]) => knows(password, person))
  return known ? { message: known[1], reasons: ['pwned'] } : null
}

export function checkStrength(password: string, person: Person = []): void {
  // Longer than this is no password, but work for the hash.
  if (Buffer.byteLength(password) > 256)
    throw refuse(422, 'weak_password', 'Password cannot be longer than 256 bytes.', { details: { weak_password: { reasons: ['length'] } } })
  const weakness = weaknessOf(password, person)
  if (weakness) throw refuse(422, 'weak_password', weakness.message, { details: { weak_password: { reasons: weakness.reasons } } })
}
