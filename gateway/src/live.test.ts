import { once } from 'node:events'
import { newId } from '@operon/kit/ids'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { testGateway, token, verifierOfTests } from './testing/start.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function start(options: Parameters<typeof testGateway>[0] = {}) {
  const gateway = await testGateway(options)
  ends.push(gateway.close)
  const open = async (headers: Record<string, string> = {}) => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/live`, { headers })
    const heard: any[] = []
    const closed = new Promise<number>((resolve) => socket.on('close', resolve))
    socket.on('message', (data) => heard.push(JSON.parse(String(data))))
    await once(socket, 'open')
    return { socket, heard, closed }
  }
  const signedIn = async (mine = token()) => {
    const page = await open()
    page.socket.send(JSON.stringify({ type: 'auth', access_token: mine.token }))
    await vi.waitFor(() => expect(page.heard).toEqual([{ type: 'ready' }]))
    page.heard.length = 0
    return { ...page, ...mine }
  }
  return { gateway, open, signedIn }
}

test('a page hears what concerns its user, and only that', async () => {
  const { gateway, signedIn } = await start()
  const [mine, other] = [await signedIn(), await signedIn()]
  const payload = { user_id: mine.userId, job: 'j', name: 'image', percent: 50, state: 'running' }
  gateway.broadcast('ai-gateway.job_progress', payload)
  gateway.broadcast('analytics.notification_raised', { user_id: other.userId, title: 'for the other' })
  await vi.waitFor(() => expect(mine.heard).toEqual([{ type: 'event', topic: 'job', payload }]))
  await vi.waitFor(() => expect(other.heard).toMatchObject([{ topic: 'notification' }]))
})

test('who does not sign in, or does so badly, is shown out', async () => {
  const { open } = await start({ live: { authWithinMs: 50 } })
  expect(await (await open()).closed).toBe(4401)
  const bad = await open()
  bad.socket.send(JSON.stringify({ type: 'auth', access_token: token({ exp: 1 }).token }))
  expect(await bad.closed).toBe(4401)
  const noise = await open()
  noise.socket.send('noise')
  expect(await noise.closed).toBe(4401)
})

test('a socket opens for a whole sign-in, not for a password alone where the account has a second factor', async () => {
  const { open, signedIn } = await start()
  const half = await open()
  half.socket.send(JSON.stringify({ type: 'auth', access_token: token({ mfa: true, aal: 'aal1' }).token }))
  expect(await half.closed).toBe(4401)
  expect(half.heard).toEqual([])
  await signedIn(token({ mfa: true, aal: 'aal2' }))
})

test('a revoked session ends its sockets and no others of the user', async () => {
  const { gateway, signedIn } = await start()
  const one = await signedIn()
  const two = await signedIn(token({ sub: one.userId }))
  gateway.broadcast('identity.session_revoked', { session_id: one.sessionId, user_id: one.userId })
  expect(await one.closed).toBe(4401)
  expect(one.heard).toEqual([{ type: 'event', topic: 'session', payload: { state: 'revoked' } }])
  expect(two.socket.readyState).toBe(WebSocket.OPEN)
  gateway.broadcast('identity.user_suspended', { user_id: one.userId, suspended: true })
  expect(await two.closed).toBe(4401)
})

test('sessions that ended together end their sockets, but for the one that was kept', async () => {
  const { gateway, signedIn } = await start()
  const one = await signedIn(token({ session_id: newId() }))
  const kept = await signedIn(token({ sub: one.userId, session_id: newId() }))
  const stranger = await signedIn(token({ session_id: newId() }))
  gateway.broadcast('identity.sessions_ended', { user_id: one.userId, up_to: stranger.sessionId, kept: kept.sessionId })
  expect(await one.closed).toBe(4401)
  expect([kept.socket.readyState, stranger.socket.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN])
})

test('a socket is not opened with a session that was taken back while it was verified', async () => {
  const verifier = verifierOfTests()
  const verify = verifier.verify.bind(verifier)
  const mine = token()
  // The last step of a verification that is under way: it has looked at what is revoked, and has not been heard yet.
  verifier.verify = async (text) => {
    const actor = await verify(text)
    verifier.revoke(mine.sessionId)
    return actor
  }
  const { open } = await start({ verifier })
  const page = await open()
  page.socket.send(JSON.stringify({ type: 'auth', access_token: mine.token }))
  expect(await page.closed).toBe(4401)
  expect(page.heard).toEqual([])
})

test('a page of another origin is turned away', async () => {
  const { open, gateway } = await start()
  await expect(open({ origin: 'https://evil.example' })).rejects.toThrow('403')
  expect((await open({ origin: `http://127.0.0.1:${gateway.port}` })).socket.readyState).toBe(WebSocket.OPEN)
})

test('the oldest page gives way when a user has too many', async () => {
  const { signedIn } = await start({ env: { LIVE_SOCKETS_PER_USER: '2' } })
  const mine = token()
  const [first, second] = [await signedIn(mine), await signedIn(mine), await signedIn(mine)]
  expect(await first!.closed).toBe(4429)
  expect(second!.socket.readyState).toBe(WebSocket.OPEN)
})

test('a page that does not read is told to load afresh and let go', async () => {
  const { gateway, signedIn } = await start()
  const slow = await signedIn()
  slow.socket.pause()
  const payload = { user_id: slow.userId, command: 'x'.repeat(512 * 1024) }
  for (let i = 0; i < 40; i++) gateway.broadcast('analytics.activity_recorded', payload)
  slow.socket.resume()
  expect(await slow.closed).toBe(4408)
  expect(slow.heard.at(-1)).toEqual({ type: 'lagging' })
  expect(slow.heard.length).toBeLessThan(40)
})

test('a page that asks and asks without end is shown out, whatever it reads', async () => {
  const { signedIn } = await start()
  const mine = await signedIn()
  mine.socket.pause()
  for (let i = 0; i < 2_000; i++) mine.socket.send('{"type":"ping"}')
  mine.socket.resume()
  expect(await mine.closed).toBe(1008)
  expect(mine.heard.length).toBeGreaterThan(10)
  expect(mine.heard.length).toBeLessThanOrEqual(100)
  const knocking = await signedIn()
  for (let i = 0; i < 2_000; i++) knocking.socket.ping()
  expect([1006, 1008]).toContain(await knocking.closed)
})

test('of many tokens at once one is verified and the newest waits', async () => {
  let verified = 0
  let go = () => {}
  const verifier = verifierOfTests(() => new Promise<void>((resolve) => (go = resolve)))
  const verify = verifier.verify.bind(verifier)
  verifier.verify = (text) => {
    verified += 1
    return verify(text)
  }
  const { open } = await start({ verifier })
  const page = await open()
  const mine = token()
  for (let i = 0; i < 50; i++) page.socket.send(JSON.stringify({ type: 'auth', access_token: token({ sub: mine.userId }).token }))
  page.socket.send('{"type":"ping"}')
  await vi.waitFor(() => expect(page.heard).toEqual([{ type: 'pong' }]))
  expect(verified).toBe(1)
  go()
  await vi.waitFor(() => expect(page.heard).toEqual([{ type: 'pong' }, { type: 'ready' }, { type: 'ready' }]))
  expect(verified).toBe(2)
})

test('a hundred silent sockets of one network shut out nobody there: the oldest of them gives way', async () => {
  const { open } = await start({ env: { TRUSTED_PROXIES: 'loopback' }, live: { authWithinMs: 60_000 } })
  const from = (address: string) => open({ 'x-forwarded-for': address })
  const silent = []
  for (let n = 0; n < 100; n++) silent.push(await from(`2001:db8:7::${n}`))
  const signedIn = await from('2001:db8:7::ffff')
  expect(await silent[0]!.closed).toBe(4401)
  signedIn.socket.send(JSON.stringify({ type: 'auth', access_token: token().token }))
  await vi.waitFor(() => expect(signedIn.heard).toEqual([{ type: 'ready' }]))
  // It waits no longer, so its place is free again; who is signed in gives way to no knocking.
  for (let n = 0; n < 50; n++) await from('2001:db8:7::ffff')
  expect(signedIn.socket.readyState).toBe(WebSocket.OPEN)
  expect((await from('8.8.8.8')).socket.readyState).toBe(WebSocket.OPEN)
})

test('where silent sockets have taken every place, the caller with the most of them gives one up', async () => {
  const { open } = await start({ env: { TRUSTED_PROXIES: 'loopback' }, live: { authWithinMs: 60_000, waitingAtMost: 8 } })
  const from = (address: string) => open({ 'x-forwarded-for': address })
  const modest = await from('8.8.8.8')
  const greedy = []
  for (let n = 0; n < 7; n++) greedy.push(await from('9.9.9.9'))
  const late = await from('7.7.7.7')
  expect(await greedy[0]!.closed).toBe(4401)
  for (const { socket } of [modest, late, greedy[1]!]) expect(socket.readyState).toBe(WebSocket.OPEN)
})

test('one that answers no ping is let go, one that does stays', async () => {
  const { signedIn, open } = await start({ live: { pingEveryMs: 400 } })
  const alive = await signedIn()
  const silent = await open()
  silent.socket.pong = () => {}
  ;(silent.socket as any)._autoPong = false
  expect(await silent.closed).toBe(1006)
  expect(alive.socket.readyState).toBe(WebSocket.OPEN)
})

test('draining tells pages to connect again, finishes what runs and takes nothing new', async () => {
  const { gateway, signedIn } = await start()
  const page = await signedIn()
  await gateway.drain()
  expect(await page.closed).toBe(1012)
  expect(page.heard).toEqual([{ type: 'reconnect' }])
  await expect(fetch(gateway.url)).rejects.toThrow()
})
