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
