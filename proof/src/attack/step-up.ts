import { Secret, TOTP } from 'otpauth'
import { startConfirming } from './confirming.ts'
import type { Attack } from './world.ts'

const PASSWORD = 'Correct-Horse-9-Battery'
const NEXT = 'Another-Horse-9-Battery'

// S24: what opens an account is changed with a wrong password or by a session that is young and no more; a factor that a thief planted, against the owner's recovery.
export const attack: Attack = async (world) => {
  const site = await startConfirming()
  const findings: string[] = []
  let tried = 0
  const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  async function confirmed(email: string): Promise<{ id: string; token: string }> {
    await site.post('/auth/v1/signup', { email, password: PASSWORD })
    const [letter] = await site.letters(email, 1)
    const token = (await site.press(letter!))!
    return { id: JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sub, token }
  }
  const refused = (what: string, { status, body }: { status: number; body: any }) => {
    tried++
    if (status < 400) findings.push(`${what}: ${status} ${JSON.stringify(body).slice(0, 80)}`)
  }
  try {
    for (let n = 0; n < (world.short ? 2 : 20); n++) {
      const email = `step-up-${n}@example.com`
      const { id, token } = await confirmed(email)
      await site.plantPasskey(token)
      const { body: passkeys } = await site.call('GET', '/auth/v1/passkeys', undefined, token)
      const put = (body: object) => site.call('PUT', '/auth/v1/user', body, token)
      refused('a wrong current password', await put({ password: NEXT, current_password: 'Wrong-Horse-9-Battery' }))
      await site.db
        .updateTable('sessions')
        .set({ amr: JSON.stringify([{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - 3600 }]) })
        .where('user_id', '=', id)
        .execute()
      refused('a wrong current password an hour later', await put({ password: NEXT, current_password: 'Wrong-Horse-9-Battery' }))
      refused('a password by an hour-old session', await put({ password: NEXT }))
      refused('an address by an hour-old session', await put({ email: `next-${n}@example.com` }))
      refused('a number by an hour-old session', await put({ phone: `+1555${String(4_000_000 + n)}` }))
      refused('a factor by an hour-old session', await site.post('/auth/v1/factors', { factor_type: 'totp' }, token))
      refused('a passkey by an hour-old session', await site.post('/auth/v1/passkeys/registration/options', {}, token))
      refused(
        'a passkey taken away by an hour-old session',
        await site.call('DELETE', `/auth/v1/passkeys/${passkeys[0].id}`, undefined, token),
      )
      for (const name of ['account-export', 'account-export-begin', 'account-delete'])
        refused(`${name} by an hour-old session`, await site.post(`/functions/v1/${name}`, {}, token))

      const planted = await confirmed(`planted-${n}@example.com`)
      const { body: factor } = await site.post('/auth/v1/factors', { factor_type: 'totp', friendly_name: 'Thief' }, planted.token)
      const prove = async (bearer: string, code: string) => {
        const { body } = await site.post(`/auth/v1/factors/${factor.id}/challenge`, {}, bearer)
        return (await site.post(`/auth/v1/factors/${factor.id}/verify`, { challenge_id: body.id, code }, bearer)).body
      }
      const thief = await prove(planted.token, codeOf(factor.totp.secret))
      if (!thief.access_token) throw new Error(`no factor could be planted: ${JSON.stringify(thief)}`)
      const signsInByPasskey = await site.plantPasskey(thief.access_token)
      if (!(await signsInByPasskey()).access_token) throw new Error('the planted passkey does not sign in')
      const who = { email: `planted-${n}@example.com` }
      const half = await site.signIn(who, PASSWORD)
      refused(
        'recovery by a password alone',
        await site.post('/functions/v1/account-factor-recovery-begin', { password: NEXT }, half.access_token),
      )

      await site.post('/auth/v1/recover', who)
      const letter = await site.newest(who.email, /^Reset/)
      const owner = (await site.press(letter))!
      const begun = await site.post('/functions/v1/account-factor-recovery-begin', { password: NEXT }, owner)
      if (begun.status !== 200) findings.push(`the owner cannot ask for the factor's removal: ${JSON.stringify(begun.body).slice(0, 120)}`)
      refused("the thief's session after the recovery link", await site.call('GET', '/auth/v1/user', undefined, thief.access_token))
      for (const bearer of [thief.access_token, half.access_token])
        refused('the thief stops it', await site.post('/functions/v1/account-factor-recovery-stop', {}, bearer))
      tried += 2
      if ((await signsInByPasskey()).access_token) findings.push('the passkey that the thief added still signs in')
      if ((await site.signIn(who, PASSWORD)).access_token) findings.push('the password that the thief knew still signs in')
      await site.db
        .updateTable('factor_recoveries')
        .set({ due_at: new Date(Date.now() - 1000) })
        .where('user_id', '=', planted.id)
        .execute()
      await site.sweep()
      const back = await site.signIn(who, NEXT)
      tried++
      const claims = back.access_token && JSON.parse(Buffer.from(back.access_token.split('.')[1]!, 'base64url').toString())
      if (!claims || claims.mfa) findings.push('the owner does not come back')
    }
  } finally {
    await site.stop()
  }
  return { tried, findings }
}
