import { Secret, TOTP } from 'otpauth'
import { SANDBOX_KEY } from './platform.ts'
import type { Actor, Kept, World } from './world.ts'

/** At the payment provider's stand-in, with the card that always works. */
export async function pay(world: World, url: string, email: string) {
  await fetch(world.url + new URL(url).pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'x-sandbox-key': SANDBOX_KEY },
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

/** An authenticator for the account: the session that has the second factor. One begun with the password afterwards does not. */
export async function enrol(call: World['call'], actor: Actor): Promise<Kept> {
  const { body: factor } = await call(actor, 'POST', '/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Phone' })
  const { body: challenge } = await call(actor, 'POST', `/auth/v1/factors/${factor.id}/challenge`)
  const proof = { challenge_id: challenge.id, code: new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate() }
  const { status, text, body } = await call(actor, 'POST', `/auth/v1/factors/${factor.id}/verify`, proof)
  if (status !== 200) throw new Error(`no second factor could be enrolled: ${text}`)
  return body
}
