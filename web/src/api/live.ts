import { useEffect, useSyncExternalStore } from 'react'
import { loadBackend } from './session.ts'

export type LiveTopic = 'notification' | 'activity' | 'job' | 'usage' | 'session'
type LiveMessage = { type: 'event'; topic: LiveTopic; payload: unknown } | { type: 'ping' } | { type: 'ready' }
export type LiveState = 'off' | 'connecting' | 'on'

const handlers = new Map<LiveTopic, Set<(payload: any) => void>>()
const listeners = new Set<() => void>()
let state: LiveState = 'off'
let socket: WebSocket | undefined
let users = 0
let attempts = 0
let timer = 0

/** Runs `handler` for each event of a topic while mounted. Open the socket with `useLiveSocket` above it (the shell does). */
export function useLive<P = unknown>(topic: LiveTopic, handler: (payload: P) => void) {
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
    return () => {
      users--
      if (users > 0) return
      clearTimeout(timer)
      socket?.close()
      socket = undefined
      move('off')
    }
  }, [])
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
    () => 'off',
  )
}

async function connect() {
  const { accessToken } = await loadBackend()
  const token = await accessToken()
  if (!token || users === 0 || socket) return
  move('connecting')
  const opened = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/live`)
  socket = opened
  opened.onopen = () => opened.send(JSON.stringify({ type: 'auth', access_token: token }))
  opened.onmessage = (event) => {
    const message: LiveMessage = JSON.parse(event.data)
    if (state !== 'on') {
      attempts = 0
      move('on')
    }
    if (message.type === 'ping') return opened.send('{"type":"pong"}')
    if (message.type === 'event') for (const handler of handlers.get(message.topic) ?? []) handler(message.payload)
  }
  opened.onclose = () => {
    if (socket !== opened) return
    socket = undefined
    move('off')
    if (users > 0) timer = window.setTimeout(connect, Math.min(30_000, 500 * 2 ** attempts++) * (0.75 + Math.random() / 2))
  }
}

function move(next: LiveState) {
  state = next
  for (const listener of listeners) listener()
}
