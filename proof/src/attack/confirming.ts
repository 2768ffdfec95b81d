import { chmodSync, rmSync } from 'node:fs'
import { sweep as identitySweep } from '@operon/contracts/identity/events'
import { scratchFolder } from '@operon/deploy/machine'
import { newAuthenticator } from '@operon/identity/testing/authenticator'
import { enqueue, inTransaction } from '@operon/kit/tx'
import { production, SANDBOX_KEY, startPlatform } from './platform.ts'

type Reply = { status: number; body: any; location: URL | null }
export type Confirming = Awaited<ReturnType<typeof startConfirming>>

/** A platform where an address counts only once it is confirmed, as in production, with its inbox. */
export async function startConfirming(staff: string[] = []) {
  const dataDir = scratchFolder('confirming')
  chmodSync(dataDir, 0o755)
  const many = (names: string[]) => Object.fromEntries(names.map((name) => [name, '100000']))
  const platform = await startPlatform({
    env: {
      ...production,
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      AUTH_ERASING_SERVICES: 'none',
      AUTH_STAFF_EMAILS: staff.join(','),
      // Otherwise it would be the missing factor that keeps a stranger from being staff.
      AUTH_STAFF_SECOND_FACTOR: 'false',
      ...Object.fromEntries(
        ['ADDRESS', 'AUTH_STRICT', 'PUBLIC_SEND', 'AUTH', 'REFRESH', 'READ', 'WRITE'].map((name) => [`RATE_${name}`, '100000/1s']),
      ),
      ...many(['LIMIT_SIGN_UP_PER_MINUTE', 'LIMIT_SIGN_IN_PER_MINUTE', 'LIMIT_VERIFY_PER_MINUTE']),
      ...many(
        ['MAIL', 'SMS', 'MAIL_FROM_NETWORK', 'SMS_FROM_NETWORK', 'MAIL_TO_DOMAIN', 'SMS_TO_COUNTRY', 'SMS_TO_BLOCK'].map(
          (name) => `LIMIT_${name}_PER_HOUR`,
        ),
      ),
      LIMIT_MESSAGE_COOLDOWN_SECONDS: '0',
    },
    web: false,
    services: ['identity', 'sandbox'],
  })

  async function call(method: string, path: string, body?: object, token?: string): Promise<Reply> {
    const response = await fetch(platform.address + path, {
      method,
      redirect: 'manual',
      headers: {
        apikey: 'anon',
        'content-type': 'application/json',
        'x-sandbox-key': SANDBOX_KEY,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    const location = response.headers.get('location')
    return { status: response.status, body: await response.json().catch(() => null), location: location ? new URL(location) : null }
  }
  const post = (path: string, body: object = {}, token?: string) => call('POST', path, body, token)

  type Letter = { id: string; subject: string; text: string; links: string[] }
  /** All that came to an address, once there are as many as that. */
  async function letters(to: string, count: number): Promise<Letter[]> {
    for (let tries = 0; tries < 200; tries++) {
      const { body } = await call('GET', `/sandbox/api/inbox?to=${encodeURIComponent(to)}`)
      if (body.messages.length >= count) return body.messages
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${to} got fewer than ${count} letters`)
  }
  async function newest(to: string, subject: RegExp): Promise<Letter> {
    for (let count = 1; ; count++) {
      const found = (await letters(to, count)).find((each) => subject.test(each.subject))
      if (found) return found
    }
  }
  /** Opens the link of a letter and presses the button: the session that this begins, or null. */
  async function press({ links }: Letter): Promise<string | null> {
    const link = links.find((each) => each.includes('/auth/v1/verify'))!.replaceAll('&amp;', '&')
    const response = await fetch(`${platform.address}/auth/v1/verify/link`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(new URL(link).search),
    })
    const location = response.headers.get('location')
    return location && new URLSearchParams(new URL(location).hash.slice(1)).get('access_token')
  }
  const signIn = async (who: object, password: string) => (await post('/auth/v1/token?grant_type=password', { ...who, password })).body
  const db = platform.db('identity')
  /** Identity's hourly job, run now. */
  async function sweep() {
    await inTransaction(db, (trx) => enqueue(trx, identitySweep, {}))
    for (let tries = 0; tries < 200; tries++) {
      const open = await db
        .selectFrom('factor_recoveries')
        .select('id')
        .where('closed_at', 'is', null)
        .where('due_at', '<=', new Date())
        .execute()
      if (!open.length) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  async function stop() {
    await platform.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  /** Adds a passkey to the account of this session: what signs in with it, as often as it is asked to. */
  async function plantPasskey(token: string) {
    const device = newAuthenticator(platform.url)
    const { status, body: begun } = await post('/auth/v1/passkeys/registration/options', {}, token)
    if (status !== 200) throw new Error(`no passkey could be begun: ${status} ${JSON.stringify(begun)}`)
    const { body: added } = await post(
      '/auth/v1/passkeys/registration/verify',
      { challenge_id: begun.challenge_id, credential: device.create(begun.options) },
      token,
    )
    if (!added.id) throw new Error(`no passkey could be added: ${JSON.stringify(added)}`)
    return async () => {
      const { body } = await post('/auth/v1/passkeys/authentication/options')
      return (
        await post('/auth/v1/passkeys/authentication/verify', { challenge_id: body.challenge_id, credential: device.get(body.options) })
      ).body
    }
  }
  return { call, post, letters, newest, press, signIn, plantPasskey, db, sweep, stop }
}
