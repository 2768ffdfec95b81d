import type { Attack } from './world.ts'

const MOST = 10

// S8: passwords and one-time codes guessed all at once, for an account and for an address that has none. The owner must still come in.
export const attack: Attack = async (world) => {
  const owner = await world.fresh('seller')
  const anonymous = await world.actor('anonymous')
  const findings: string[] = []
  const guesses = world.short ? 40 : 400
  let tried = 0
  const atOnce = async (name: string, path: string, bodyOf: (at: number) => object) => {
    const answers = await Promise.all(Array.from({ length: guesses }, (_, at) => world.call(anonymous, 'POST', path, bodyOf(at))))
    tried += guesses
    const heard = answers.filter(({ status }) => status !== 429).length
    if (heard > MOST) findings.push(`${name}: ${heard} guesses were heard`)
    const refused = answers.find(({ status }) => status === 429)
    if (refused && !/^\d+$/.test(refused.headers.get('retry-after') ?? '')) findings.push(`${name}: refused without saying until when`)
    const other = answers.find(({ status }) => ![400, 403, 429].includes(status))
    if (other) findings.push(`${name}: answered ${other.status} ${other.text.slice(0, 80)}`)
  }
  const stranger = `nobody-${Math.floor(world.random() * 1e9)}@example.com`
  await world.call(anonymous, 'POST', '/auth/v1/otp', { email: owner.email })
  for (const [whose, email] of [
    ['an account', owner.email],
    ['an unknown address', stranger],
  ] as const) {
    await atOnce(`one-time codes of ${whose}`, '/auth/v1/verify', (at) => ({ type: 'email', email, token: String(100_000 + at) }))
    await atOnce(`passwords of ${whose}`, '/auth/v1/token?grant_type=password', (at) => ({ email, password: `Wrong-Guess-${at}!` }))
  }
  const { status } = await world.call(owner, 'GET', '/auth/v1/user')
  if (status !== 200) findings.push(`the owner's session was lost to the guesses: ${status}`)
  return { tried, findings }
}
