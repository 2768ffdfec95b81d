import { once } from 'node:events'
import { isDestructive, type Operation, sampleCall } from './document.ts'
import type { Answer, Attack } from './world.ts'

/** Operations that a password alone reaches where the account has a second factor; listed by hand, so that a contract cannot widen it unseen. */
const reached = [
  'GET /auth/v1/user',
  'POST /auth/v1/logout',
  'POST /auth/v1/factors/{factor_id}/challenge',
  'POST /auth/v1/factors/{factor_id}/verify',
  'POST /functions/v1/account-recovery-use',
  // The way back of an owner whose factor is lost or a thief's: nothing is removed for three days.
  'POST /functions/v1/account-factor-recovery',
  'POST /functions/v1/account-factor-recovery-begin',
  'POST /functions/v1/account-factor-recovery-stop',
]

/** A HEAD is answered without the code; what it asks for does not exist, so it would say 404 to somebody who was let in. */
export const isHalfRefused = ({ method }: Operation, { status, text }: Answer): boolean =>
  status === 403 && (method === 'HEAD' ? text === '' : text.includes('insufficient_aal'))

// S25: a password alone where a second factor is, on every route that is not public, on the socket and on files.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  let tried = 0
  const guarded = world.operations.filter(({ access }) => access !== 'public')
  for (const operation of guarded) {
    const actor = isDestructive(operation) ? await world.fresh('half signed in') : await world.actor('half signed in')
    const { path, body } = sampleCall(operation)
    const answer = await world.call(actor, operation.method, path, body)
    const { status, text } = answer
    tried++
    // No session at all opens what is for apps' tokens and keys.
    const isRefused = operation.resource ? status === 401 : isHalfRefused(operation, answer)
    if (reached.includes(operation.name)) {
      if (isRefused) findings.push(`${operation.name}: refused, though it is how a sign-in is finished`)
    } else if (!isRefused) findings.push(`${operation.name}: ${status} ${text.slice(0, 100)}`)
  }
  const actor = await world.actor('half signed in')
  for (const service of new Set(guarded.map((operation) => operation.service))) {
    const { status } = await world.call(actor, 'GET', `/files/v1/${service}/${actor.id}/any.png`)
    tried++
    if (status < 400) findings.push(`a file of ${service}: ${status}`)
  }
  const socket = new WebSocket(`${world.url.replace('http', 'ws')}/live`)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'auth', access_token: actor.token }))
  const [heard] = (await Promise.race([once(socket, 'close'), once(socket, 'message')])) as [Event & { code?: number }]
  tried++
  if (heard.type !== 'close' || heard.code !== 4401) findings.push(`/live: ${heard.type}`)
  socket.close()
  return { tried, findings }
}
