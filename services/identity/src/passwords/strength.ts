import type { IdentityConfig } from '../config.ts'
import { type AuthCtx, refuse } from '../deps.ts'
import { isBreached } from './breached.ts'
import { isCommon, isPersonal } from './common.ts'

type Rule = [reason: string, holds: (password: string) => boolean, text: string]
type Settings = Partial<
  Pick<IdentityConfig, 'AUTH_PASSWORD_MIN_LENGTH' | 'AUTH_PASSWORD_REQUIRED_CHARACTERS' | 'AUTH_PASSWORD_REFUSE_KNOWN'>
>

const atLeast = (length: number): Rule => ['length', (password) => [...password].length >= length, `${length} characters`]
/** The rule of the sign-up page. */
const CHARACTERS: Rule[] = [
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

/** Sets as GoTrue writes them: parted by `:`, a colon itself as `\\:`; `none` for no sets. */
const setsIn = (text: string): Rule[] =>
  text
    .split(/(?<!\\):/)
    .map((set) => set.replaceAll('\\:', ':'))
    .filter((set) => set && text !== 'none')
    .map((set) => ['characters', (password) => [...set].some((character) => password.includes(character)), set])

function rulesOf({ AUTH_PASSWORD_MIN_LENGTH: length = 8, AUTH_PASSWORD_REQUIRED_CHARACTERS: sets }: Settings): Rule[] {
  return [atLeast(length), ...(sets === undefined ? CHARACTERS : setsIn(sets))]
}

const sentence = (broken: Rule[]) => `Password should have at least ${list.format(broken.map(([, , text]) => text))}.`

/** Where the sets are GoTrue's, so are the words: clients show and compare them. */
function sentenceOfProtocol(broken: Rule[], settings: Settings): string {
  const length = broken.find(([reason]) => reason === 'length')
  const sets = setsIn(settings.AUTH_PASSWORD_REQUIRED_CHARACTERS!).map(([, , text]) => text)
  return [
    ...(length ? [`Password should be at least ${length[2]}.`] : []),
    ...(broken.length > (length ? 1 : 0) ? [`Password should contain at least one character of each: ${sets.join(', ')}.`] : []),
  ].join(' ')
}

/** The fault of a password, or null. The rule of /auth is the floor unless the settings have another; common and breached ones are also refused. */
export function weaknessOf(password: string, person: Person = [], settings: Settings = {}): { message: string; reasons: string[] } | null {
  const broken = rulesOf(settings).filter(([, holds]) => !holds(password))
  if (broken.length) {
    return {
      message: settings.AUTH_PASSWORD_REQUIRED_CHARACTERS === undefined ? sentence(broken) : sentenceOfProtocol(broken, settings),
      reasons: [...new Set(broken.map(([reason]) => reason))],
    }
  }
  if (settings.AUTH_PASSWORD_REFUSE_KNOWN === false) return null
  const known = KNOWN.find(([knows]) => knows(password, person))
  return known ? { message: known[1], reasons: ['pwned'] } : null
}

export function checkStrength({ deps }: AuthCtx, password: string, person: Person = []): void {
  // Longer than this is no password, but work for the hash.
  if (Buffer.byteLength(password) > 256)
    throw refuse(422, 'weak_password', 'Password cannot be longer than 256 bytes.', { details: { weak_password: { reasons: ['length'] } } })
  const weakness = weaknessOf(password, person, deps.config)
  if (weakness) throw refuse(422, 'weak_password', weakness.message, { details: { weak_password: { reasons: weakness.reasons } } })
}
