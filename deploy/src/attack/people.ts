import { createHmac } from 'node:crypto'
import type { Actor, World } from './world.ts'

/** At the payment provider's stand-in, with the card that always works. */
export async function pay(world: World, url: string, email: string) {
  await fetch(world.url + new URL(url).pathname, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email, name: 'A', number: '4242424242424242', expiry: '12/34', cvc: '123' }),
  })
}

export async function subscribed(world: World, actor: Actor): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    if ((await world.call(actor, 'POST', '/functions/v1/check-subscription')).body?.subscribed) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}

/** An authenticator for the account. The session that proves it has the second factor; one begun with the password afterwards does not. */
export async function enrol(call: World['call'], actor: Actor) {
  const { body: factor } = await call(actor, 'POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Phone' })
  const { body: challenge } = await call(actor, 'POST', `/auth/v1/factors/${factor.id}/challenge`)
  const proof = { challenge_id: challenge.id, code: codeOf(factor.totp.secret) }
  const { status, text } = await call(actor, 'POST', `/auth/v1/factors/${factor.id}/verify`, proof)
  if (status !== 200) throw new Error(`no second factor could be enrolled: ${text}`)
}

/** What an authenticator shows now (RFC 6238): six digits of an HMAC over the half minute. */
function codeOf(secret: string): string {
  const bits = [...secret.replaceAll('=', '')].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
