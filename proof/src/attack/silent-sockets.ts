import { once } from 'node:events'
import type { Attack } from './world.ts'

const SILENT = 150

// S28, of sockets and lock-outs: silent sockets of one address keep none of its people out, and guesses from one address leave the owner a way in.
export const attack: Attack = async (world) => {
  const findings: string[] = []
  const owner = await world.fresh('seller')
  const open = async () => {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/live`)
    await once(socket, 'open')
    return socket
  }
  const silent = await Promise.all(Array.from({ length: SILENT }, open))
  const mine = await open().catch(() => null)
  mine?.send(JSON.stringify({ type: 'auth', access_token: owner.token }))
  const [heard] = mine ? ((await Promise.race([once(mine, 'message'), once(mine, 'close')])) as [MessageEvent]) : []
  if (heard?.data !== '{"type":"ready"}') findings.push(`the owner's socket did not open beside ${SILENT} silent ones`)
  for (const socket of [...silent, ...(mine ? [mine] : [])]) socket.close()

  const anonymous = await world.actor('anonymous')
  const stranger = { 'x-forwarded-for': '198.51.100.7' }
  const guesses = Array.from({ length: 40 }, (_, at) => ({ email: owner.email, password: `Wrong-Guess-${at}!` }))
  await Promise.all(guesses.map((guess) => world.call(anonymous, 'POST', '/auth/v1/token?grant_type=password', guess, stranger)))
  const asked = await world.call(anonymous, 'POST', '/auth/v1/otp', { email: owner.email, create_user: false })
  if (asked.status !== 200) findings.push(`the owner could not ask for a link: ${asked.status} ${asked.text}`)
  const { status } = await world.call(owner, 'GET', '/auth/v1/user')
  if (status !== 200) findings.push(`the owner's session was lost to the guesses: ${status}`)
  return { tried: SILENT + guesses.length + 3, findings }
}
