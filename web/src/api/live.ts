import { useEffect, useSyncExternalStore } from 'react'
import { claimsOf } from './arrival.ts'
import { storageKey } from './keys.ts'
import { loadBackend } from './session.ts'

type LiveTopic =
  | 'notification'
  | 'activity'
  | 'job'
  | 'picture'
  | 'usage'
  | 'session'
  | 'sales'
  | 'messages'
  | 'connection'
  | 'ads'
  | 'calendar'
  | 'forms'
  | 'deals'
  | 'campaign'
  | 'campaigns'
type LiveMessage =
  | { type: 'event'; topic: LiveTopic; payload: unknown }
  | { type: 'ping' | 'ready' | 'auth_needed' | 'reconnect' | 'lagging' }
type LiveState = 'off' | 'connecting' | 'on'

/** The gateway does not take the token. */
const refusedCode = 4401

const handlers = new Map<LiveTopic, Set<(payload?: any) => void>>()
const listeners = new Set<() => void>()
let state: LiveState = 'off'
let socket: WebSocket | undefined
let users = 0
let attempts = 0
let timer = 0
let told: string | null = null
// Data that was read before the socket opened may be old already.
let missedSome = true
let ownEnd = false
let following = false

/** This browser ends its session by itself: the server's word of it is no news then. */
export function expectOwnEnd(expected = true) {
  ownEnd = expected
}

/**
 * Runs `handler` for each event of a topic while mounted, and with none after a time without the socket: something may have been missed.
 * Open the socket with `useLiveSocket` above it (the shell does).
 */
export function useLive<P = unknown>(topic: LiveTopic, handler: (payload?: P) => void) {
  useEffect(() => {
    const set = handlers.get(topic) ?? new Set()
    handlers.set(topic, set.add(handler))
    return () => {
      set.delete(handler)
    }
  }, [topic, handler])
}

/** Keeps the one socket open while mounted; reconnects with a back-off of 0.5 s doubling to 30 s. */
export function useLiveSocket(): LiveState {
  useEffect(() => {
    users++
    void connect()
    addEventListener('online', connectNow)
    return () => {
      users--
      removeEventListener('online', connectNow)
      if (users > 0) return
      clearTimeout(timer)
      socket?.close()
      socket = undefined
      move('off')
    }
  }, [])
  return useLiveState()
}

/** Followed without opening one. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    follow,
    () => state,
    () => 'off',
  )
}
function follow(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function connectLater() {
  clearTimeout(timer)
  if (users > 0) timer = window.setTimeout(connect, Math.min(30_000, 500 * 2 ** attempts++) * (0.75 + Math.random() / 2))
}

/** A proof of who it is begins another session: the end of the one before is then no end of this page. */
async function followSession() {
  if (following) return
  following = true
  const { auth } = await loadBackend()
  auth.onAuthStateChange((_event, session) => {
    const [before, now] = [told, session?.access_token].map((token) => (token ? claimsOf(token) : null))
    if (socket && before && now && before.sub === now.sub && before.session_id !== now.session_id) void sayWho(socket)
  })
}

async function connect() {
  const token = await loadBackend()
    .then(({ accessToken }) => accessToken())
    .catch(() => null)
  if (users === 0 || socket) return
  // A session that could not be refreshed is no end of it.
  if (!token) return localStorage.getItem(storageKey) ? connectLater() : undefined
  ownEnd = false
  void followSession()
  move('connecting')
  const opened = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`)
  socket = opened
  opened.onopen = () => sayWho(opened)
  opened.onmessage = (event) => {
    const message: LiveMessage = JSON.parse(event.data)
    if (message.type === 'ping') opened.send('{"type":"pong"}')
    else if (message.type === 'auth_needed') void sayWhoAnew(opened)
    else if (message.type === 'ready') isReady()
    else if (message.type === 'event') hear(message.topic, message.payload)
  }
  opened.onclose = ({ code }) => {
    if (socket !== opened) return
    socket = undefined
    missedSome = true
    move('off')
    if (code === refusedCode && told && !ownEnd) void loadBackend().then(({ renewed }) => renewed(told!))
    connectLater()
  }
}

function connectNow() {
  attempts = 0
  clearTimeout(timer)
  void connect()
}

async function sayWho(to: WebSocket) {
  const { accessToken } = await loadBackend()
  told = await accessToken()
  if (told && to.readyState === WebSocket.OPEN) to.send(JSON.stringify({ type: 'auth', access_token: told }))
  else to.close()
}

/** The token it was told has run out. Another may be here already; if not, the session is refreshed, by the server's clock and not by ours. */
async function sayWhoAnew(to: WebSocket) {
  const { accessToken, auth } = await loadBackend()
  if ((await accessToken()) === told) await auth.refreshSession()
  await sayWho(to)
}

function isReady() {
  attempts = 0
  if (state !== 'on') move('on')
  if (!missedSome) return
  missedSome = false
  for (const set of handlers.values()) for (const handler of set) handler()
}

function hear(topic: LiveTopic, payload: unknown) {
  if (topic === 'session' && ownEnd) return
  // Signed out from another device: here as well, at once.
  if (topic === 'session') void loadBackend().then(({ letGo }) => letGo('elsewhere'))
  for (const handler of handlers.get(topic) ?? []) handler(payload)
}

function move(next: LiveState) {
  state = next
  for (const listener of listeners) listener()
}
