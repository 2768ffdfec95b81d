import type { AuthChangeEvent, Session, User } from '@supabase/auth-js'
import { useEffect, useSyncExternalStore } from 'react'
import { claimsOf, failArrival, isAdmitted, settleArrival } from './arrival.ts'
import { mayHaveSession, storageKey } from './keys.ts'

/** Why a session ended that this page did not end itself. */
export type Ended = 'elsewhere' | 'expired' | 'other-tab'

/** `unreachable`: there is a session here that could not be checked; an outage signs nobody out. */
type SessionState = {
  status: 'loading' | 'signed-in' | 'signed-out' | 'unreachable'
  session: Session | null
  event?: AuthChangeEvent
  /** A password alone is not enough for this account, and this session has no more yet. */
  half?: boolean
  ended?: Ended
  /** Another tab has signed in as somebody else; this page still shows the account before. */
  takenBy?: string
}

let state: SessionState = { status: 'loading', session: null }
let started: Promise<typeof import('./backend.ts')> | undefined
const listeners = new Set<() => void>()
const onServer: SessionState = { status: 'loading', session: null }

/** Loads the auth client once and follows its seven events. A session that an address brought is decided on before. */
export function loadBackend() {
  started ??= settleArrival()
    .then(() => import('./backend.ts'))
    .then(
      (backend) => {
        backend.auth.onAuthStateChange(onEvent)
        if (isAdmitted()) void backend.auth.initialize().then(({ error }) => error && failArrival(error.message))
        return backend
      },
      (error) => {
        // Asked for again by the next who needs it: the network may be back by then.
        started = undefined
        if (state.status === 'loading') set({ status: 'unreachable', session: null })
        throw error
      },
    )
  return started
}

let expected: Ended | 'own' | undefined
/** The session is about to end, and why: kept for the other tabs, which hear of the end alone. */
export function expectEnd(why: Ended | 'own' | undefined) {
  expected = why
  if (why === 'elsewhere' || why === 'expired') localStorage.setItem(endedKey, why)
}
const endedKey = 'operon-ended'

function whyEnded(): Ended | undefined {
  const why = expected ?? (localStorage.getItem(endedKey) as Ended | null) ?? 'other-tab'
  expected = undefined
  if (why === 'own') return undefined
  return state.status === 'signed-in' || why !== 'other-tab' ? why : state.ended
}

// The account that this page has shown. Another one comes only by a sign-in of this page's own.
let shown: string | undefined
let signingIn = false
export function expectSignIn() {
  signingIn = true
}

function onEvent(event: AuthChangeEvent, session: Session | null) {
  switch (event) {
    case 'INITIAL_SESSION':
      return set(
        session
          ? { status: 'signed-in', session, event }
          : { status: localStorage.getItem(storageKey) ? 'unreachable' : 'signed-out', session: null, event, ended: state.ended },
      )
    case 'SIGNED_OUT':
      return set({ status: 'signed-out', session: null, event, ended: whyEnded() })
    case 'SIGNED_IN':
    case 'TOKEN_REFRESHED':
    case 'USER_UPDATED':
    case 'PASSWORD_RECOVERY':
    case 'MFA_CHALLENGE_VERIFIED':
      localStorage.removeItem(endedKey)
      if (session && shown && session.user.id !== shown && !signingIn)
        return set({ ...state, takenBy: session.user.email || session.user.phone || 'another account' })
      return set(session ? { status: 'signed-in', session, event } : { status: 'signed-out', session: null, event })
  }
}

function set(next: SessionState) {
  state = { ...next, half: next.session !== null && isHalf(next.session) }
  if (next.session) {
    shown = next.session.user.id
    signingIn = false
  }
  if (next.session && !state.half) document.documentElement.dataset.session = ''
  else delete document.documentElement.dataset.session
  for (const listener of listeners) listener()
}

export function sessionNow() {
  return state
}

/** For what was asked before it was known who asks. */
export function sessionKnown(): Promise<SessionState> {
  return new Promise((known) => {
    const look = () => {
      if (state.status === 'loading') return
      leave()
      known(state)
    }
    const leave = subscribe(look)
    look()
  })
}

export async function retrySession() {
  const { auth } = await loadBackend()
  set({ status: 'loading', session: null })
  const { data, error } = await auth.getSession()
  set(
    data.session
      ? { status: 'signed-in', session: data.session }
      : { status: error && localStorage.getItem(storageKey) ? 'unreachable' : 'signed-out', session: null },
  )
}

export async function needsSecondFactor() {
  const { auth } = await loadBackend()
  const { data } = await auth.getSession()
  return data.session !== null && isHalf(data.session)
}

const resetHourMs = 3_600_000
/** Whether a reset link began this session. The server takes that as a proof for an hour. */
export function recoveryOf({ access_token: token }: Session): 'none' | 'open' | 'over' {
  const claims = claimsOf(token) as { amr?: { method: string; timestamp: number }[] } | null
  const proof = claims?.amr?.find(({ method }) => method === 'recovery')
  if (!proof) return 'none'
  return Date.now() - proof.timestamp * 1000 < resetHourMs ? 'open' : 'over'
}

function isHalf({ access_token: token }: Session) {
  const claims = claimsOf(token) as { mfa?: boolean; aal?: string } | null
  return claims?.mfa === true && claims.aal !== 'aal2'
}

/**
 * The session, followed. Public pages pass `eager: false`: without a stored session the auth client is not even fetched.
 * Before the second factor there is nobody to load anything for, except on the pages that ask for it (`half`).
 */
export function useSession({ eager = true, half = false }: { eager?: boolean; half?: boolean } = {}): SessionState & { user: User | null } {
  const current = useSyncExternalStore(subscribe, sessionNow, () => onServer)
  useEffect(() => {
    if (eager || mayHaveSession()) void loadBackend()
    else if (!started) set({ status: 'signed-out', session: null })
  }, [eager])
  return { ...current, user: current.half && !half ? null : (current.session?.user ?? null) }
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
