import { refuse } from '../deps.ts'
import { isCommon } from './common.ts'

const RULES: [reason: string, holds: (password: string) => boolean, text: string][] = [
  ['length', (password) => [...password].length >= 8, 'at least 8 characters long'],
  ['characters', (password) => /\p{Lu}/u.test(password), 'at least one uppercase letter'],
  ['characters', (password) => /\p{Ll}/u.test(password), 'at least one lowercase letter'],
  ['characters', (password) => /[^\p{L}\p{N}\s]/u.test(password), 'at least one special character'],
]

/** What is wrong with a password, or null. The rule of /auth is the floor; the best-known ones are refused on top. */
export function weaknessOf(password: string, person: (string | null | undefined)[] = []): { message: string; reasons: string[] } | null {
  const broken = RULES.filter(([, holds]) => !holds(password))
  if (broken.length) {
    return {
      message: `Password should be ${broken.map(([, , text]) => text).join(', ')}.`,
      reasons: [...new Set(broken.map(([reason]) => reason))],
    }
  }
  if (isCommon(password, person))
    return { message: 'This password is one of the first that anyone would try. Choose another.', reasons: ['pwned'] }
  return null
}

export function checkStrength(password: string, person: (string | null | undefined)[] = []): void {
  // Longer than this is no password, but work for the hash.
  if (Buffer.byteLength(password) > 256)
    throw refuse(422, 'weak_password', 'Password cannot be longer than 256 bytes.', { details: { weak_password: { reasons: ['length'] } } })
  const weakness = weaknessOf(password, person)
  if (weakness) throw refuse(422, 'weak_password', weakness.message, { details: { weak_password: { reasons: weakness.reasons } } })
}
