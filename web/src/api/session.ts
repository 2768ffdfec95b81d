import type { AuthChangeEvent, Session, User } from '@supabase/auth-js'
import { useEffect, useSyncExternalStore } from 'react'
import { mayHaveSession, storageKey } from './keys.ts'

/** `unreachable`: there is a session here that could not be checked; an outage signs nobody out. */
export type SessionState = {
  status: 'loading' | 'signed-in' | 'signed-out' | 'unreachable'
  session: Session | null
  event?: AuthChangeEvent
  /** A password alone is not enough for this account, and this session has no more yet. */
  half?: boolean
}

let state: SessionState = { status: 'loading', session: null }
let started: Promise<typeof import('./backend.ts')> | undefined
const listeners = new Set<() => void>()
const onServer: SessionState = { status: 'loading', session: null }

/** Loads the auth client once and follows its seven events. */
export function loadBackend() {
  started ??= import('./backend.ts').then((backend) => {
    backend.auth.onAuthStateChange(onEvent)
    return backend
  })
  return started
}

function onEvent(event: AuthChangeEvent, session: Session | null) {
  switch (event) {
    case 'INITIAL_SESSION':
      return set(
        session
          ? { status: 'signed-in', session, event }
          : { status: localStorage.getItem(storageKey) ? 'unreachable' : 'signed-out', session: null, event },
      )
    case 'SIGNED_OUT':
      return set({ status: 'signed-out', session: null, event })
    case 'SIGNED_IN':
    case 'TOKEN_REFRESHED':
    case 'USER_UPDATED':
    case 'PASSWORD_RECOVERY':
    case 'MFA_CHALLENGE_VERIFIED':
      return set(session ? { status: 'signed-in', session, event } : { status: 'signed-out', session: null, event })
  }
}

function set(next: SessionState) {
  state = { ...next, half: next.session !== null && isHalf(next.session) }
  if (next.session) document.documentElement.dataset.session = ''
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

function isHalf({ access_token: token }: Session) {
  const claims = JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')))
  return claims.mfa === true && claims.aal !== 'aal2'
}

/**
 * The session, followed. Public pages pass `eager: false`: without a stored session the auth client is not even fetched.
 */
export function useSession({ eager = true }: { eager?: boolean } = {}): SessionState & { user: User | null } {
  const current = useSyncExternalStore(subscribe, sessionNow, () => onServer)
  useEffect(() => {
    if (eager || mayHaveSession()) void loadBackend()
    else if (!started) set({ status: 'signed-out', session: null })
  }, [eager])
  return { ...current, user: current.session?.user ?? null }
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
