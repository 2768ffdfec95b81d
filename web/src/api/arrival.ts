import { pressedCookie } from '@operon/contracts/identity/arrival'
import { texts } from '@operon/contracts/messages'
import { useSyncExternalStore } from 'react'
import { publishableKey } from './http.ts'
import { arrivalHash, arrivalMark, clearLocalStorage, dropArrival, storageKey } from './keys.ts'

// Tokens in an address are taken only where this browser asked for them or pressed the button, and never in silence over another account.

export type AskKind = 'signup' | 'magiclink' | 'recovery' | 'email_change' | 'oauth' | 'link'
type Ask = { mark: string; kind: AskKind; email?: string; at: number }
export type Arrival =
  | { state: 'none' }
  | { state: 'asking'; email: string; here: string | null }
  | { state: 'failed'; why: string; kind?: AskKind; email?: string }

const asksKey = 'operon-asked'
const askLivesMs = 24 * 60 * 60_000
const asksKept = 8

let arrival: Arrival = { state: 'none' }
let admitted = false
let settled: Promise<void> | undefined
let answer: ((take: boolean) => void) | undefined
const listeners = new Set<() => void>()

/** Where a link or a provider leads back to, marked as asked for by this browser. */
export function leadBack(path: string, kind: AskKind, email?: string): string {
  const mark = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const ask: Ask = { mark, kind, at: Date.now(), ...(email && { email }) }
  localStorage.setItem(asksKey, JSON.stringify([...asks(), ask].slice(-asksKept)))
  const url = new URL(path, location.origin)
  url.searchParams.set('asked', mark)
  return url.href
}

function asks(): Ask[] {
  try {
    const kept: Ask[] = JSON.parse(localStorage.getItem(asksKey) ?? '[]')
    return kept.filter(({ at }) => Date.now() - at < askLivesMs)
  } catch {
    return []
  }
}
const askedHere = () => asks().find(({ mark }) => mark === arrivalMark)

export function useArrival(): Arrival {
  return useSyncExternalStore(
    subscribe,
    () => arrival,
    () => nothing,
  )
}
const nothing: Arrival = { state: 'none' }

/** Whether the auth client may take the session out of the address. */
export const isAdmitted = () => admitted

/** Done once it is known whether the session in the address is taken. The auth client is not started before. */
export function settleArrival(): Promise<void> {
  settled ??= settle()
  return settled
}

async function settle(): Promise<void> {
  const ask = askedHere()
  const failed = arrivalHash.get('error_description') ?? arrivalHash.get('error')
  // A sign-in that could not be connected is told by the settings.
  if (failed !== null) return ask?.kind === 'link' ? undefined : failArrival(failed)
  const token = arrivalHash.get('access_token')
  if (token === null) return isConfirmation() ? failArrival(texts.tokenVerificationError) : undefined
  const claims = claimsOf(token)
  const here = storedUser()
  // The auth client refuses an address without a session, in its own words.
  const isOurs = !claims || (here ? here.id === claims.sub : Boolean(ask) || pressedHere(claims.session_id))
  if (isOurs || (await askPerson(claims.email || claims.phone || 'another account', here))) return admit(here, claims?.sub)
  endSession(token)
  dropArrival()
}

/** The auth client reads the session from the address itself, checks it with the server and says what it is for. */
function admit(here: StoredUser | null, next: string | undefined): void {
  if (here && next && here.id !== next) {
    endSession(here.token)
    clearLocalStorage()
  }
  admitted = true
  history.replaceState(history.state, '', `#${arrivalHash}`)
}

function askPerson(email: string, here: StoredUser | null): Promise<boolean> {
  return new Promise((decided) => {
    answer = (take) => {
      move({ state: 'none' })
      decided(take)
    }
    move({ state: 'asking', email, here: here?.name ?? null })
  })
}
export const answerArrival = (take: boolean) => answer?.(take)

export function failArrival(why: string): void {
  const ask = askedHere()
  const kind = ask?.kind ?? (location.pathname === '/reset-password' ? 'recovery' : undefined)
  dropArrival()
  move({ state: 'failed', why, ...(kind && { kind }), ...(ask?.email && { email: ask.email }) })
}
export const leaveFailedArrival = () => move({ state: 'none' })

/** A link that confirms: the page shows its toast, then goes to the dashboard. */
export const isConfirmation = () => ['signup', 'email_change'].includes(arrivalHash.get('type') ?? '')

/** The button of the confirmation page was pressed in this browser, for this very session. */
function pressedHere(sessionId: string | undefined): boolean {
  const pressed = new RegExp(`(?:^|; )${pressedCookie}=([^;]*)`).exec(document.cookie)?.[1]
  if (pressed === undefined) return false
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
  document.cookie = `${pressedCookie}=; path=/; max-age=0`
  return pressed === sessionId
}

type StoredUser = { id: string; name: string; token: string }
function storedUser(): StoredUser | null {
  try {
    const { user, access_token: token } = JSON.parse(localStorage.getItem(storageKey) ?? 'null') ?? {}
    return user?.id ? { id: user.id, name: user.email || user.phone || 'another account', token } : null
  } catch {
    return null
  }
}

type Claims = { sub: string; email?: string; phone?: string; session_id?: string }
export function claimsOf(token: string): Claims | null {
  try {
    const claims = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')))
    return typeof claims.sub === 'string' ? claims : null
  } catch {
    return null
  }
}

/** A session that nobody goes on with is ended on the server, too. */
function endSession(token: string): void {
  void fetch('/auth/v1/logout?scope=local', {
    method: 'POST',
    headers: { apikey: publishableKey, authorization: `Bearer ${token}` },
    keepalive: true,
  }).catch(() => {})
}

function move(next: Arrival) {
  arrival = next
  for (const listener of listeners) listener()
}
function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
